"""The review page's own script, as far as the server can tell."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk import get_client

from email_assistant.review.waiting import waiting_card


@dataclass
class PageClient:
    """One tab."""

    url: str
    _http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60), repr=False)

    def settle(self, *answers: dict[str, Any]) -> list[dict[str, Any]]:
        """What becomes of each answer when nothing is held."""
        return [
            self.call("POST", f"answers/{each['id']}/now", {}).json() if each["state"] == "held" else each
            for each in self.answer(*answers)
        ]

    def undo(self, answer_id: str) -> dict[str, Any]:
        """Take an answer back."""
        return dict(self.call("DELETE", f"answers/{answer_id}").json())

    def listed(self) -> dict[str, dict[str, Any]]:
        """The answers of today, by id."""
        return {each["id"]: each for each in self.call("GET", "answers").json()}

    def answer(self, *answers: dict[str, Any]) -> list[dict[str, Any]]:
        """What becomes of each answer."""
        told = self.call("POST", "answers", list(answers))
        assert told.status_code == 200, told.text
        return list(told.json())

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """A request as the page's script makes it."""
        headers = {"origin": self.url, "sec-fetch-site": "same-origin"}
        content = {"json": body} if method == "POST" else {}
        return self._http.request(method, f"{self.url}/review/{path}", headers=headers, **content)

    def card(self, thread_id: str) -> dict[str, str]:
        """The card that waits on the thread, as an answer names it."""
        card = asyncio.run(waiting_card(get_client(url=self.url), thread_id))
        assert card is not None
        return {"thread": thread_id, "interrupt": card.interrupt_id, "digest": card.digest}

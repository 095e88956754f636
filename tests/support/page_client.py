"""The review page's own script, as far as the server can tell."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk import get_client

from email_assistant.review.waiting import run_card


@dataclass
class PageClient:
    """One tab."""

    url: str
    _http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60), repr=False)

    def answer(self, *answers: dict[str, Any]) -> list[dict[str, Any]]:
        """What becomes of each answer that is given; one without an id gets one."""
        return self._posted("answers", answers)

    def check(self, *answers: dict[str, Any]) -> list[dict[str, Any]]:
        """What is told of each answer before it is held."""
        return self._posted("answers/check", answers)

    def became(self, answer: dict[str, Any]) -> httpx.Response:
        """What became of an answer."""
        return self.call("GET", f"answers/{answer['thread']}/{answer['id']}")

    def undo(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Take back what an answer did."""
        return dict(self.call("DELETE", f"answers/{answer['thread']}/{answer['id']}").json())

    def _posted(self, path: str, answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        told = self.call("POST", path, [{"id": uuid.uuid4().hex} | each for each in answers])
        assert told.status_code == 200, told.text
        return list(told.json())

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """A request as the page's script makes it."""
        headers = {"origin": self.url, "sec-fetch-site": "same-origin"}
        content = {"json": body} if method == "POST" else {}
        return self._http.request(method, f"{self.url}/review/{path}", headers=headers, **content)

    def card(self, thread_id: str) -> dict[str, str]:
        """The card that waits on the thread, as an answer names it."""
        card = asyncio.run(run_card(get_client(url=self.url), thread_id))
        assert card is not None
        return {"thread": thread_id, "interrupt": card.interrupt_id, "digest": card.digest}

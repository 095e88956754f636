"""The review page over cards in memory: its real routes and templates; no answer is given to a graph."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.app.assistant import AppDeps, deps_of
from email_assistant.kit.observer import review_id_of
from email_assistant.page.answers import GivenAnswer, as_agent_inbox, named_json, read_answers
from email_assistant.page.application import page_routes
from email_assistant.page.services import PageServices
from email_assistant.review.waiting import WaitingCard
from email_assistant.settings import load_settings
from tests.support.page_cards import ZONE

FOR_EVER = 10**6
"""Seconds, longer than any test lasts."""
NOW = "2026-11-20T16:45:00+00:00"


def _done(answer: dict[str, Any]) -> dict[str, Any]:
    return {"state": "done"}


@dataclass
class PageDesk:
    """What waits, and what was answered."""

    cards: list[WaitingCard]
    given: list[dict[str, Any]] = field(default_factory=list)
    """Every answer as the page had it checked, without its id."""
    posted: list[dict[str, Any]] = field(default_factory=list)
    """Every answer that was given when its hold was over, as the page sent it."""
    becomes: Callable[[dict[str, Any]], dict[str, Any]] = _done
    """What is told of an answer: "held" for `hold` seconds, or for ever; a card whose answer is done waits no more."""
    undone: list[str] = field(default_factory=list)
    """Ids of answers that were to be taken back when they were done."""
    is_behind: bool = False
    """Whether the list still has cards that were answered, as one has that was read a moment before."""
    url: str = ""

    def check(self, answer: dict[str, Any]) -> dict[str, Any]:
        """What the page is told when a key is pressed."""
        self.given.append({name: each for name, each in answer.items() if name != "id"})
        become = self.becomes(answer)
        if become["state"] in {"held", "done"}:
            hold = 0 if become["state"] == "done" else become.get("hold", FOR_EVER)
            return {"state": "held", "hold": hold, **named_json(*self._named(answer))}
        return become

    async def take(self, answer: dict[str, Any], deps: AppDeps) -> dict[str, Any]:
        """What the page is told when the hold is over."""
        self.posted.append(answer)
        if self.becomes(answer) == {"state": "held"}:  # By a page that is closed.
            return {"id": answer["id"], "state": "working"}
        given, card = self._named(answer)
        now = {"run_id": "run", "run_thread_id": card.thread_id, "title": card.title}
        review, facts = review_id_of(card.thread_id, card.title), card.facts
        named = {"kind": facts.kind, "who": facts.sender or facts.address, "subject": facts.subject}
        await deps.trace.review_shown(review, card={"named": named}, **now)
        sent = as_agent_inbox(given, card)
        seen, args = given.type == "seen", sent["args"].get("args") if isinstance(sent["args"], dict) else {}
        await deps.trace.review_decided(
            review,
            decision="ignore" if seen else given.type,
            answer={"args": args, "seen": seen},
            given=given.id,
        )
        self.cards = [each for each in self.cards if each is not card or self.is_behind]
        return {
            "id": given.id,
            "thread": card.thread_id,
            "state": "done",
            "past": named_json(given, card)["past"],
        }

    def _named(self, answer: dict[str, Any]) -> tuple[GivenAnswer, WaitingCard]:
        (card,) = [each for each in self.cards if each.thread_id == answer["thread"]]
        return read_answers([answer])[0], card

    def threads(self) -> list[dict[str, Any]]:
        """What the server would find."""
        return [
            {
                "thread_id": card.thread_id,
                "status": "interrupted",
                "metadata": {"graph_id": card.graph},
                "created_at": card.waits_since,
                "updated_at": card.waits_since,
                "interrupts": {"task": [{"id": card.interrupt_id, "value": [_value(card)]}]},
            }
            for card in self.cards
        ]


def _value(card: WaitingCard) -> dict[str, Any]:
    request = {"action": card.title, "args": card.args}
    return {
        "action_request": request,
        "config": card.config,
        "description": card.description,
        "view": card.view,
    }


@contextmanager
def serving(desk: PageDesk, folder: Path, port: int = 0) -> Iterator[PageDesk]:
    """The page of the desk on that port, or a free one, for as long as it is needed."""
    settings = {
        "EMAIL_ASSISTANT_DATA_DIR": str(folder),
        "EMAIL_ASSISTANT_TIMEZONE": ZONE,
        "EMAIL_ASSISTANT_NOW": NOW,
        "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    }
    deps = deps_of(load_settings(settings, folder), is_server=True)

    async def deps_now() -> AppDeps:
        return deps

    async def search(**asked: Any) -> list[dict[str, Any]]:
        return desk.threads()[asked["offset"] : asked["offset"] + asked["limit"]]

    async def client() -> Any:
        return SimpleNamespace(threads=SimpleNamespace(search=search))

    services = PageServices(deps_now, client)
    config = uvicorn.Config(
        Starlette(routes=[*_answers(desk, services), *page_routes(services)]),
        port=port,
        log_level="error",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline
        assert thread.is_alive()
        threading.Event().wait(0.01)
    desk.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield desk
    finally:
        server.should_exit = True
        thread.join(10)


def _answers(desk: PageDesk, services: PageServices) -> list[Route]:
    async def check(request: Request) -> Response:
        return JSONResponse([{"id": each["id"], **desk.check(each)} for each in await request.json()])

    async def give(request: Request) -> Response:
        deps = await services.deps()
        return JSONResponse([await desk.take(each, deps) for each in await request.json()])

    async def undo(request: Request) -> Response:
        desk.undone.append(request.path_params["id"])
        return JSONResponse({"id": request.path_params["id"], "state": "too_late", "done_at": "17:46"})

    return [
        Route("/review/answers", give, methods=["POST"]),
        Route("/review/answers/check", check, methods=["POST"]),
        Route("/review/answers/{thread}/{id}", undo, methods=["DELETE"]),
    ]

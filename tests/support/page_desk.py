"""The review page over cards in memory: its real routes, templates and held answers, of which none is given to a graph."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.app.container import Container
from email_assistant.journal.held_answers import AnswerState, HeldAnswers
from email_assistant.page.answer_routes import new_answer
from email_assistant.page.answers import answer_json, read_answers
from email_assistant.page.application import page_routes
from email_assistant.page.services import PageServices
from email_assistant.review.waiting import WaitingCard
from email_assistant.settings import load_settings
from tests.support.page_cards import ZONE

NOW = "2026-11-20T16:45:00+00:00"


def _done(answer: dict[str, Any]) -> dict[str, Any]:
    return {"state": "done"}


@dataclass
class PageDesk:
    """What waits, and what was answered."""

    cards: list[WaitingCard]
    given: list[dict[str, Any]] = field(default_factory=list)
    """Every answer, as the page sent it."""
    becomes: Callable[[dict[str, Any]], dict[str, Any]] = _done
    """What is told of an answer; a card whose answer is done waits no more."""
    undone: list[str] = field(default_factory=list)
    is_behind: bool = False
    """Whether the list still has cards that were answered, as one has that was read a moment before."""
    url: str = ""

    async def take(self, answer: dict[str, Any], held: HeldAnswers) -> dict[str, Any]:
        """Keep an answer."""
        self.given.append(answer)
        become = self.becomes(answer)
        if become["state"] in {"held", "done"}:
            (card,) = [each for each in self.cards if each.thread_id == answer["thread"]]
            due = datetime.fromisoformat(become.get("due", NOW))
            on_record = await held.hold(new_answer(read_answers([answer])[0], card, due))
            if become["state"] == "done":
                await held.take_due()
                await held.end(on_record.id, AnswerState.done)
                self.cards = [each for each in self.cards if each is not card or self.is_behind]
            become = answer_json(await held.get(on_record.id))
        return {"thread": answer["thread"], "interrupt": answer["interrupt"], **become}

    def threads(self) -> list[dict[str, Any]]:
        """What the server would find."""
        return [
            {
                "thread_id": card.thread_id,
                "status": "interrupted",
                "metadata": {"graph_id": card.graph},
                "created_at": card.waits_since,
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
    built = Container(load_settings(settings, folder), is_server=True)

    async def container() -> Container:
        return built

    async def search(**asked: Any) -> list[dict[str, Any]]:
        return desk.threads()[asked["offset"] : asked["offset"] + asked["limit"]]

    async def client() -> Any:
        return SimpleNamespace(threads=SimpleNamespace(search=search))

    services = PageServices(container, client)
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
    async def give(request: Request) -> Response:
        held = await services.releasing.answers()
        return JSONResponse([await desk.take(each, held) for each in await request.json()])

    async def undo(request: Request) -> Response:
        desk.undone.append(request.path_params["id"])
        answer = await (await services.releasing.answers()).undo(request.path_params["id"])
        state = answer.state if answer.state is AnswerState.undone else "too_late"
        return JSONResponse({"id": answer.id, "state": state, "became": answer.state})

    async def events(_: Request) -> Response:
        await asyncio.sleep(0)
        return Response(": nothing yet\n\n", media_type="text/event-stream")

    return [
        Route("/review/answers", give, methods=["POST"]),
        Route("/review/answers/{id}", undo, methods=["DELETE"]),
        Route("/review/events", events, methods=["GET"]),
    ]

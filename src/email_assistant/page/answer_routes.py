"""`/review/answers`: answers are taken in, held, taken back and listed."""

import asyncio
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.app.container import Container
from email_assistant.errors import ProviderError
from email_assistant.journal.held_answers import AnswerState, HeldAnswer, NewAnswer
from email_assistant.page.answers import (
    GivenAnswer,
    answer_json,
    approved,
    as_agent_inbox,
    read_answers,
    refusal,
)
from email_assistant.page.door import json_body
from email_assistant.page.meeting import new_collisions, proposed
from email_assistant.page.services import PageServices
from email_assistant.review.action import ACCEPT, EDIT
from email_assistant.review.kinds import kind_or_unknown
from email_assistant.review.waiting import WaitingCard, waiting_cards

PATH = "/review/answers"
WAIT_SECONDS = 30.0
"""How long a request waits for what is done at once; then it is told as working."""
TOLD_FOR = timedelta(hours=24)
"""How long an answer is listed."""


def answer_routes(page: PageServices) -> list[Route]:
    """What the page's script calls."""

    async def give(request: Request) -> Response:
        """Each answer with what became of it; none stops another, and nothing is rolled back."""
        return JSONResponse(await _given(page, read_answers(await json_body(request, list))))

    async def listed(_: Request) -> Response:
        held = await page.releasing.answers()
        return JSONResponse([answer_json(each) for each in await held.since(held.clock.now() - TOLD_FOR)])

    async def take_back(request: Request) -> Response:
        answer = await (await page.releasing.answers()).undo(request.path_params["id"])
        if answer.state is AnswerState.undone:
            return JSONResponse({"id": answer.id, "state": "undone"})
        if why := await taken_back(await page.container(), answer):
            await (await page.releasing.answers()).taken_back(answer.id, why)
            return JSONResponse({"id": answer.id, "state": "undone", "why": why})
        at = answer.ended_at or answer.begun_at or answer.due
        return JSONResponse(
            {"id": answer.id, "state": "too_late", "done_at": at.isoformat(), "became": answer.state}
        )

    async def at_once(request: Request) -> Response:
        answer = await (await page.releasing.answers()).hurry(request.path_params["id"])
        page.releasing.wake()
        return JSONResponse(answer_json(await page.releasing.until_ended(answer.id, WAIT_SECONDS)))

    return [
        Route(PATH, give, methods=["POST"]),
        Route(PATH, listed, methods=["GET"]),
        Route(PATH + "/{id}", take_back, methods=["DELETE"]),
        Route(PATH + "/{id}/now", at_once, methods=["POST"]),
    ]


async def _given(page: PageServices, given: Sequence[GivenAnswer]) -> list[dict[str, Any]]:
    cards = {card.thread_id: card for card in await waiting_cards(await page.client())}
    taken = [await _taken(page, each, cards.get(each.thread_id)) for each in given]
    page.releasing.wake()
    return await asyncio.gather(*(_became(page, each) for each in taken))


async def _taken(
    page: PageServices, given: GivenAnswer, card: WaitingCard | None
) -> dict[str, Any] | HeldAnswer:
    """The answer on record, or why it does not count."""
    named, refused = {"thread": given.thread_id, "interrupt": given.interrupt_id}, refusal(given, card)
    if refused or card is None:
        return named | (refused or {})
    built, held = await page.container(), await page.releasing.answers()
    if collides := await _collides(built, given, card):
        return named | collides
    due = held.clock.now() + timedelta(seconds=built.settings.hold_seconds if card.kind.held else 0)
    answer = await held.hold(new_answer(given, card, due))
    if dict(answer.answer) != as_agent_inbox(given, card):
        why = "You have answered this card already: take that back first."
        return named | {"state": "elsewhere", "why": why, "id": answer.id, "due": answer.due.isoformat()}
    return answer


async def _collides(built: Container, given: GivenAnswer, card: WaitingCard) -> dict[str, Any]:
    """What is in the way of a meeting by now, which the person has not been shown; they may be sure all the same."""
    zone = built.settings.timezone
    event = proposed(card, approved(given, card), zone) if given.type in {ACCEPT, EDIT} else None
    if event is None or given.sure:
        return {}
    try:
        found = await new_collisions(card, event, built.calendar, zone)
    except ProviderError as error:
        return {"state": "not_taken", "why": f"The calendar cannot be read: {error}"}
    if not found:
        return {}
    return {"state": "collides", "with": found, "why": f"{found[0]['title']} is at that time."}


def new_answer(given: GivenAnswer, card: WaitingCard, due: datetime) -> NewAnswer:
    """The answer as it is held until it is due."""
    facts = card.facts
    named = {
        "type": given.type,
        "kind": facts.kind,
        "title": card.title,
        "who": facts.sender or facts.address,
        "subject": facts.subject,
    }
    answer = as_agent_inbox(given, card)
    return NewAnswer(uuid.uuid4().hex, card.thread_id, card.interrupt_id, card.digest, answer, named, due)


async def _became(page: PageServices, taken: dict[str, Any] | HeldAnswer) -> dict[str, Any]:
    """What is due at once is waited for."""
    if not isinstance(taken, HeldAnswer):
        return taken
    if taken.due <= taken.given_at:
        taken = await page.releasing.until_ended(taken.id, WAIT_SECONDS)
    return answer_json(taken)


async def taken_back(built: Container, answer: HeldAnswer) -> str:
    """What was undone, for a person; "" when this cannot be."""
    shown, undo = answer.shown, kind_or_unknown(str(answer.shown.get("kind"))).undo
    if undo is None or answer.state is not AnswerState.done or shown.get("type") not in {ACCEPT, EDIT}:
        return ""
    for record in await built.mail_log.by_run_thread(answer.run_thread_id):
        if record.claimed_at is None or record.claimed_at <= answer.given_at:
            return await undo(built.mailbox, record.message_id, answer.answer["args"]["args"])
    return ""

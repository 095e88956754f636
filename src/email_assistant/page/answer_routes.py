"""`/review/answers`: answers are checked, given to their cards, asked after, and what they did is taken back."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from email_assistant.app.accounts import AccountDeps
from email_assistant.app.assistant import AppDeps
from email_assistant.errors import NotFoundError, ProviderError
from email_assistant.journal.records import DEFERRED
from email_assistant.journal.traces import GivenEntry
from email_assistant.page.answering import AnswerOutcome, AnswerState, Resuming
from email_assistant.page.answers import (
    GivenAnswer,
    approved,
    as_agent_inbox,
    named_json,
    of_card,
    on_record,
    outcome_json,
    read_answers,
    refusal,
)
from email_assistant.page.door import json_body
from email_assistant.page.meeting import new_collisions, proposed
from email_assistant.page.services import PageServices
from email_assistant.page.texts import clock_time
from email_assistant.review.action import ACCEPT, EDIT
from email_assistant.review.kinds import kind_or_unknown
from email_assistant.review.waiting import WaitingCard, waiting_cards

PATH = "/review/answers"
WAIT_SECONDS = 30.0
"""How long a request waits for what it does; then that is told as working."""
AnswerJson = dict[str, Any]
Cards = Mapping[str, WaitingCard]


def answer_routes(page: PageServices) -> list[Route]:
    """What the page's script calls."""

    def for_each(handle: Callable[[PageServices, GivenAnswer, Cards], Awaitable[AnswerJson]]) -> Any:
        """Each answer with what is told of it; none stops another, and nothing is rolled back."""

        async def answered(request: Request) -> Response:
            given = read_answers(await json_body(request, list))
            waiting = await waiting_cards(await page.client(), (await page.deps()).trace)
            cards = {card.thread_id: card for card in waiting}
            every = await asyncio.gather(*(handle(page, each, cards) for each in given))
            return JSONResponse([_named(each) | one for each, one in zip(given, every, strict=True)])

        return answered

    async def became(request: Request) -> Response:
        asked = request.path_params
        outcome = await page.answering.became(asked["thread"], asked["id"])
        if outcome is None:
            raise NotFoundError("No answer of that id was given to its card.")
        return JSONResponse({"id": asked["id"], **outcome_json(outcome)})

    async def take_back(request: Request) -> Response:
        thread, answer_id = request.path_params["thread"], request.path_params["id"]
        deps = await page.deps()
        entry = await deps.trace.given_answer(thread, answer_id)
        if entry is None:
            raise NotFoundError("No answer of that id was given to its card.")
        if entry.is_undone:
            return JSONResponse({"id": answer_id, "state": AnswerState.undone})
        if why := await taken_back(deps, entry):
            await deps.trace.answer_undone(entry)
            return JSONResponse({"id": answer_id, "state": AnswerState.undone, "why": why})
        done_at = clock_time(entry.at.astimezone(ZoneInfo(deps.settings.timezone)))
        return JSONResponse({"id": answer_id, "state": "too_late", "done_at": done_at})

    return [
        Route(PATH, for_each(_given), methods=["POST"]),
        Route(PATH + "/check", for_each(_checked), methods=["POST"]),
        Route(PATH + "/{thread}/{id}", became, methods=["GET"]),
        Route(PATH + "/{thread}/{id}", take_back, methods=["DELETE"]),
    ]


def _named(given: GivenAnswer) -> AnswerJson:
    return {"id": given.id, "thread": given.thread_id, "interrupt": given.interrupt_id}


async def _checked(page: PageServices, given: GivenAnswer, cards: Cards) -> AnswerJson:
    """Why the answer would not count now; else how long it is held before it is given, and how it is named."""
    card, deps = cards.get(given.thread_id), await page.deps()
    refused = refusal(given, card)
    if refused or card is None:
        return refused or {}
    if collides := await _collides(deps, given, card):
        return collides
    hold = deps.settings.hold_seconds if card.kind.held else 0
    return {"state": "held", "hold": hold, **named_json(given, card)}


async def _given(page: PageServices, given: GivenAnswer, cards: Cards) -> AnswerJson:
    """What became of the answer: of one that was given before, what became of that."""
    card = cards.get(given.thread_id)

    async def doing(resuming: Resuming) -> AnswerOutcome:
        if entry := await resuming.deps.trace.given_answer(given.thread_id, given.id):
            return await resuming.outcome(entry.thread_id, entry.decision, entry.title, entry.at)
        refused = refusal(given, card) or (card and await _collides(resuming.deps, given, card))
        if refused or card is None:
            not_taken.update(refused or {})
            return AnswerOutcome(AnswerState.not_taken)
        return await resuming.resume(card, as_agent_inbox(given, card))

    not_taken: AnswerJson = {}
    outcome = await page.answering.give(given.id, WAIT_SECONDS, doing)
    return not_taken or outcome_json(outcome, of_card(given, card) if card else None)


async def _collides(deps: AccountDeps, given: GivenAnswer, card: WaitingCard) -> AnswerJson:
    """What is in the way of a meeting by now, which the person has not been shown; they may be sure all the same."""
    zone = deps.settings.timezone
    event = proposed(card, approved(given, card), zone) if given.type in {ACCEPT, EDIT} else None
    if event is None or given.sure:
        return {}
    try:
        found = await new_collisions(card, event, deps.calendar, zone)
    except ProviderError as error:
        return {"state": "not_taken", "why": f"The calendar cannot be read: {error}"}
    if not found:
        return {}
    return {"state": "collides", "with": found, "why": f"{found[0]['title']} is at that time."}


async def taken_back(deps: AppDeps, entry: GivenEntry) -> str:
    """What was undone, for a person; "" when this cannot be."""
    answer = on_record(entry)
    undo = kind_or_unknown(answer.kind).undo
    if undo is None or entry.failure or not answer.is_approval:
        return ""
    for record in await deps.mail_log.by_run_thread(entry.thread_id.removeprefix(DEFERRED)):
        if record.claimed_at is None or record.claimed_at <= entry.at:
            return await undo(deps.mailbox, record.message_id, dict(answer.args))
    return ""

"""Promises about two people, or two tabs, at one card: an approval counts for the asking that was read, and for no other."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pytest
from langgraph.types import Command
from langgraph_sdk.client import LangGraphClient

from email_assistant.cli.answering import plain_answer
from email_assistant.mail.message import Message
from email_assistant.page.answers import GivenAnswer, as_agent_inbox, refusal
from email_assistant.review.waiting import WaitingCard, run_card
from email_assistant.server.run_door import bound
from eval.mails import received
from eval.workbench import config_for
from tests.contract.workflow_answers_contract import DEFERRED
from tests.contract.workflow_once_contract import Elsewhere
from tests.contract.workflow_times_contract import DENTIST, OFFERS
from tests.support.meetings import occupy
from tests.support.workflows import ACCEPT, BARE, LETTER, Bench, echoed, edited


@dataclass(frozen=True)
class Tab:
    """One person's view of a card, as it was when they opened it; answers are bound to what waits when they are given."""

    bench: Bench
    message: Message
    seen: WaitingCard
    row: Mapping[str, Any]

    async def inbox(self) -> object:
        """Accept in Agent Inbox: the card's title and fields."""
        return bound(echoed(self._request), await row_of(self.bench, self.message))

    async def edit(self) -> object:
        """Edit in Agent Inbox something that is not at issue."""
        return bound(edited(self._request, cc="bo@example.org"), await row_of(self.bench, self.message))

    async def bare(self) -> object:
        """Accept over HTTP, without the card; it arrives before the card is asked again."""
        return bound(BARE, self.row)

    async def page(self) -> object:
        """Accept on the page, which takes answers to what it shows alone."""
        shown = self.seen
        given = GivenAnswer("a" * 32, shown.thread_id, shown.interrupt_id, shown.digest, "accept")
        now = await _waiting(await row_of(self.bench, self.message))
        return None if refusal(given, now) else {shown.interrupt_id: [as_agent_inbox(given, shown)]}

    async def terminal(self) -> object:
        """Accept in the terminal, which looks whether the card is the one that it has shown."""
        now = await _waiting(await row_of(self.bench, self.message))
        is_it = now and (now.interrupt_id, now.digest) == (self.seen.interrupt_id, self.seen.digest)
        return {self.seen.interrupt_id: [plain_answer(self.seen, "accept")]} if is_it else None

    @property
    def _request(self) -> dict[str, Any]:
        return {"action_request": {"action": self.seen.title, "args": self.seen.args}}


Gives = Callable[[Tab], Awaitable[object]]
AFTER, AT_ONCE = False, True
WAYS: Mapping[str, tuple[Gives, Gives, bool]] = {
    "page, then page": (Tab.page, Tab.page, AFTER),
    "page, then Agent Inbox": (Tab.page, Tab.inbox, AFTER),
    "Agent Inbox, then Agent Inbox": (Tab.inbox, Tab.inbox, AFTER),
    "Agent Inbox, and bare HTTP while that is at work": (Tab.inbox, Tab.bare, AT_ONCE),
    "bare HTTP, and bare HTTP while that is at work": (Tab.bare, Tab.bare, AT_ONCE),
    "terminal, then page": (Tab.terminal, Tab.page, AFTER),
    "bare HTTP, then terminal": (Tab.bare, Tab.terminal, AFTER),
    "Agent Inbox, then an edit": (Tab.inbox, Tab.edit, AFTER),
    "Agent Inbox twice at one moment": (Tab.inbox, Tab.inbox, AT_ONCE),
}


async def elsewhere(bench: Bench, name: str) -> Message:
    """Another run thread has answered the mail since the card was drawn."""
    await bench.invents(LETTER)
    message, _ = await bench.to_reply(_case(bench, name))
    other = Elsewhere(bench, message, f"elsewhere-{name}")
    await other.up_to_reply()
    await other.answer(ACCEPT)
    return message


async def newer(bench: Bench, name: str) -> Message:
    """Its sender has written again since."""
    await bench.invents(LETTER)
    message, _ = await bench.to_reply(_case(bench, name))
    await _written_again(bench, message, name)
    return message


OFFERED = "We could have a call on Thursday 26 November 2026 at 10:00."


async def taken(bench: Bench, name: str) -> Message:
    """The hour that the text offers has been taken since."""
    await bench.invents(OFFERS.format("10:00"))
    case = _case(bench, name)
    # Named by the mail, so that it is no gap where facts from nowhere become one.
    message, _ = await bench.to_reply(case | {"text": f"{case['text']}\n\n{OFFERED}"})
    await occupy(bench, DENTIST)
    return message


FINDINGS: Mapping[Callable[[Bench, str], Awaitable[Message]], str] = {
    elsewhere: "A reply to this message was sent on ",
    newer: "A newer message from ",
    taken: "Your calendar has Dentist at this time",
}
"""What is found when a card is accepted, and what its first line then says."""


class TwoTabsContract:
    """Whoever accepts a card without its warning is shown the warning, whatever somebody else has accepted meanwhile."""

    @pytest.mark.parametrize("way", WAYS)
    async def test_an_accept_counts_for_the_asking_that_was_read(self, bench: Bench, way: str) -> None:
        """Neither of two accepts of the first asking sends anything; one of the asking that says why does, once."""
        for number, (finding, reason) in enumerate(FINDINGS.items()):
            message = await finding(bench, f"tabs{number}")
            before = len(await bench.sent())
            await _both(bench, message, *WAYS[way])
            assert len(await bench.sent()) == before, (finding.__name__, "sent unread")
            read = await _until_sent(bench, message)
            assert reason in read, finding.__name__
            assert len(await bench.sent()) == before + 1

    async def test_the_reason_stays_whatever_else_is_answered(self, bench: Bench) -> None:
        """Neither an answer to the card as it was, nor one that is not understood, takes it from the first line."""
        message = await elsewhere(bench, "stays")
        first = await bench.card(message)
        assert first is not None
        again = await bench.answer(message, echoed(first))
        for wrong in (echoed(first), "yes", [{"type": "accept", "args": {"action": "x", "args": {}}}]):
            again = await bench.answer(message, wrong)
            assert again is not None
            assert "A reply to this message was sent on " in _first_line(again)
        assert len(await bench.sent()) == 1
        assert await bench.answer(message, echoed(again)) is None

    async def test_what_was_read_before_is_told_again_with_what_is_new(self, bench: Bench) -> None:
        """Whoever is asked next has perhaps not read it."""
        message = await elsewhere(bench, "both")
        await bench.answer(message, ACCEPT)
        await _written_again(bench, message, "both")
        again = await bench.answer(message, ACCEPT)
        assert again is not None
        for reason in ("A reply to this message was sent on ", "A newer message from "):
            assert reason in _first_line(again)

    async def test_an_ignore_that_names_another_card_is_refused(self, bench: Bench) -> None:
        """The page and the terminal name the card with it; the one that took its place still waits."""
        message, first = await bench.to_reply()
        redrawn = await bench.answer(message, [{"type": "response", "args": "Shorter, please."}])
        redrawn = await bench.up_to_reply(message, redrawn)
        for args in (first["action_request"], {"action": first["action_request"]["action"]}):
            again = await bench.answer(message, [{"type": "ignore", "args": args}])
            assert again is not None
            assert again["action_request"] == redrawn["action_request"]
            assert _first_line(again).startswith("That answer was for another card")
        kept = await bench.answer(message, [{"type": "ignore", "args": redrawn["action_request"]}])
        assert kept is None or kept["action_request"] != redrawn["action_request"]


async def row_of(bench: Bench, message: Message) -> Mapping[str, Any]:
    """The thread as the server lists it."""
    state = await bench.graph.aget_state(config_for(message))
    asked = [{"id": each.id, "value": each.value} for each in state.interrupts]
    return {
        "thread_id": config_for(message)["configurable"]["thread_id"],
        "status": "interrupted" if asked else "idle",
        "metadata": {"graph_id": bench.workflow.graph},
        "interrupts": {"task": asked} if asked else {},
    }


@dataclass(frozen=True)
class _Listing:
    """The server as far as one thread is listed."""

    row: Mapping[str, Any]

    @property
    def threads(self) -> "_Listing":
        return self

    async def get(self, thread_id: str) -> Mapping[str, Any]:
        return self.row


async def _waiting(row: Mapping[str, Any]) -> WaitingCard | None:
    return await run_card(cast(LangGraphClient, _Listing(row)), str(row["thread_id"]))


async def _both(bench: Bench, message: Message, one: Gives, other: Gives, at_once: bool) -> None:
    """Both people open the card; the second answers when the first's answer is given, or when it is dealt with."""
    row = await row_of(bench, message)
    seen = await _waiting(row)
    assert seen is not None
    tab = Tab(bench, message, seen, row)
    first = await one(tab)
    second = await other(tab) if at_once else None
    await _run(bench, message, first)
    await _run(bench, message, second if at_once else await other(tab))


async def _run(bench: Bench, message: Message, answer: object) -> None:
    if answer is not None:
        await bench.graph.ainvoke(Command(resume=answer), config_for(message))


async def _until_sent(bench: Bench, message: Message) -> str:
    """Accept what is shown until it is done; the first line of the card that was accepted last."""
    read = ""
    for _ in range(3):
        card = await bench.card(message)
        if card is None:
            return read
        read = _first_line(card)
        await bench.answer(message, echoed(card))
    raise AssertionError("accepted three times, and it still waits")


async def _written_again(bench: Bench, message: Message, name: str) -> None:
    """A newer message of the conversation, which nobody has looked at yet."""
    headers = {"In-Reply-To": message.message_id, "References": message.message_id}
    await received(bench.house, {**_case(bench, f"{name}.again"), "headers": headers, "date": DEFERRED})


def _first_line(card: Mapping[str, Any]) -> str:
    return str(card["description"]).replace("\\", "").splitlines()[0]


def _case(bench: Bench, name: str) -> dict[str, Any]:
    case = dict(bench.workflow.case)
    return case | {"id": name, "subject": f"{case['subject']} {name.partition('.')[0]}"}

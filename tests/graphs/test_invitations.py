"""Calendar mail through the graphs: the card, the calendar after it, and what was sent."""

import email.policy
from dataclasses import replace
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.app.graphs import graph_of
from email_assistant.calendars.event import Event, Partstat
from email_assistant.errors import InputError
from email_assistant.workflow_registry import NAMES
from tests.servers.other_readers import understood
from tests.support.calendar_mail import (
    ACCEPT,
    BO,
    HOUR,
    IGNORE,
    MINE,
    TEN,
    UID,
    invitation,
    known,
    plain,
    there,
    until_invitation,
)
from tests.support.desk import Desk

LOCAL = pytest.mark.parametrize("on_either_calendar", ["ics"], indirect=True)
"""Of tests that write into the calendar's file, or in which no calendar has a part."""


@pytest.fixture
def assistant(on_either_calendar: Desk) -> Desk:
    """An assistant without a model."""
    return on_either_calendar


def at_work(assistant: Desk, graph: str) -> Desk:
    """The same with another graph."""
    made = graph_of(assistant.house, graph, checkpointer=InMemorySaver(), store=assistant.store)
    return replace(assistant, graph=made)


def forgetful(assistant: Desk) -> Desk:
    """The same with nothing left of any thread."""
    return at_work(assistant, "email_assistant")


async def replies(assistant: Desk) -> list[tuple[str, str]]:
    """What was sent: to whom, and its calendar part, unfolded."""
    found = []
    for sent in await assistant.sent():
        whole = message_from_bytes(bytes(sent), policy=email.policy.default)
        (part,) = [each for each in whole.walk() if each.get_content_type() == "text/calendar"]
        found.append((str(whole["to"]), part.get_content().replace("\r\n", "\n").replace("\n ", "")))
        assert part.get_param("method") == "REPLY"
    return found


@pytest.mark.parametrize("graph", NAMES)
async def test_every_graph_asks_and_answers_once(assistant: Desk, graph: str) -> None:
    """One card; on approval one event under its own UID and one answer, from the right guest to the organizer."""
    worker = at_work(assistant, graph)
    message, card = await until_invitation(worker, invitation())
    assert card["action_request"]["action"].startswith("Invitation: Budget")
    assert card["action_request"]["args"] == {"answer": "accepted", "comment": ""}
    assert all(card["config"].values())
    for told in ("Thu 26 Nov 10:00 to 11:00 (Europe/Berlin)", "Room 5", "Invited by Ana"):
        assert told in plain(card)
    assert "#### What else happens\n- ana@example.com gets your answer by mail.\n" in plain(card)
    assert card["view"]["effects"] == ["ana@example.com gets your answer by mail."]
    assert (await there(worker), await worker.sent()) == (None, [])
    assert await worker.answer(message, ACCEPT) is None
    event = await there(worker)
    assert event is not None
    assert (event.partstat_of(MINE), event.partstat_of(BO.key), event.sequence) == (
        Partstat.ACCEPTED, Partstat.ACCEPTED, 1,
    )  # fmt: skip
    ((to, reply),) = await replies(worker)
    assert "ana@example.com" in to
    for line in ("METHOD:REPLY", f"UID:{UID}", "SEQUENCE:1"):
        assert line in reply.splitlines()
    assert reply.count("ATTENDEE") == 1
    assert f"PARTSTAT=ACCEPTED:mailto:{MINE}" in reply
    assert "RECURRENCE-ID" not in reply
    assert len(await worker.house.calendar.events(TEN, TEN + HOUR)) == 1


@LOCAL
async def test_an_event_whose_hours_nobody_knows_may_be_in_the_way(assistant: Desk) -> None:
    """The card does not call the time free; one that came after the card is asked about, and the answer goes out all the same."""
    worker = assistant
    calendar = Path(worker.house.calendar.name.removeprefix("ics:"))
    await with_unreadable(worker, calendar, "Board")
    message, card = await until_invitation(worker, invitation())
    assert "Nobody knows whether Board in your calendar is at this time" in plain(card)
    assert "free in your calendar" not in plain(card)
    await with_unreadable(worker, calendar, "Audit")
    asked = await worker.answer(message, ACCEPT)
    assert asked is not None
    assert "When Board, Audit in your calendar is cannot be read." not in plain(asked)
    assert "When Audit in your calendar is cannot be read." in plain(asked)
    assert await worker.sent() == []
    assert await worker.answer(message, ACCEPT) is None
    assert len(await worker.sent()) == 1


async def with_unreadable(worker: Desk, calendar: Path, title: str) -> None:
    """An event in the calendar's file whose start cannot be read."""
    if not calendar.exists():
        lunch = Event("lunch", "Lunch", TEN - 24 * HOUR, TEN - 23 * HOUR)
        await worker.house.calendar.create(lunch)
    bad = f"BEGIN:VEVENT\r\nUID:{title}\r\nSUMMARY:{title}\r\nDTSTART:soon\r\nEND:VEVENT\r\n".encode()
    calendar.write_bytes(calendar.read_bytes().replace(b"END:VCALENDAR", bad + b"END:VCALENDAR"))


async def test_an_edit_declines_with_words(assistant: Desk) -> None:
    """The event leaves its time free, and the words go along; what is no answer is asked again."""
    message, card = await until_invitation(assistant, invitation())
    title = card["action_request"]["action"]

    def edit(answer: str) -> list[dict[str, Any]]:
        args = {"answer": answer, "comment": "I am away."}
        return [{"type": "edit", "args": {"action": title, "args": args}}]

    again = await assistant.answer(message, edit("perhaps"))
    assert again is not None
    assert "accepted, tentative or declined" in again["description"]
    assert await assistant.answer(message, edit("declined")) is None
    event = await there(assistant)
    assert event is not None
    assert (event.partstat_of(MINE), event.busy) == (Partstat.DECLINED, False)
    ((_, reply),) = await replies(assistant)
    assert "PARTSTAT=DECLINED" in reply
    assert "I am away." in bytes((await assistant.sent())[0]).decode()


@LOCAL
@pytest.mark.parametrize("graph", NAMES)
@pytest.mark.parametrize(
    ("words", "args", "line"),
    [
        ("decline and say I am away", {"answer": "declined", "comment": "I am away"}, "COMMENT:I am away"),
        ("Please accept.", {"answer": "accepted", "comment": ""}, "PARTSTAT=ACCEPTED"),
        (
            "propose Friday 10:00 instead",
            {
                "answer": "tentative",
                "comment": "",
                "proposed": "2026-11-27T10:00:00+01:00/2026-11-27T11:00:00+01:00",
            },
            "DTSTART:20261127T090000Z",
        ),
    ],
)
async def test_words_are_followed_and_what_will_be_sent_is_shown(
    assistant: Desk, graph: str, words: str, args: dict[str, str], line: str
) -> None:
    """An instruction is carried out, and never sent; nothing leaves before the card that shows it is accepted."""
    worker = at_work(assistant, graph)
    message, _ = await until_invitation(worker, invitation())
    card = await worker.answer(message, [{"type": "response", "args": words}])
    assert card is not None
    assert card["action_request"]["args"] == args
    assert "gets your answer by mail: “Robin Vale " in plain(card)
    assert await worker.sent() == []
    assert await worker.answer(message, [{"type": "accept", "args": card["action_request"]}]) is None
    (sent,) = await worker.sent()
    whole = message_from_bytes(bytes(sent), policy=email.policy.default)
    (part,) = [each for each in whole.walk() if each.get_content_type() == "text/calendar"]
    text = part.get_content().replace("\r\n", "\n").replace("\n ", "")
    assert line in text
    assert part.get_param("method") == understood(part.get_content())["method"]
    assert part.get_param("method") == ("COUNTER" if "proposed" in args else "REPLY")
    assert words not in bytes(sent).decode()


@LOCAL
@pytest.mark.parametrize("graph", NAMES)
@pytest.mark.parametrize("words", ["do not decline", "move my dentist"])
async def test_words_that_are_not_understood_are_asked_about(assistant: Desk, graph: str, words: str) -> None:
    """The card comes again as it was, and says so; the words are sent to nobody."""
    worker = at_work(assistant, graph)
    message, first = await until_invitation(worker, invitation())
    card = await worker.answer(message, [{"type": "response", "args": words}])
    assert card is not None
    assert f"These words were not understood, and nothing was sent: “{words}”." in plain(card)
    assert card["action_request"]["args"] == first["action_request"]["args"]
    assert await worker.sent() == []


async def test_who_only_claims_to_be_the_organizer_is_named(assistant: Desk) -> None:
    """A cancellation from somebody else is a card that says so; nothing is done by itself."""
    await known(assistant)
    forged = invitation(
        method="CANCEL",
        organizer="ORGANIZER:mailto:eve@evil.example",
        sender="Eve <eve@evil.example>",
        sequence=2,
    )
    _, card = await until_invitation(assistant, forged)
    assert "claims to be from ana@example.com" in plain(card)
    event = await there(assistant)
    assert event is not None
    assert not event.cancelled


class Killed(BaseException):
    """The process ends here."""


async def killed(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch, message: Any, *step: str, answer: Any = ACCEPT
) -> None:
    """Answer the card, and die before or after a call."""
    part, name, when = step
    owner = getattr(assistant.house, part)
    real = getattr(owner, name)

    async def dying(*args: Any, **options: Any) -> Any:
        if when == "after":
            await real(*args, **options)
        raise Killed

    with monkeypatch.context() as dying_here:
        dying_here.setattr(owner, name, dying)
        with pytest.raises(Killed):
            await assistant.answer(message, answer)


async def went_on(assistant: Desk, message: Any, *, forgets: bool, answer: Any = ACCEPT) -> None:
    """What follows a death; with `forgets` the mail is taken up anew, and a card that comes again is answered as before."""
    if not forgets:
        assert await assistant.resume(message) is None
    elif await (anew := forgetful(assistant)).start(message):
        assert await anew.answer(message, answer) is None
    assert await assistant.house.outbox.pending() == []


STEPS = [
    ("calendar", "put", "after"), ("calendar", "answer", "before"), ("calendar", "answer", "after"), ("mailbox", "send_draft", "after"),
]  # fmt: skip


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize(
    ("on_either_calendar", "step"),
    [*(("ics", step) for step in STEPS), *(("google", step) for step in STEPS if step[0] == "calendar")],
    indirect=["on_either_calendar"],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
async def test_whoever_is_killed_while_answering_answers_once(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch, step: tuple[str, ...], forgets: bool
) -> None:
    """At each step: afterwards there is one event, with the answer that was given, and one mail that says so."""
    message, card = await until_invitation(assistant, invitation())
    declining = {**card["action_request"], "args": {"answer": "declined", "comment": "I am away."}}
    answer = [{"type": "edit", "args": declining}]
    await killed(assistant, monkeypatch, message, *step, answer=answer)
    await went_on(assistant, message, forgets=forgets, answer=answer)
    event = await there(assistant)
    assert event is not None
    assert event.partstat_of(MINE) is Partstat.DECLINED
    assert len(await assistant.house.calendar.events(TEN, TEN + HOUR)) == 1
    ((_, reply),) = await replies(assistant)
    assert "PARTSTAT=DECLINED" in reply
    assert "I am away." in bytes((await assistant.sent())[0]).decode()
    assert await assistant.drafts() == []


async def test_what_is_at_that_time_by_now_is_asked_about(assistant: Desk) -> None:
    """Once; accepted again it is done."""
    message, card = await until_invitation(assistant, invitation())
    assert "The time is free" in card["description"]
    await assistant.house.calendar.create(Event("other", "Dentist", TEN, TEN + HOUR))
    again = await assistant.answer(message, ACCEPT)
    assert again is not None
    assert "Dentist" in again["description"]
    assert await assistant.sent() == []
    assert await assistant.answer(message, ACCEPT) is None
    assert len(await replies(assistant)) == 1


async def test_a_calendar_that_cannot_take_it_says_so(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card comes back with the reason; no mail leaves."""
    message, _ = await until_invitation(assistant, invitation())

    async def refuses(event: Event) -> Event:
        raise InputError("'recurrence' cannot be written")

    monkeypatch.setattr(assistant.house.calendar, "put", refuses)
    again = await assistant.answer(message, ACCEPT)
    assert again is not None
    assert "cannot be written" in again["description"]
    assert await assistant.sent() == []


@LOCAL
async def test_what_is_said_of_the_senders_clock(assistant: Desk) -> None:
    """By the user's clock, and by the sender's where that is another one."""
    zone = ';TZID="(UTC-05:00) Eastern Time (US & Canada)":20261126T090000'
    _, card = await until_invitation(assistant, invitation(start=zone))
    assert "15:00 to 16:00 (Europe/Berlin), there Thu 26 Nov 09:00 to 10:00 (America/New_York)" in plain(card)


@pytest.mark.parametrize("graph", ["email_assistant", "inbox_organizer"])
async def test_no_step_blocks_the_event_loop(assistant: Desk, graph: str) -> None:
    """From the mail to the answer, as the development server demands."""
    worker = at_work(assistant, graph)
    message = await worker.receive(invitation(start=";TZID=Asia/Tokyo:20261126T180000"))
    await worker.house.calendar.events(TEN, TEN + HOUR)
    with blockbuster_ctx("email_assistant.tools"):
        card = await worker.start(message)
        while card and card["action_request"]["action"].startswith("Label"):
            card = await worker.answer(message, IGNORE)
        assert await worker.answer(message, ACCEPT) is None
    assert len(await replies(worker)) == 1

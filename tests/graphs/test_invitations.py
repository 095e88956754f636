"""Calendar mail through the graphs: the card, the calendar after it, and what was sent."""

import email.policy
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from langgraph.checkpoint.memory import InMemorySaver

from email_assistant.calendars.event import Event, Partstat
from email_assistant.errors import InputError
from email_assistant.mail.address import Address
from email_assistant.workflow_registry import NAMES
from tests.servers.calendar_reader import understood
from tests.support.calendar_mail import (
    ACCEPT,
    ANA,
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
    made = assistant.house.graph(graph, checkpointer=InMemorySaver(), store=assistant.store)
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
@pytest.mark.parametrize("graph", NAMES)
async def test_an_event_whose_hours_nobody_knows_may_be_in_the_way(assistant: Desk, graph: str) -> None:
    """The card does not call the time free; one that came after the card is asked about, and the answer goes out all the same."""
    worker = at_work(assistant, graph)
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


@LOCAL
@pytest.mark.parametrize("graph", NAMES)
async def test_nothing_happens_when_it_is_dismissed(assistant: Desk, graph: str) -> None:
    """No event, no mail."""
    worker = at_work(assistant, graph)
    message, _ = await until_invitation(worker, invitation())
    assert await worker.answer(message, IGNORE) is None
    assert (await there(worker), await worker.sent()) == (None, [])


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
@pytest.mark.parametrize("graph", ["email_assistant", "inbox_organizer", "reply_pipeline"])
async def test_words_make_another_card(assistant: Desk, graph: str) -> None:
    """What is said is shown as answer and words before anything is done."""
    worker = at_work(assistant, graph)
    message, _ = await until_invitation(worker, invitation())
    card = await worker.answer(message, [{"type": "response", "args": "No, I am away that day."}])
    assert card is not None
    assert card["action_request"]["args"] == {"answer": "declined", "comment": "No, I am away that day."}
    assert await worker.sent() == []
    named = {"type": "accept", "args": card["action_request"]}
    assert await worker.answer(message, [named]) is None
    ((_, reply),) = await replies(worker)
    assert "PARTSTAT=DECLINED" in reply


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
@pytest.mark.parametrize(
    "words", ["decline politely", "do not decline", "propose a better time", "move my dentist"]
)
async def test_words_that_are_not_understood_are_asked_about(assistant: Desk, graph: str, words: str) -> None:
    """The card comes again as it was, and says so; the words are sent to nobody."""
    worker = at_work(assistant, graph)
    message, first = await until_invitation(worker, invitation())
    card = await worker.answer(message, [{"type": "response", "args": words}])
    assert card is not None
    assert f"These words were not understood, and nothing was sent: “{words}”." in plain(card)
    assert card["action_request"]["args"] == first["action_request"]["args"]
    assert await worker.sent() == []


async def test_a_move_shows_the_difference_and_is_answered_anew(assistant: Desk) -> None:
    """The card says what was and what is; one event, one more answer, with the new revision."""
    await known(assistant)
    message, card = await until_invitation(assistant, invitation(sequence=2, start=":20261126T130000Z"))
    assert "10:00 to 11:00; it is now Thu 26 Nov 14:00 to 15:00" in card["description"].replace("\\", "")
    before = await there(assistant)
    assert before is not None
    assert before.start == TEN
    assert await assistant.answer(message, ACCEPT) is None
    event = await there(assistant)
    assert event is not None
    assert (event.start, event.sequence) == (TEN + 4 * HOUR, 2)
    ((_, reply),) = await replies(assistant)
    assert "SEQUENCE:2" in reply
    assert len(await assistant.house.calendar.events(TEN, TEN + 8 * HOUR)) == 1


async def test_one_occurrence_is_answered_and_cancelled_by_itself(assistant: Desk) -> None:
    """The answer names the occurrence; the series stays as it is."""
    await known(assistant, recurrence=("RRULE:FREQ=WEEKLY;COUNT=3",))
    second = TEN + timedelta(days=7)
    moved = invitation("RECURRENCE-ID:20261203T090000Z", sequence=2, start=":20261203T100000Z")
    message, card = await until_invitation(assistant, moved)
    assert "One occurrence of a series" in card["description"]
    assert await assistant.answer(message, ACCEPT) is None
    event, series = await there(assistant, second), await there(assistant)
    assert event is not None
    assert series is not None
    assert (event.start, series.start) == (second + HOUR, TEN)
    ((_, reply),) = await replies(assistant)
    assert "RECURRENCE-ID:20261203T090000Z" in reply
    cancelled = invitation("RECURRENCE-ID:20261203T090000Z", method="CANCEL", sequence=3, number=2)
    message, _ = await until_invitation(assistant, cancelled)
    assert await assistant.answer(message, ACCEPT) is None
    event, series = await there(assistant, second), await there(assistant)
    assert event is not None
    assert series is not None
    assert (event.cancelled, series.cancelled) == (True, False)


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


async def own(assistant: Desk) -> None:
    """A meeting of the user's own with Bo."""
    await known(assistant, organizer=Address(MINE), attendees=(BO, ANA), guests=())


def answer_of_bo(
    partstat: str, method: str = "REPLY", start: str = ":20261126T090000Z", sender: str = "bo@example.com"
) -> bytes:
    """What Bo says to it."""
    return invitation(
        method=method, sender=sender, start=start, organizer=f"ORGANIZER:mailto:{MINE}", vouched="pass",
        guests=(f"ATTENDEE;PARTSTAT={partstat}:mailto:bo@example.com",),
    )  # fmt: skip


async def test_nobody_answers_for_a_guest(assistant: Desk) -> None:
    """Somebody else's mail in a guest's name changes nothing."""
    await own(assistant)
    card = await assistant.start(await assistant.receive(answer_of_bo("DECLINED", sender="eve@evil.example")))
    assert card is not None
    assert "claims to be from bo@example.com" in plain(card)
    event = await there(assistant)
    assert event is not None
    assert event.guests == ()


async def test_another_time_is_only_told(assistant: Desk) -> None:
    """Both times are on the card, and the meeting stays."""
    await own(assistant)
    raw = answer_of_bo("TENTATIVE", "COUNTER", start=":20261126T130000Z")
    card = await assistant.start(await assistant.receive(raw))
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify")
    for told in ("10:00 to 11:00", "14:00 to 15:00"):
        assert told in card["description"]
    event = await there(assistant)
    assert event is not None
    assert event.start == TEN


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
    ("calendar", "put", "before"), ("calendar", "put", "after"), ("calendar", "answer", "before"), ("calendar", "answer", "after"),
    ("mailbox", "save_draft", "before"), ("mailbox", "save_draft", "after"), ("mailbox", "send_draft", "before"),
    ("mailbox", "send_draft", "after"),
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


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("name", "method"), [("put", "REQUEST"), ("cancel", "CANCEL")])
async def test_whoever_is_killed_while_the_calendar_is_changed_changes_it_once(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch, name: str, method: str, when: str, forgets: bool
) -> None:
    """A change and a cancellation: the calendar has it, the answer stays, and nobody is written to."""
    await known(assistant, location="Room 6")
    message, _ = await until_invitation(assistant, invitation(method=method, stamp="20261119T100000Z"))
    await killed(assistant, monkeypatch, message, "calendar", name, when)
    await went_on(assistant, message, forgets=forgets)
    event = await there(assistant)
    assert event is not None
    assert (event.location, event.cancelled) == (
        ("Room 6", True) if method == "CANCEL" else ("Room 5", False)
    )
    assert event.partstat_of(MINE) is Partstat.ACCEPTED
    assert await assistant.sent() == []


async def test_two_graphs_answer_once(assistant: Desk) -> None:
    """Whoever is second is told of the first, and asks."""
    message, _ = await until_invitation(assistant, invitation())
    organizer = at_work(assistant, "inbox_organizer")
    card = await organizer.start(message)
    while card and card["action_request"]["action"].startswith("Label"):
        card = await organizer.answer(message, IGNORE)
    assert await assistant.answer(message, ACCEPT) is None
    again = await organizer.answer(message, ACCEPT)
    assert again is not None
    assert "was answered" in again["description"]
    assert len(await replies(assistant)) == 1


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


async def test_a_forgotten_answer_is_asked_about_like_a_new_one(
    assistant: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was begun and not given: what is at that time by now is asked about before it is."""
    message, _ = await until_invitation(assistant, invitation())
    await killed(assistant, monkeypatch, message, "calendar", "put", "before")
    anew = forgetful(assistant)
    assert await anew.start(message) is not None
    await assistant.house.calendar.create(Event("other", "Dentist", TEN, TEN + HOUR))
    again = await anew.answer(message, ACCEPT)
    assert again is not None
    assert "Dentist" in again["description"]
    assert await anew.answer(message, ACCEPT) is None
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
async def test_beside_an_event_that_cannot_be_read_it_is_a_mail_like_others(assistant: Desk) -> None:
    """Nobody knows what the calendar has: nothing is asked about the calendar part."""
    await known(assistant)
    path = Path(assistant.house.settings.data_path) / "calendar.ics"
    path.write_bytes(path.read_bytes().replace(b"DTSTART;TZID=Europe/Berlin", b"DTSTART;TZID=Nowhere"))
    card = await assistant.start(await assistant.receive(invitation(sequence=2)))
    assert card is None or not card["action_request"]["action"].startswith("Invitation")


@LOCAL
async def test_the_card_says_who_is_answered(assistant: Desk) -> None:
    """Who gets the answer is on the card, and nobody else does."""
    _, card = await until_invitation(assistant, invitation())
    assert "ana@example.com gets your answer by mail" in plain(card)


@LOCAL
async def test_what_is_said_of_the_senders_clock(assistant: Desk) -> None:
    """By the user's clock, and by the sender's where that is another one."""
    zone = ';TZID="(UTC-05:00) Eastern Time (US & Canada)":20261126T090000'
    _, card = await until_invitation(assistant, invitation(start=zone))
    assert "15:00 to 16:00 (Europe/Berlin), there Thu 26 Nov 09:00 to 10:00 (America/New_York)" in plain(card)


@LOCAL
async def test_the_organizer_tells_who_does_not_come(assistant: Desk) -> None:
    """It has no card that shows mail; one of its own tells, and can be put aside."""
    await own(assistant)
    worker = at_work(assistant, "inbox_organizer")
    message, card = await until_invitation(worker, answer_of_bo("DECLINED"))
    assert card["action_request"]["action"].startswith("Notify: Budget")
    assert "does not come" in card["description"]
    assert await worker.answer(message, IGNORE) is None
    event = await there(worker)
    assert event is not None
    assert event.partstat_of(BO.key) is Partstat.DECLINED


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

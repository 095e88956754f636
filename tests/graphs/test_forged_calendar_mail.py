"""Who may change an event: calendar mail of people who may not, and the honest forms of what programs send."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from email.utils import getaddresses
from pathlib import Path
from typing import Any

import pytest

from email_assistant.adapters.ics_writing import EMPTY_CALENDAR
from email_assistant.calendars.event import Event
from email_assistant.mail.address import Address
from tests.support.calendar_mail import ACCEPT, ANA, BO, IGNORE, MINE, TEN, UID, invitation, known
from tests.support.calendar_programs import DELEGATES, METHODS, PROGRAMS, Program, mail_of
from tests.support.desk import Desk
from tests.support.forged_calendar_mail import CLAIMS, EVE, EVIL, THIRD, Forged, forged

WEEK = timedelta(days=7)
STATES: Mapping[str, Mapping[str, Any] | None] = {
    "Ana's": {},
    "Ana's series": {"recurrence": ("RRULE:FREQ=WEEKLY;COUNT=3",)},
    "Ana's occurrence": {
        "recurrence_id": TEN + WEEK,
        "start": TEN + WEEK,
        "end": TEN + WEEK + timedelta(hours=1),
    },
    "own": {"organizer": Address(MINE), "attendees": (BO, ANA), "guests": ()},
    "own, alone": {"organizer": None, "attendees": (), "guests": ()},
    "nothing": None,
}


async def kept(desk: Desk, state: str) -> list[Event | None]:
    """What the calendar has of the event in that state, and of its second occurrence."""
    occurrences = [TEN + WEEK] if state in {"Ana's series", "Ana's occurrence"} else []
    whole = [] if state == "Ana's occurrence" else [None]
    return [await desk.house.calendar.find(UID, each) for each in (*whole, *occurrences)]


async def tried(desk: Desk, mail: Forged) -> Counter[str]:
    """What comes of a mail when nothing is done, and then when all is accepted that can be."""
    before, counts = await kept(desk, mail.state), Counter(mails=1)
    sent = {each["Message-ID"] for each in await desk.sent()}
    message = await desk.receive(mail.raw)
    card = first = await desk.start(message)
    counts["changed unasked"] += await kept(desk, mail.state) != before
    for _ in range(4):
        if card is None or not card["config"]["allow_accept"]:
            break
        card = await desk.answer(message, ACCEPT)
    if card is not None:
        await desk.answer(message, IGNORE)
    title = first["action_request"]["action"] if first else ""
    after = await kept(desk, mail.state)
    counts["cards that say it"] += CLAIMS in title
    counts["changed without a word"] += after != before and CLAIMS not in title
    counts["changed"] += after != before
    organizers = [[each and each.organizer for each in state] for state in (before, after)]
    told = str(first and first["description"])
    only_told = first is not None and first["view"]["kind"] == "notify"
    counts["told among what asks nothing"] += bool(
        only_told and CLAIMS in told and not first["view"]["doubts"]
    )
    counts["organizers changed"] += mail.state != "nothing" and organizers[0] != organizers[1]
    went = [str(each["To"]) for each in await desk.sent() if each["Message-ID"] not in sent]
    counts["mails sent"] += len(went)
    for _, address in getaddresses(went):
        if address == message.sender.email:
            continue
        shown = address in told and "not to the sender's domain" in told.replace("\\", "")
        counts["sent to others without a word"] += not shown
    return counts


BAD = (
    "changed unasked", "changed without a word", "organizers changed", "sent to others without a word", "told among what asks nothing",
)  # fmt: skip


async def in_state(desk: Desk, state: str) -> None:
    """Bring the calendar there."""
    changes = STATES[state]
    if changes is not None:
        await known(desk, **changes)


@pytest.mark.parametrize("on_either_calendar", ["ics"], indirect=True)
async def test_no_forged_calendar_mail_changes_what_is_there(on_either_calendar: Desk) -> None:
    """Over methods × tricks × states: nothing unasked, nothing without "claims to be", no organizer, and no mail to others unsaid."""
    desk, counts = on_either_calendar, Counter[str]()
    file = Path(desk.house.settings.data_path) / "calendar.ics"
    file.parent.mkdir(parents=True, exist_ok=True)
    bad = []
    for mail in forged():
        file.write_bytes(EMPTY_CALENDAR)
        await in_state(desk, mail.state)
        found = await tried(desk, mail)
        bad += [(mail.name, mail.state, name) for name in BAD if found[name]]
        counts += found
    print({name: counts[name] for name in (*dict.fromkeys((*counts, *BAD)),)})
    assert bad == []
    assert counts["mails"] >= 60


@pytest.mark.parametrize("on_either_calendar", ["google"], indirect=True)
@pytest.mark.parametrize("mail", forged()[::12], ids=lambda each: f"{each.name}, {each.state}")
async def test_nor_in_google_calendar(on_either_calendar: Desk, mail: Forged) -> None:
    """A sample of them."""
    await in_state(on_either_calendar, mail.state)
    found = await tried(on_either_calendar, mail)
    assert not [name for name in BAD if found[name]], found


ALARMS = (CLAIMS, "in doubt", "Look closely")


async def gone_through(desk: Desk, raw: bytes) -> tuple[str, list[str]]:
    """The title of the card that a mail got, "" for none, and what of it alarms; accepted where that can be."""
    message = await desk.receive(raw)
    card = await desk.start(message)
    doubts = (await desk.values(message)).get("sender_warnings") or []
    if card is None:
        return "", list(doubts)
    told = f"{card['action_request']['action']}\n{card['description']}"
    if card["config"]["allow_accept"]:
        assert await desk.answer(message, ACCEPT) is None
    return card["action_request"]["action"], [*doubts, *(each for each in ALARMS if each in told)]


@pytest.mark.parametrize("program", [*PROGRAMS, *DELEGATES], ids=lambda each: each.name)
async def test_what_programs_send_is_no_alarm(on_either_calendar: Desk, program: Program) -> None:
    """Invited, moved and called off, and answered by a guest without a card: nothing of it is in doubt."""
    desk, uid = on_either_calendar, f"{program.name.replace(' ', '')}@calendar.example"
    alarms, titles = {}, []
    for method in METHODS[: 4 if program.answers else 3]:
        about = f"{method}-{uid}" if method == "REPLY" else uid
        if method == "REPLY":
            guest = Address(program.person)
            await known(desk, uid=about, id=about, organizer=Address(MINE), attendees=(guest,), guests=())
        title, alarms[method] = await gone_through(desk, mail_of(program, method, about))
        titles.append(title.partition(":")[0])
        event = await desk.house.calendar.find(about)
        assert event is not None
        wanted = MINE if method == "REPLY" else program.person
        assert event.organizer is not None
        assert event.organizer.key == wanted
    print(program.name, titles, alarms)
    assert titles == ["Invitation", "Invitation", "Remove from calendar", ""][: len(titles)]
    assert not any(alarms.values())


async def test_the_organizer_of_what_is_there_stays(on_either_calendar: Desk) -> None:
    """Also when the organizer's own mail names somebody else, who then gets no answer either."""
    desk = on_either_calendar
    await known(desk)
    named = invitation(
        sequence=2, start=":20261126T130000Z", organizer=f"ORGANIZER:mailto:{THIRD}", vouched="pass"
    )
    title, _ = await gone_through(desk, named)
    assert title == "Invitation: Budget"
    event = await desk.house.calendar.find(UID)
    assert event is not None
    assert (event.organizer, event.sequence) == (ANA, 2)
    assert [str(mail["To"]) for mail in await desk.sent()] == ["Ana <ana@example.com>"]


async def test_two_organizers_of_one_uid(on_either_calendar: Desk) -> None:
    """Of two cards about one UID the second does not take over what the first has brought into the calendar, and mails nothing."""
    desk = on_either_calendar
    forged_first = await desk.receive(invitation(sender=EVE, organizer=f"ORGANIZER:mailto:{EVIL}", number=2))
    assert await desk.start(forged_first) is not None
    assert (await gone_through(desk, invitation()))[0] == "Invitation: Budget"
    again = await desk.answer(forged_first, ACCEPT)
    for _ in range(2):
        assert again is not None
        again = await desk.answer(forged_first, ACCEPT)
    event = await desk.house.calendar.find(UID)
    assert event is not None
    assert event.organizer == ANA
    assert [str(mail["To"]) for mail in await desk.sent()] == ["Ana <ana@example.com>"]

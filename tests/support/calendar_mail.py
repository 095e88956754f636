"""Mail with a calendar part about one meeting of Ana's, and what the calendar has of it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

from email_assistant.calendars.event import Event, Partstat
from email_assistant.mail.address import Address, parse_addresses
from eval.mails import vouching
from tests.servers.google_server import GoogleServer
from tests.support.desk import ME, Desk

ACCEPT = [{"type": "accept", "args": None}]
IGNORE = [{"type": "ignore", "args": None}]
UID = "budget@example.com"
MINE = "robin@vale.example"
TEN = datetime(2026, 11, 26, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
ANA, BO = Address("ana@example.com", "Ana"), Address("bo@example.com")
GUESTS = (
    f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{MINE}",
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.com",
)


def invitation(
    *more: str,
    method: str = "REQUEST",
    sequence: int = 1,
    stamp: str = "20261119T090000Z",
    start: str = ":20261126T090000Z",
    duration: str = "PT1H",
    guests: tuple[str, ...] = GUESTS,
    organizer: str = "ORGANIZER;CN=Ana:mailto:ana@example.com",
    sender: str = "Ana <ana@example.com>",
    number: int = 1,
    vouched: str = "",
    date: str = "Thu, 19 Nov 2026 09:00:00 +0000",
    reply_to: str = "",
    to: str = ME,
    text: str = "See the calendar.",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """A mail with a calendar part; `vouched` is what the receiving host says of its sender, like "pass"."""
    message = EmailMessage()
    if vouched:
        message["Authentication-Results"] = vouching(sender, vouched)
    message["From"], message["To"], message["Subject"] = sender, to, "Budget"
    message["Message-ID"] = f"<calendar-{number}@example.com>"
    message["Date"] = date
    if reply_to:
        message["In-Reply-To"] = message["References"] = reply_to
    for name, value in (headers or {}).items():
        message[name] = value
    message.set_content(text)
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example//EN", f"METHOD:{method}", "BEGIN:VEVENT", f"UID:{UID}",
        f"DTSTAMP:{stamp}", f"SEQUENCE:{sequence}", f"DTSTART{start}", f"DURATION:{duration}", "SUMMARY:Budget", "LOCATION:Room 5",
        organizer, *guests, *more, "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    message.add_alternative(
        "\r\n".join(lines).encode(), maintype="text", subtype="calendar", params={"method": method}
    )
    return bytes(message)


async def there(assistant: Desk, recurrence_id: datetime | None = None) -> Event | None:
    """What the calendar has of the event."""
    return await assistant.house.calendar.find(UID, recurrence_id)


async def until_invitation(assistant: Desk, raw: bytes) -> tuple[Any, dict[str, Any]]:
    """The mail, and the card of its calendar part; a card for its label comes first."""
    message = await assistant.receive(raw)
    card = await assistant.start(message)
    while card and card["action_request"]["action"].startswith("Label"):
        card = await assistant.answer(message, IGNORE)
    assert card is not None
    return message, card


def plain(card: dict[str, Any]) -> str:
    """What the card says, without its marks."""
    return str(card["description"]).replace("\\", "").replace("`", "")


async def known(assistant: Desk, **changes: Any) -> Event:
    """Ana's meeting in the calendar, accepted."""
    event = Event(
        id=UID, uid=UID, title="Budget", start=TEN, end=TEN + HOUR, timezone="Europe/Berlin", location="Room 5",
        attendees=(Address(MINE), BO), organizer=ANA, sequence=1, stamp=datetime(2026, 11, 19, 9, tzinfo=UTC),
    ).answered(MINE, Partstat.ACCEPTED)  # fmt: skip
    return await assistant.house.calendar.put(replace(event, **changes))


async def told_guests(assistant: Desk) -> list[set[str]]:
    """Who was written to, each time, as a guest of a meeting of the user's own: by mail, or by Google, which sends none from here."""
    if not assistant.house.calendar.writes_to_guests:
        invited = [mail for mail in await assistant.scheduling() if mail["Subject"].startswith("New time: ")]
        return [{each.email for each in parse_addresses(str(mail["to"]))} for mail in invited]
    google = GoogleServer(assistant.house.settings.google_endpoint or "")
    told = [each for each in google.requests if "sendUpdates=all" in each["query"]]
    guests = [guest["email"] for event in google.events(MINE) for guest in event.get("attendees", [])]
    return [set(guests) for _ in told]

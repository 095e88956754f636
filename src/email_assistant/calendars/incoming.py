"""What a mail with a calendar part comes to: decided by the message and by what the calendar says, and nothing else (RFC 5546).

Messages are about the event of their UID, or its one occurrence. Of two messages the newer has the higher SEQUENCE, or with the same the
later DTSTAMP. Who may say what: the organizer whom the calendar names (`claimed_of`) invites, changes and cancels, a guest answers; who
does so in another's place only claims to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.invitation import Invitation
from email_assistant.mail.address import Address, unique
from email_assistant.mail.authenticity import is_same_house


class SchedulingCase(StrEnum):
    """What a message is."""

    INVITED = "invited"
    """An invitation that is to be answered."""
    CHANGED = "changed"
    """A new revision of an event that is there: it is to be answered anew."""
    UPDATED = "updated"
    """A small change of an event that is there; the answer stays."""
    KNOWN = "known"
    """It says what the calendar says."""
    OUTDATED = "outdated"
    """Something newer is there."""
    CANCELLED = "cancelled"
    NOT_THERE = "not there"
    """It is about an event that is not in the calendar."""
    ANSWERED = "answered"
    """A guest of an own meeting says whether they come."""
    UNINVITED = "uninvited"
    """Somebody answers who is no guest."""
    COUNTERED = "countered"
    """A guest proposes another time."""
    REFRESH = "refresh"
    """A guest asks for the meeting as it is."""
    REFUSED = "refused"
    """The organizer does not take the user's proposal."""
    ADDED = "added"
    """The organizer adds occurrences to an event that is there."""
    FOR_OTHERS = "for others"
    """An invitation that the user has delegated, or whose user nobody knows by an address."""
    PUBLISHED = "published"
    """An event for whoever wants it; nobody is to answer."""
    FALSE_SENDER = "false sender"
    """It comes from somebody who may not say this; see `Assessment.claimed`."""
    OWN = "own"
    """The user's own message has come back."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Assessment:
    """What was decided of one message."""

    what: SchedulingCase
    there: Event | None = None
    """What the calendar says of the event."""
    differences: tuple[str, ...] = ()
    """What the message says otherwise than the calendar, one plain sentence each."""
    claimed: Address | None = None
    """Of a false sender: in whose name it speaks."""
    guest: Address | None = None
    """Of a guest's message: who that is."""
    partstat: Partstat = Partstat.NEEDS_ACTION
    """What the guest answers."""


_OF_GUESTS = {
    "reply": SchedulingCase.ANSWERED,
    "counter": SchedulingCase.COUNTERED,
    "refresh": SchedulingCase.REFRESH,
}
_OF_ORGANIZERS = frozenset({"request", "publish", "cancel", "add", "declinecounter"})
_NEED_TIMES = frozenset({"request", "publish", "add", "counter"})


def assess(
    message: Invitation,
    there: Event | None,
    *,
    sender: Address,
    own: frozenset[str],
    zone: str,
    vouched: bool = False,
    rest: Event | None = None,
) -> Assessment:
    """What the message is; `there` is what the calendar says of its UID and occurrence, the rest as in `claimed_of`.

    Differences are told by the clock of `zone`.
    """
    is_known = message.method in _OF_GUESTS or message.method in _OF_ORGANIZERS
    if not is_known or not message.uid or (message.method in _NEED_TIMES and not message.entries):
        return Assessment(SchedulingCase.UNREADABLE, there)
    if message.method in _OF_GUESTS:
        return _of_guest(message, there, sender, own)
    if message.method != "publish" and sender.key in own and message.organizer.key in own:
        return Assessment(SchedulingCase.OWN, there)
    if claimed := claimed_of(message, there or rest, sender=sender, own=own, vouched=vouched):
        return Assessment(SchedulingCase.FALSE_SENDER, there, claimed=claimed)
    return _of_organizer(message, there, own, zone)


def _of_organizer(message: Invitation, there: Event | None, own: frozenset[str], zone: str) -> Assessment:
    if message.method == "publish":
        return _published(message, there, zone)
    if message.method == "cancel":
        return _cancelled(message, there)
    if message.method == "add":
        return Assessment(SchedulingCase.ADDED if there else SchedulingCase.NOT_THERE, there)
    if message.method == "declinecounter":
        return Assessment(SchedulingCase.REFUSED, there)
    return _requested(message, there, own, zone)


def differences(before: Event, after: Event, zone: str) -> tuple[str, ...]:
    """What `after` says otherwise, one sentence each, with times by the clock of `zone`."""
    found = []
    if (before.start, before.end, before.all_day) != (after.start, after.end, after.all_day):
        found.append(f"The time was {in_clock(before, zone)}; it is now {in_clock(after, zone)}.")
    if before.recurrence != after.recurrence and before.recurrence_id is None:
        found.append("How it repeats has changed." if after.recurrence else "It does not repeat any more.")
    for what, was, now in (
        ("title", before.title, after.title),
        ("place", before.location, after.location),
    ):
        if was != now:
            found.append(f"The {what} was “{was or 'none'}”; it is now “{now or 'none'}”.")
    came, gone = (
        [a.name or a.email for a in some.attendees if a.key not in {b.key for b in other.attendees}]
        for some, other in ((after, before), (before, after))
    )
    if came:
        found.append(f"Invited by now: {', '.join(came[:_NAMED])}.")
    if gone:
        found.append(f"Not invited any more: {', '.join(gone[:_NAMED])}.")
    if before.cancelled and not after.cancelled:
        found.append("It had been cancelled; it takes place after all.")
    return tuple(found)


_NAMED = 10


def in_clock(event: Event, zone: str) -> str:
    """When it is: "Thursday 2026-11-26 10:00 to 11:00", by the clock of `zone` (an IANA name)."""
    start, end = (moment.astimezone(ZoneInfo(zone)) for moment in (event.start, event.end))
    if event.all_day:
        last = (event.end - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
        until = f" to {last:%A %Y-%m-%d}" if last.date() > start.date() else ""
        return f"{start:%A %Y-%m-%d}{until}, all day"
    return f"{start:%A %Y-%m-%d %H:%M} to {end:{'%H:%M' if start.date() == end.date() else '%Y-%m-%d %H:%M'}}"


def claimed_of(
    message: Invitation, there: Event | None, *, sender: Address, own: frozenset[str], vouched: bool
) -> Address | None:
    """In whose name an organizer's message speaks without being believed; None when its sender is who may change the event.

    That is for the calendar to say: of an event in it (`there`, or what it has of the same UID) the ORGANIZER it names, or the SENT-BY
    that it holds beside; without ORGANIZER it is the user's, and only theirs. Of a new event it is the ORGANIZER that the message
    names, if it names one. Somebody of the organizer's own house is believed whom the message names as SENT-BY, when the receiving host
    vouches for their address (`vouched`).

    `sender` is whom the mail is from (`mail.authenticity.calendar_sender`), `own` are the user's addresses in lower case.
    """
    organizer = (there.organizer if there else message.organizer) or Address(min(own, default=""))
    if not (there or organizer.email):
        return None
    may = own if organizer.key in own else {organizer.key}
    if there and there.sent_by:
        may |= {there.sent_by.key}
    if vouched and message.sent_by and message.organizer.key == organizer.key not in own:
        may |= {message.sent_by.key} if is_same_house(message.sent_by.domain, {organizer.domain}) else set()
    return None if sender.email and sender.key in may else organizer


def _of_guest(message: Invitation, there: Event | None, sender: Address, own: frozenset[str]) -> Assessment:
    guest = message.attendees[0] if message.attendees else sender
    if there is None or (there.organizer and there.organizer.key not in own):
        return Assessment(SchedulingCase.NOT_THERE, there, guest=guest)
    if sender.key != guest.key:
        return Assessment(SchedulingCase.FALSE_SENDER, there, claimed=guest)
    if guest.key not in {each.key for each in there.attendees}:
        return Assessment(SchedulingCase.UNINVITED, there, guest=guest)
    if message.sequence < there.sequence:
        return Assessment(SchedulingCase.OUTDATED, there, guest=guest)
    partstat = next(
        (each.partstat for each in message.guests if each.key == guest.key), Partstat.NEEDS_ACTION
    )
    what, text = _OF_GUESTS[message.method], f"{guest.name or guest.email} has answered: {partstat}."
    if what is SchedulingCase.ANSWERED and there.partstat_of(guest.key) is partstat:
        what = SchedulingCase.KNOWN
    return Assessment(what, there, (text,), guest=guest, partstat=partstat)


def _cancelled(message: Invitation, there: Event | None) -> Assessment:
    if there is None:
        return Assessment(SchedulingCase.NOT_THERE)
    if there.cancelled:
        return Assessment(SchedulingCase.KNOWN, there)
    return Assessment(
        SchedulingCase.OUTDATED if message.sequence < there.sequence else SchedulingCase.CANCELLED, there
    )


def _requested(message: Invitation, there: Event | None, own: frozenset[str], zone: str) -> Assessment:
    if not any(own) or any(
        each.key in own and each.partstat is Partstat.DELEGATED for each in message.guests
    ):
        return Assessment(SchedulingCase.FOR_OTHERS, there)
    if there is None:
        return Assessment(SchedulingCase.INVITED)
    # Whoever has it through a list, or from somebody who forwards it, is a guest by their own answer alone.
    joined = [each for each in there.attendees if each.key in own]
    mine = [each.key for each in message.attendees if each.key in own] or [each.key for each in joined]
    after = message.entries[0]
    after = replace(after, attendees=unique((*after.attendees, *joined)))
    return _compared(message, there, after, mine or sorted(own), zone)


def _compared(message: Invitation, there: Event, after: Event, mine: Sequence[str], zone: str) -> Assessment:
    """An invitation of the user (`after`) beside what the calendar has of it."""
    changes = differences(there, after, zone) if not there.unread else ()
    age = _age(message.sequence, message.stamp, there)
    if message.sequence > there.sequence or (there.cancelled and age > 0):
        return Assessment(SchedulingCase.CHANGED, there, changes)
    if age < 0 or there.cancelled:
        return Assessment(SchedulingCase.OUTDATED, there)
    unanswered = all(there.partstat_of(key) is Partstat.NEEDS_ACTION for key in mine)
    if unanswered:
        return Assessment(SchedulingCase.INVITED, there, changes)
    return Assessment(SchedulingCase.UPDATED if changes else SchedulingCase.KNOWN, there, changes)


def _age(sequence: int, stamp: datetime | None, there: Event) -> int:
    """Above 0 for a message that is newer than the calendar's event, below for an older one, 0 where nobody can tell or both are one."""
    if sequence != there.sequence:
        return 1 if sequence > there.sequence else -1
    if stamp is None or there.stamp is None or stamp == there.stamp:
        return 0
    return 1 if stamp > there.stamp else -1


def _published(message: Invitation, there: Event | None, zone: str) -> Assessment:
    if there is None:
        return Assessment(SchedulingCase.PUBLISHED)
    if _age(message.sequence, message.stamp, there) < 0:
        return Assessment(SchedulingCase.OUTDATED, there)
    changes = differences(there, message.entries[0], zone)
    return Assessment(SchedulingCase.UPDATED if changes else SchedulingCase.KNOWN, there, changes)

"""A mail's calendar part with what it comes to, and how cards tell of it."""

from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, check_event, check_uid
from email_assistant.calendars.incoming import Assessment, SchedulingCase, assess, in_clock
from email_assistant.calendars.invitation import Invitation
from email_assistant.errors import InputError
from email_assistant.journal.calendar_mail import CalendarMail
from email_assistant.mail.address import Address
from email_assistant.mail.auth_results import vouched_by
from email_assistant.mail.authenticity import calendar_sender
from email_assistant.mail.domain import organisation
from email_assistant.mail.message import Message
from email_assistant.review.action import Action
from email_assistant.tools.tool import User

TO_ANSWER = frozenset({SchedulingCase.INVITED, SchedulingCase.CHANGED})
"""Of messages that want the user's answer."""
_STAYS = frozenset({SchedulingCase.UPDATED, SchedulingCase.KNOWN})
"""Of messages that leave the user's answer as it is."""


@dataclass(frozen=True, slots=True)
class IncomingEvent:
    """A mail's calendar part with what it comes to."""

    invitation: Invitation
    assessment: Assessment
    claimed: Address | None = None
    """In whose name it speaks, when that is not the sender's."""
    known: bool = False
    """Whether the calendar has the event, or something else of its UID."""

    @property
    def claim(self) -> str:
        """ "claims to be from ana@example.com", where that is all it does."""
        return f"claims to be from {self.claimed.email or 'you'}" if self.claimed else ""


@dataclass(frozen=True, slots=True)
class Response:
    """What is to be done about it; of the three one."""

    action: Action | None = None
    """To be shown to a person."""
    notice: str = ""
    """The first sentence of a card that only tells."""
    quiet: str = ""
    """What was noted or found, in a sentence; nobody has to look."""
    details: tuple[str, ...] = ()
    """Of a notice: what else to tell."""
    title: str = ""
    """Of a notice: what its title says in the place of sender and subject."""


@dataclass(frozen=True, slots=True)
class DoneBefore:
    """What was approved earlier is done; the run thread had lost its state meanwhile."""

    text: str
    outcome: str
    """What the message came to by it; see `CardKind.outcome`."""


def judged(
    invitation: Invitation, there: Event | None, rest: Event | None, message: Message, user: User
) -> IncomingEvent:
    """What it comes to; of one that only claims to be somebody's what it would come to if it were."""
    host, house = user.mail_host, message.sender.domain
    vouched = bool(vouched_by(message, host=host))
    judge = partial(assess, invitation, there, own=user.own, zone=user.timezone, vouched=vouched, rest=rest)
    found = judge(sender=calendar_sender(message, host=host))
    if not (claimed := found.claimed):
        return IncomingEvent(invitation, found)
    meant = judge(sender=claimed)
    if meant.what in TO_ANSWER and organisation(claimed.domain) != organisation(house):
        elsewhere = f"Your answer would go to {claimed.email}, not to the sender's domain {house}."
        invitation = replace(invitation, notes=(elsewhere, *invitation.notes))
    found = found if meant.what is SchedulingCase.OWN else meant
    return IncomingEvent(invitation, found, claimed, known=rest is not None)


def said_by(incoming: IncomingEvent, message: Message, user: User) -> CalendarMail:
    """What is remembered of a message; whose word it is the calendar says, where it has the event."""
    invitation, found = incoming.invitation, incoming.assessment
    organizer = (found.there and found.there.organizer) or invitation.organizer
    speaker = found.guest or (organizer if organizer.email else message.sender)
    event = next(iter(invitation.entries), found.there)
    occurrence, stamp = (
        each and each.astimezone(UTC).isoformat() for each in (invitation.recurrence_id, invitation.stamp)
    )
    return CalendarMail(
        message.id or message.mail_thread_id, invitation.uid, occurrence or "", speaker.key, speaker.name or speaker.email,
        invitation.method, invitation.sequence, stamp or ("~" if invitation.method == "cancel" else ""),
        event.title if event else "", in_clock(event, user.timezone) if event else "",
    )  # fmt: skip


def kept(entry: Event, incoming: IncomingEvent, user: User) -> Event:
    """The event as it goes into the calendar: an answer that stays is kept, and it is whose it is."""
    there = incoming.assessment.there
    if there and incoming.assessment.what in _STAYS:
        for key in user.own:
            entry = entry.answered(key, there.partstat_of(key))
    named = incoming.claimed or incoming.invitation.entries[0].organizer
    return replace(entry, organizer=there.organizer if there else named)


def summary(event: Event, incoming: IncomingEvent, user: User) -> str:
    """What has changed; what, when (by the user's clock, and by the sender's where that shows another hour), where, and who invites."""
    when = f"{in_clock(event, user.timezone)} ({user.timezone})"
    clocks = [event.start.astimezone(ZoneInfo(zone)).utcoffset() for zone in (event.timezone, user.timezone)]
    if event.timezone != "UTC" and clocks[0] != clocks[1] and not event.all_day:
        when += f", there {in_clock(event, event.timezone)} ({event.timezone})"
    repeats = (
        " It repeats." if event.recurrence else " One occurrence of a series." if event.recurrence_id else ""
    )
    organizer = incoming.claimed or incoming.invitation.organizer
    who = f" Invited by {organizer.name or organizer.email}, {_counted(event)}." if organizer.email else ""
    place = f" At {event.location}." if event.location else ""
    return " ".join((*incoming.assessment.differences, f"{event.title}: {when}.{place}{who}{repeats}"))


def _counted(event: Event) -> str:
    return "1 guest" if len(event.attendees) == 1 else f"{len(event.attendees)} guests"


def claim_warnings(incoming: IncomingEvent) -> tuple[str, ...]:
    """What to look at before anything else: that it only claims to be somebody's, and what is odd about it."""
    false = f"It {incoming.claim}, and nothing proves that." if incoming.claimed else ""
    return tuple(filter(None, (false, *incoming.invitation.notes)))


def titled(text: str, incoming: IncomingEvent) -> str:
    """The title, with whom it claims to be from before it."""
    return f"{incoming.claim}: {text}" if incoming.claimed else text


def fits(invitation: Invitation) -> bool:
    """Whether a calendar can take it."""
    try:
        check_uid(invitation.uid)
        for entry in invitation.entries:
            check_event(entry)
    except InputError:
        return False
    return True

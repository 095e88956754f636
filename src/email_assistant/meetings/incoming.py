"""A mail's calendar part with what it comes to, and how cards tell of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event, check_event, check_uid
from email_assistant.calendars.incoming import Assessment, SchedulingCase, assess, in_clock
from email_assistant.calendars.invitation import Invitation
from email_assistant.errors import InputError
from email_assistant.journal.calendar_mail import CalendarMail, CalendarMailLog
from email_assistant.mail.address import Address, unique
from email_assistant.mail.authenticity import calendar_sender
from email_assistant.mail.domains import organisation
from email_assistant.mail.headers import bulk_of, list_posts, vouched_by
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.message import Message
from email_assistant.models.offline.reading import orders_an_assistant
from email_assistant.models.offline.wanted import points_besides_meeting
from email_assistant.review.action import Action, Details
from email_assistant.tools.concerns import Concern
from email_assistant.tools.tool import Turn, User

TO_ANSWER = frozenset({SchedulingCase.INVITED, SchedulingCase.CHANGED})
"""Of messages that want the user's answer."""
_STAYS = frozenset({SchedulingCase.UPDATED, SchedulingCase.KNOWN})
"""Of messages that leave the user's answer as it is."""


@dataclass(frozen=True, slots=True)
class Route:
    """How an invitation came to the user, whom it does not name."""

    how: Literal["list", "forwarded", "sent"]
    by: Address
    """The list whose address is invited, or whoever has passed it on."""
    me: Address
    """As whom the user would come."""

    @property
    def headline(self) -> str:
        """The first sentence of its card."""
        return {
            "list": f"Invited through {self.by.email} by {{who}}.",
            "forwarded": "Forwarded by {who}, who invites nobody: you are not among the guests.",
            "sent": "Sent by {who}; you are not among the guests.",
        }[self.how]


@dataclass(frozen=True, slots=True)
class IncomingEvent:
    """A mail's calendar part with what it comes to."""

    invitation: Invitation
    assessment: Assessment
    claimed: Address | None = None
    """In whose name it speaks, when that is not the sender's."""
    known: bool = False
    """Whether the calendar has the event, or something else of its UID."""
    route: Route | None = None
    """None of an invitation that names the user, and of all other mail."""

    @property
    def is_forwarded(self) -> bool:
        """Whether its sender passes on what is another's, and does not pretend to be them."""
        return self.route is not None and self.route.how == "forwarded"

    @property
    def claim(self) -> str:
        """ "claims to be from ana@example.com", where that is all it does."""
        name = self.claimed.email or "you" if self.claimed and not self.is_forwarded else ""
        return f"claims to be from {name}" if name else ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarDetails(Details):
    """What the card of a mail's calendar part carries."""

    uid: str
    recurrence_id: datetime | None
    entries: tuple[Event, ...]
    """The event as it goes into the calendar, then its occurrences that are otherwise than its rule."""
    calendar_mail: CalendarMail
    mail_from: str
    """Who has sent the mail, whoever it speaks for."""
    since: datetime | None
    """Its Date."""
    claim: str
    """See `IncomingEvent.claim`."""


def judged(
    invitation: Invitation, there: Event | None, rest: Event | None, message: Message, user: User
) -> IncomingEvent:
    """What it comes to; of one that only claims to be somebody's what it would come to if it were."""
    host, house = user.mail_host, message.sender.domain
    vouched = bool(vouched_by(message, host=host))
    judge = partial(assess, invitation, there, own=user.own, zone=user.timezone, vouched=vouched, rest=rest)
    found = judge(sender=calendar_sender(message, host=host))
    if not (claimed := found.claimed):
        return IncomingEvent(invitation, found, route=route_of(invitation, there, message, user))
    meant = judge(sender=claimed)
    if meant.what in TO_ANSWER and organisation(claimed.domain) != organisation(house):
        elsewhere = f"Your answer would go to {claimed.email}, not to the sender's domain {house}."
        invitation = replace(invitation, notes=(elsewhere, *invitation.notes))
    found = found if meant.what is SchedulingCase.OWN else meant
    # What is in the calendar, or is the user's own, nobody passes on: that only claims to be somebody's.
    is_new = rest is None and claimed.key not in user.own
    route = route_of(invitation, there, message, user, claimed) if is_new else None
    return IncomingEvent(invitation, found, claimed, known=rest is not None, route=route)


def route_of(
    invitation: Invitation, there: Event | None, message: Message, user: User, claimed: Address | None = None
) -> Route | None:
    """How an invitation came that does not name the user; `claimed` is whose it claims to be.

    Who sends it to a list has the list among the guests; the mail itself is to that, and not to the user.
    """
    named = {each.key for each in invitation.attendees}
    if invitation.method != "request" or named & user.own:
        return None
    known = there.attendees if there else ()
    mine = [each for each in (*known, *message.to, *message.cc) if each.key in user.own]
    me, is_list = next(iter(mine), user.address), bulk_of(message).is_list
    listed = [each for each in (*list_posts(message), *message.to, *message.cc) if each.key in named]
    if listed and (is_list or not (claimed or mine)):
        return Route("list", listed[0], me)
    return Route("forwarded" if claimed else "sent", message.sender, me)


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
        int(bool(vouched_by(message, host=user.mail_host))),
    )  # fmt: skip


def kept(entry: Event, incoming: IncomingEvent, user: User) -> Event:
    """The event as it goes into the calendar: an answer that stays is kept, and it is whose it is."""
    there = incoming.assessment.there
    if there and incoming.assessment.what in _STAYS:
        for key in user.own:
            entry = entry.answered(key, there.partstat_of(key))
    named = incoming.claimed or incoming.invitation.entries[0].organizer
    if incoming.route:
        entry = replace(entry, attendees=unique((*entry.attendees, incoming.route.me)))
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
    false = f"It {incoming.claim}, and nothing proves that." if incoming.claim else ""
    if incoming.claimed and incoming.is_forwarded:
        false = f"Nothing proves that it is from {incoming.claimed.email}."
    return tuple(filter(None, (false, *incoming.invitation.notes)))


def said_with(invitation: Invitation, message: Message) -> tuple[str, ...]:
    """What is said along with it, and what the mail's text asks, for its card."""
    said = (f"They say: {invitation.comment}",) if invitation.comment else ()
    asked = (each for each in asked_in(invitation, message) if each not in invitation.comment)
    return (*said, *(f"They ask: “{each}”" for each in asked))


def asked_in(invitation: Invitation, message: Message) -> tuple[str, ...]:
    """What its comment and its mail ask besides whether and when to meet; nothing of a message that gives orders to an assistant."""
    said = replace(message, subject="", text=f"{invitation.comment}\n\n{message.text}".strip())
    return () if orders_an_assistant(said) else tuple(each.asked for each in points_besides_meeting(said))


def titled(text: str, incoming: IncomingEvent) -> str:
    """The title, with whom it claims to be from before it."""
    return f"{incoming.claim}: {text}" if incoming.claim else text


def fits(invitation: Invitation) -> bool:
    """Whether a calendar can take it."""
    try:
        check_uid(invitation.uid)
        for entry in invitation.entries:
            check_event(entry)
    except InputError:
        return False
    return True


MARGIN = timedelta(days=1)
"""So much earlier than the card's own mail what it crossed is looked for: clocks differ."""
LOOKED_AT = 50
"""Messages of one sender, the latest ones."""


@dataclass(frozen=True)
class Crossing:
    """What is on record of an event, and what lies in the mailbox and was not taken up yet."""

    mailbox: Mailbox
    log: CalendarMailLog
    read: Callable[[Message], Awaitable[CalendarMail | None]]
    """What a message says of an event; None of all other mail, and where its sender is not believed."""

    async def concerns(self, action: Action) -> list[Concern]:
        """That whoever sent the card's event has said something newer of it."""
        details = CalendarDetails.of(action)
        mine, after = details.calendar_mail, details.since and details.since - MARGIN
        known = {mine.message_id, *(each.message_id for each in await self.log.about(mine))}
        for address in {mine.speaker, details.mail_from}:
            for message_id in (await self.mailbox.inbox(MailQuery(after=after, text=address)))[-LOOKED_AT:]:
                if message_id not in known and (
                    mail := await self.read(await self.mailbox.fetch(message_id))
                ):
                    await self.log.noted(mail)
        newer = next((each for each in reversed(await self.log.about(mine)) if each.touches(mine)), None)
        text = f"{since(newer, mine)} Accept again to do this all the same." if newer else ""
        return [Concern(f"crossed:{newer.message_id}", text)] if newer else []

    async def called_off(self, action: Action) -> list[str]:
        """The occurrences (RECURRENCE-ID) of the card's series that were cancelled since it was sent."""
        mine = CalendarDetails.of(action).calendar_mail
        others = await self.log.about(mine)
        return [each.recurrence_id for each in others if each.cancels and each.touches(mine)]


def newest(mine: CalendarMail, others: Sequence[CalendarMail]) -> CalendarMail | None:
    """The newest of the others that says something newer; None when there is none."""
    return next((each for each in reversed(others) if each.follows(mine)), None)


def since(newer: CalendarMail, mine: CalendarMail) -> str:
    """What has happened to the event, in a sentence."""
    it = "it" if newer.follows(mine) else "one occurrence of it"
    if newer.cancels:
        return f"{newer.name} has cancelled {it} since: “{mine.title}”, {newer.happens or mine.happens}."
    is_moved = newer.happens != mine.happens
    return f"{newer.name} has {f'moved {it} to {newer.happens}' if is_moved else 'written of it anew'} since."


def with_waiting(found: Response, said: CalendarMail, others: Sequence[CalendarMail]) -> Response:
    """With what becomes of the card that waits for an answer to an older state of the event."""
    waiting = [each for each in others if each.waits and said.follows(each)]
    if not waiting:
        return found
    older = waiting[-1]
    text = f"The invitation of {older.happens}, which waits, is {'withdrawn' if said.cancels else 'out of date'}."
    if found.action:
        return replace(found, action=replace(found.action, reasons=(text, *found.action.reasons)))
    notice = f"{{who}} has {'cancelled' if said.cancels else 'changed'} an event. {text}"
    return replace(found, notice=notice, quiet="", title=older.title)


def notice_of_claim(incoming: IncomingEvent) -> Response:
    """A card that only tells: what the calendar has changes by those alone who may change it."""
    found, event = incoming.assessment, incoming.assessment.there or incoming.invitation.event
    return Response(
        notice=f"{{who}} sends a calendar message that {incoming.claim}; your calendar stays as it is.",
        details=(*claim_warnings(incoming), *found.differences),
        title=titled(event.title if event else "an event", incoming),
    )


def notice_of_proposal(incoming: IncomingEvent, turn: Turn) -> Response:
    """A card that only tells of another time that a guest proposes."""
    there, proposed = incoming.assessment.there, incoming.invitation.entries[0]
    assert there is not None  # noqa: S101 - a proposal about what is not there is another case
    zone = turn.user.timezone
    lines = (
        f"“{there.title}” is on {in_clock(there, zone)} ({zone}).",
        f"Proposed instead: {in_clock(proposed, zone)} ({zone}).",
        "Nothing was changed: move the meeting, or answer the mail.",
    )
    return Response(
        notice=f"{{who}} proposes another time for “{there.title}”: {in_clock(proposed, zone)}.",
        details=(
            *lines,
            *said_with(incoming.invitation, turn.conversation.current),
            *claim_warnings(incoming),
        ),
    )

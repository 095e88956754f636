"""What a mail's calendar part asks of the user: the card that is shown, or what is noted or told without one.

A stranger's calendar part gives no orders: nothing of it enters the calendar and nothing leaves before a person has approved it. What is
noted without a card is a guest's answer to a meeting of the user's own, when there is no doubt whom it is from.
"""

import asyncio
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event, Partstat, check_event, check_uid
from email_assistant.calendars.event_json import event_json, event_of_json
from email_assistant.calendars.incoming import Assessment, SchedulingCase, assess, in_clock
from email_assistant.calendars.invitation import Invitation, invitations_of
from email_assistant.clock import Clock
from email_assistant.effects.outbox import OutboxRow, OutboxStatus
from email_assistant.errors import AccessError, InputError, ProviderError, TransientError
from email_assistant.mail.address import Address
from email_assistant.mail.message import Message
from email_assistant.mail.threading import reply_headers
from email_assistant.review.action import Action
from email_assistant.review.card import title
from email_assistant.review.kinds import kind_of
from email_assistant.tools.counter_proposals import COUNTER, TakeCounterProposal
from email_assistant.tools.drafts import reply_key
from email_assistant.tools.in_the_way import FREE, collision_key, outside_hours, warnings_of
from email_assistant.tools.invitation_answers import (
    ANSWER_KIND,
    CHANGE,
    CHANGE_KIND,
    INVITATION,
    NOTICE,
    AnswerInvitation,
    CalendarNotice,
    ChangeCalendar,
)
from email_assistant.tools.meeting import shown
from email_assistant.tools.meeting_times import collisions_of
from email_assistant.tools.tool import Done, Turn, User

_ANSWERED = frozenset({SchedulingCase.INVITED, SchedulingCase.CHANGED})
_CHANGES = {
    SchedulingCase.UPDATED: ("Update in calendar: ", "{who} has changed an event; your answer stays."),
    SchedulingCase.PUBLISHED: ("Add to calendar: ", "{who} sends an event; nobody asks for an answer."),
    SchedulingCase.FOR_OTHERS: ("Add to calendar: ", "{who} sends an invitation that does not ask you."),
    SchedulingCase.CANCELLED: ("Remove from calendar: ", "{who} has cancelled an event."),
}
_TOLD = {
    SchedulingCase.OUTDATED: "{who} sends an event as it was; your calendar has a newer version, and nothing was done.",
    SchedulingCase.NOT_THERE: "{who} writes about an event that is not in your calendar; there is nothing to do there.",
    SchedulingCase.UNINVITED: "{who} answers an invitation of yours without being among its guests; nothing was noted.",
    SchedulingCase.REFRESH: "{who} asks for the present state of a meeting of yours.",
    SchedulingCase.REFUSED: "{who} does not take the time that you proposed.",
    SchedulingCase.ADDED: "{who} adds times to an event of your calendar; nothing was changed there.",
}
_OVER = _ANSWERED | {SchedulingCase.PUBLISHED, SchedulingCase.FOR_OTHERS}
_STAYS = frozenset({SchedulingCase.UPDATED, SchedulingCase.KNOWN})
"""Of messages that leave the user's answer as it is."""
_NOTES_ONLY = frozenset({SchedulingCase.ANSWERED, SchedulingCase.KNOWN})


@dataclass(frozen=True, slots=True)
class IncomingEvent:
    """A mail's calendar part with what it comes to."""

    invitation: Invitation
    assessment: Assessment
    claimed: Address | None = None
    """In whose name it speaks, when that is not the sender's."""


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


@dataclass(frozen=True, slots=True)
class DoneBefore:
    """What was approved earlier is done; the run thread had lost its state meanwhile."""

    text: str
    outcome: str
    """What the message came to by it; see `CardKind.outcome`."""


CardActor = AnswerInvitation | ChangeCalendar | TakeCounterProposal | CalendarNotice


@dataclass(frozen=True)
class InvitationDesk:
    """Reads calendar parts, and makes of them what is to be done."""

    calendar: Calendar
    clock: Clock
    answering: AnswerInvitation
    changing: ChangeCalendar
    countering: TakeCounterProposal
    telling: CalendarNotice

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its cards."""
        return frozenset(self._actors)

    def actor(self, kind: str) -> CardActor:
        """What performs the cards of this kind; raises `LookupError` when they are none of these."""
        return self._actors[kind]

    @property
    def _actors(self) -> dict[str, CardActor]:
        actors: tuple[CardActor, ...] = (self.answering, self.changing, self.countering, self.telling)
        return {each.name: each for each in actors}

    def notice(self, incoming: IncomingEvent, found: Response, turn: Turn) -> Action | None:
        """The card that tells what has no other, of an event that the calendar has; None when there is nothing to tell."""
        there = incoming.assessment.there
        if there is None or not found.notice:
            return None
        return Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=NOTICE.name,
            title=title(f"{NOTICE.begins}{there.title}"),
            args={},
            facts={"doer": asdict(turn.doer)},
            headline=found.notice,
            reasons=found.details,
        )

    async def incoming(self, message: Message, user: User) -> IncomingEvent | None:
        """What the message's calendar part comes to; None without one that can be read, and of the user's own.

        Also of an event that is over: what is said of it is for the reader of the mail.
        """
        invitation = await asyncio.to_thread(
            invitations_of, message, zone=user.timezone, now=self.clock.now()
        )
        if invitation is None or not await asyncio.to_thread(_fits, invitation):
            return None
        try:
            there = await self.calendar.find(invitation.uid, invitation.recurrence_id)
        except (TransientError, AccessError):
            raise
        except ProviderError:
            return None  # Nobody knows when the calendar's own event is.
        found = await asyncio.to_thread(_assessed, invitation, there, message.sender, user)
        claimed = found.claimed if found.what is SchedulingCase.FALSE_SENDER else None
        if claimed:
            found = await asyncio.to_thread(_assessed, invitation, there, claimed, user)
        if found.what in {SchedulingCase.UNREADABLE, SchedulingCase.OWN, SchedulingCase.FALSE_SENDER}:
            return None
        if invitation.is_over and found.what in _OVER:
            return None
        return IncomingEvent(invitation, found, claimed)

    async def response(self, incoming: IncomingEvent, turn: Turn, *, in_doubt: bool) -> Response | DoneBefore:
        """What is to be done, unless it was approved earlier. With doubts about the sender nothing is noted."""
        if before := await self._done_before(incoming, turn):
            return before
        found, what = incoming.assessment, incoming.assessment.what
        if what in _ANSWERED:
            return await self._invited(incoming, turn)
        if what in _CHANGES:
            return await self._changed(incoming, turn)
        if what is SchedulingCase.COUNTERED:
            return await self._countered(incoming, turn, in_doubt=in_doubt)
        if what in _NOTES_ONLY and not (in_doubt or incoming.claimed):
            return await self._noted(found)
        told = _TOLD.get(what, "{who} sends a calendar message; nothing was noted of it.")
        return Response(notice=told, details=_warnings(incoming))

    async def _done_before(self, incoming: IncomingEvent, turn: Turn) -> DoneBefore | None:
        """What this run thread did of it, approved, and does not remember; what it had begun is brought to its end.

        That is so where the calendar says it by now: the message would count as known, and nobody would be asked again. What
        the calendar does not say was not done, and the person is asked.
        """
        subject = self._facts(incoming, turn)["subject_key"]
        for actor in (self.answering, self.changing, self.countering):
            for row in await actor.forgotten_rows(subject, turn):
                if row.status is OutboxStatus.done or _says(incoming, row, turn.user):
                    done = await actor.perform(self._approved(incoming, row, turn), acknowledged=frozenset())
                    if isinstance(done, Done):
                        return DoneBefore(done.text, kind_of(actor.name).outcome)
                await actor.outbox.did_not_happen(row.action_id)
        return None

    def _approved(self, incoming: IncomingEvent, row: OutboxRow, turn: Turn) -> Action:
        """The action of that row: what the outbox keeps of it, and the message says of all else."""
        facts, payload = self._facts(incoming, turn), row.payload
        if row.kind == ANSWER_KIND:
            facts |= self._answer_facts(incoming, turn)
        elif row.kind == CHANGE_KIND:
            facts |= {"cancel": payload["cancel"]}
        else:
            facts |= self.countering.facts(payload["event"], turn)
        return Action(row.action_id, turn.tool_call_id, row.kind, "", payload.get("args", {}), facts)

    async def _countered(self, incoming: IncomingEvent, turn: Turn, *, in_doubt: bool) -> Response:
        """A card that moves the meeting; of a series, or when the guest may be somebody else, one that only tells."""
        there, proposed = incoming.assessment.there, incoming.invitation.entries[0]
        assert there is not None  # noqa: S101 - a proposal about what is not there is another case
        if in_doubt or incoming.claimed or there.recurrence or there.recurrence_id or there.cancelled:
            return await asyncio.to_thread(_told_of_proposal, incoming, there, turn)
        action = await asyncio.to_thread(
            self.countering.proposal,
            there,
            proposed,
            turn,
            self._facts(incoming, turn),
        )
        taken = await self.answering.collisions(
            replace(proposed, uid=there.uid), turn.conversation.current.mail_thread_id
        )
        action = replace(
            action,
            reasons=(*_said(incoming.invitation), *(() if taken else (FREE,)), *action.reasons),
            warnings=(*warnings_of(taken), *_outside(proposed, turn.user), *_warnings(incoming)),
        )
        return Response(await self.countering.with_others(action, turn))

    async def _noted(self, found: Assessment) -> Response:
        if found.there is None or found.guest is None:
            return Response(quiet="The calendar says so already.")
        # Who does not come is told also where the calendar has noted it by itself, or a run that was cut off has.
        await self.calendar.put(found.there.answered(found.guest.key, found.partstat))
        who = found.guest.name or found.guest.email
        told = f"{who} has answered “{found.there.title}”: {found.partstat}."
        if found.partstat is Partstat.DECLINED:
            return Response(notice=f"{{who}} does not come to “{found.there.title}”.", details=(told,))
        return Response(quiet=told)

    async def _invited(self, incoming: IncomingEvent, turn: Turn) -> Response:
        invitation, found, user = incoming.invitation, incoming.assessment, turn.user
        event, zone = invitation.entries[0], ZoneInfo(invitation.entries[0].timezone)
        answered_before = found.there is not None and found.what is SchedulingCase.CHANGED
        taken = await self.answering.collisions(event, turn.conversation.current.mail_thread_id)
        facts = {
            **self._facts(incoming, turn),
            **self._answer_facts(incoming, turn),
            "collisions": [collision_key(event, each) for each in taken],
            "meeting": {
                "asked": None,
                "options": [],
                "collisions": collisions_of(taken),
                **shown(replace(event, start=event.start.astimezone(zone), end=event.end.astimezone(zone))),
            },
        }
        action = Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=INVITATION.name,
            title=title(f"{INVITATION.begins}{event.title}"),
            args={"answer": Partstat.ACCEPTED.value, "comment": ""},
            facts=facts,
            revision=turn.revision,
            headline="{who} has changed an event; please answer anew." if answered_before else "",
            summary=await asyncio.to_thread(_summary, event, incoming, user),
            reasons=(
                *_said(invitation),
                *(() if taken else (FREE,)),
            ),
            effects=(f"{facts['organizer']['email']} gets your answer by mail.",),
            warnings=(*warnings_of(taken), *_outside(event, user), *_warnings(incoming)),
        )
        return Response(await self.answering.with_others(action, turn))

    async def _changed(self, incoming: IncomingEvent, turn: Turn) -> Response:
        found = incoming.assessment
        event = found.there if found.what is SchedulingCase.CANCELLED else incoming.invitation.entries[0]
        assert event is not None  # noqa: S101 - what is cancelled is there
        begins, headline = _CHANGES[found.what]
        action = Action(
            id=turn.action_id,
            tool_call_id=turn.tool_call_id,
            kind=CHANGE.name,
            title=title(f"{begins}{event.title}"),
            args={},
            facts={**self._facts(incoming, turn), "cancel": found.what is SchedulingCase.CANCELLED},
            revision=turn.revision,
            headline=headline,
            summary=await asyncio.to_thread(_summary, event, incoming, turn.user),
            reasons=_said(incoming.invitation),
            warnings=_warnings(incoming),
        )
        return Response(await self.changing.with_others(action, turn))

    def _facts(self, incoming: IncomingEvent, turn: Turn) -> dict[str, Any]:
        """Of every action: what it is about, and the events as they go into the calendar."""
        invitation = incoming.invitation
        return {
            "subject_key": reply_key(self.answering.sending.mailbox.name, turn.conversation.current),
            "entries": [event_json(_kept(each, incoming, turn.user)) for each in invitation.entries],
            "uid": invitation.uid,
            "sequence": invitation.sequence,
            "recurrence_id": invitation.recurrence_id and invitation.recurrence_id.isoformat(),
            "doer": asdict(turn.doer),
            "timezone": turn.user.timezone,
        }

    def _answer_facts(self, incoming: IncomingEvent, turn: Turn) -> dict[str, Any]:
        """Of an answer: who gives it to whom, and where its mail belongs."""
        invitation, there, message = incoming.invitation, incoming.assessment.there, turn.conversation.current
        me = next(each for each in invitation.attendees if each.key in turn.user.own)
        # Who is only claimed to write is answered, and not who did.
        organizer = incoming.claimed or invitation.organizer
        in_reply_to, references = reply_headers(message)
        return {
            "me": asdict(me),
            "given": (there.partstat_of(me.key) if there else Partstat.NEEDS_ACTION).value,
            "organizer": asdict(organizer if organizer.email else message.sender),
            "sender": asdict(turn.user.sender),
            "stamp": self.clock.now().astimezone(UTC).replace(microsecond=0).isoformat(),
            "in_reply_to": in_reply_to,
            "references": list(references),
            "mail_thread_id": message.mail_thread_id,
        }


def _outside(event: Event, user: User) -> tuple[str, ...]:
    return outside_hours(event, user.working_hours, user.timezone)


def _fits(invitation: Invitation) -> bool:
    """Whether a calendar can take it."""
    try:
        check_uid(invitation.uid)
        for entry in invitation.entries:
            check_event(entry)
    except InputError:
        return False
    return True


def _assessed(invitation: Invitation, there: Event | None, sender: Address, user: User) -> Assessment:
    return assess(invitation, there, sender=sender, own=user.own, zone=user.timezone)


def _says(incoming: IncomingEvent, row: OutboxRow, user: User) -> bool:
    """Whether the calendar says what was approved and begun."""
    there, what = incoming.assessment.there, incoming.assessment.what
    if there is None:
        return False
    if row.kind == COUNTER.name:
        moved = event_of_json(row.payload["event"])
        return (there.sequence, there.start, there.end) == (moved.sequence, moved.start, moved.end)
    given = {there.partstat_of(key).value for key in user.own}
    return what is SchedulingCase.KNOWN and (
        row.kind == CHANGE_KIND or row.payload["args"]["answer"] in given
    )


def _kept(entry: Event, incoming: IncomingEvent, user: User) -> Event:
    """The event as it goes into the calendar: an answer that stays is kept, and it is whose it is."""
    there = incoming.assessment.there
    if there and incoming.assessment.what in _STAYS:
        for key in user.own:
            entry = entry.answered(key, there.partstat_of(key))
    return replace(entry, organizer=incoming.claimed) if incoming.claimed else entry


def _summary(event: Event, incoming: IncomingEvent, user: User) -> str:
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


def _said(invitation: Invitation) -> tuple[str, ...]:
    return (f"They say: {invitation.comment}",) if invitation.comment else ()


def _warnings(incoming: IncomingEvent) -> tuple[str, ...]:
    claimed = incoming.claimed
    false = f"It claims to be from {claimed.email}, who did not send this mail." if claimed else ""
    return tuple(filter(None, (false, *incoming.invitation.notes)))


def _told_of_proposal(incoming: IncomingEvent, there: Event, turn: Turn) -> Response:
    proposed = incoming.invitation.entries[0]
    zone = turn.user.timezone
    told = (
        f"“{there.title}” is on {in_clock(there, zone)} ({zone}).",
        f"Proposed instead: {in_clock(proposed, zone)} ({zone}).",
        "Nothing was changed: move the meeting, or answer the mail.",
    )
    return Response(
        notice=f"{{who}} proposes another time for “{there.title}”: {in_clock(proposed, zone)}.",
        details=(*told, *_said(incoming.invitation), *_warnings(incoming)),
    )

"""What a mail's calendar part asks of the user: the card that is shown, or what is noted or told without one.

A stranger's calendar part gives no orders: nothing of it enters the calendar and nothing leaves before a person has approved it. What is
noted without a card is a guest's answer to a meeting of the user's own, when the receiving host vouches for whom it is from.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.conflicts import collision_key, warnings_of
from email_assistant.calendars.event import Event, Partstat
from email_assistant.calendars.incoming import SchedulingCase, in_clock
from email_assistant.calendars.invitation import invitations_of
from email_assistant.calendars.invitation_event import next_time
from email_assistant.clock import Clock, now_for
from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.journal.records import OutboxRow, OutboxStatus
from email_assistant.mail.address import Address
from email_assistant.mail.conversation import reply_headers
from email_assistant.mail.headers import vouched_by
from email_assistant.mail.message import Message
from email_assistant.meetings.answer_mail import AnswerDetails, answer_line
from email_assistant.meetings.answers import (
    ANSWER_KIND,
    CHANGE,
    CHANGE_KIND,
    EVENT_FIELDS,
    INVITATION,
    NOTICE,
    AnswerInvitation,
    CalendarNotice,
    ChangeCalendar,
    ChangeDetails,
)
from email_assistant.meetings.guest_letter import reader_of
from email_assistant.meetings.incoming import (
    TO_ANSWER,
    DoneBefore,
    IncomingEvent,
    Response,
    asked_in,
    claim_warnings,
    fits,
    judged,
    kept,
    newest,
    notice_of_claim,
    notice_of_proposal,
    said_by,
    said_with,
    since,
    summary,
    titled,
    with_waiting,
)
from email_assistant.meetings.series import Clash, describe_occurrences, occurrences_of, unwanted
from email_assistant.meetings.times import as_meeting, shown
from email_assistant.models.offline.preferences import Wanted, nothing
from email_assistant.review.action import Action
from email_assistant.review.kinds import kind_of
from email_assistant.tools.drafts import reply_key
from email_assistant.tools.tool import Done, Turn, User

_CHANGES = {
    SchedulingCase.UPDATED: ("Update in calendar: ", "{who} has changed an event; your answer stays."),
    SchedulingCase.PUBLISHED: ("Add to calendar: ", "{who} sends an event; nobody asks for an answer."),
    SchedulingCase.FOR_OTHERS: ("Add to calendar: ", "{who} sends an invitation that does not ask you."),
    SchedulingCase.CANCELLED: ("Remove from calendar: ", "{who} has cancelled an event."),
    SchedulingCase.ANSWERED: ("Note in calendar: ", "{who} has answered an invitation of yours."),
}
_TOLD = {
    SchedulingCase.OUTDATED: "{who} sends an event as it was; your calendar has a newer version, and nothing was done.",
    SchedulingCase.NOT_THERE: "{who} writes about an event that is not in your calendar; there is nothing to do there.",
    SchedulingCase.UNINVITED: "{who} answers an invitation of yours without being among its guests; nothing was noted.",
    SchedulingCase.REFRESH: "{who} asks for the present state of a meeting of yours.",
    SchedulingCase.REFUSED: "{who} does not take the time that you proposed.",
    SchedulingCase.ADDED: "{who} adds times to an event of your calendar; nothing was changed there.",
}
_OVER = TO_ANSWER | {SchedulingCase.PUBLISHED, SchedulingCase.FOR_OTHERS}


_COMES = {Partstat.ACCEPTED: "comes to", Partstat.TENTATIVE: "may come to"}

CardActor = AnswerInvitation | ChangeCalendar | CalendarNotice


@dataclass(frozen=True)
class InvitationDesk:
    """Reads calendar parts, and makes of them what is to be done."""

    calendar: Calendar
    clock: Clock
    answering: AnswerInvitation
    changing: ChangeCalendar
    noticing: CalendarNotice
    wanted: Wanted = nothing

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its cards."""
        return frozenset(self._actors)

    def actor(self, kind: str) -> CardActor:
        """What performs the cards of this kind; raises `LookupError` when they are none of these."""
        return self._actors[kind]

    @property
    def _actors(self) -> dict[str, CardActor]:
        actors: tuple[CardActor, ...] = (self.answering, self.changing, self.noticing)
        return {each.name: each for each in actors}

    def notice(self, incoming: IncomingEvent, found: Response, turn: Turn) -> Action | None:
        """The card that tells what has no other, of an event that the calendar has; None when there is nothing to tell."""
        there = incoming.assessment.there
        about = found.title or (there.title if there else "")
        if not about or not found.notice:
            return None
        return turn.action(
            NOTICE,
            about,
            {},
            headline=found.notice,
            reasons=found.details,
        )

    async def incoming(self, message: Message, user: User) -> IncomingEvent | None:
        """What the message's calendar part comes to; None without one that can be read, and of the user's own."""
        invitation = await asyncio.to_thread(
            invitations_of, message, zone=user.timezone, now=now_for(self.clock, message.arrived)
        )
        if invitation is None or not await asyncio.to_thread(fits, invitation):
            return None
        try:
            there = await self.calendar.find(invitation.uid, invitation.recurrence_id)
            rest = there or (invitation.recurrence_id and await self.calendar.find(invitation.uid))
        except (TransientError, AccessError):
            raise
        except ProviderError:
            return None  # Nobody knows when the calendar's own event is.
        incoming = await asyncio.to_thread(judged, invitation, there, rest or None, message, user)
        is_nothing = incoming.assessment.what in {SchedulingCase.UNREADABLE, SchedulingCase.OWN}
        return None if is_nothing else incoming

    async def response(self, incoming: IncomingEvent, turn: Turn, *, in_doubt: bool) -> Response | DoneBefore:
        """What is to be done, unless it was approved earlier. With doubts about the sender nothing is noted."""
        if before := await self._done_before(incoming, turn):
            return before
        message, user = turn.conversation.current, turn.user
        if in_doubt and message.sender.key in user.own:
            incoming = replace(incoming, claimed=message.sender)
        if in_doubt and incoming.route and incoming.is_forwarded:  # Nobody knows who forwards it.
            incoming = replace(incoming, route=replace(incoming.route, how="sent"))
        said = said_by(incoming, message, user)
        log = self.answering.crossing.log
        others = await log.noted(said) if not (in_doubt or incoming.claimed) else []
        if newer := newest(said, others):
            later = since(newer, said)
            # Where a cancellation of what is not in the calendar has no card, this one tells it.
            notice = f"{{who}} invites you. {later}" if newer.cancels else ""
            return Response(quiet=later, notice=notice, title=said.title)
        return with_waiting(await self._response(incoming, turn, in_doubt=in_doubt), said, others)

    async def _response(self, incoming: IncomingEvent, turn: Turn, *, in_doubt: bool) -> Response:
        if incoming.claimed and (incoming.known or incoming.claimed.key in turn.user.own):
            return notice_of_claim(incoming)
        what = incoming.assessment.what
        if incoming.invitation.is_over and what in _OVER:
            return await asyncio.to_thread(_over, incoming, turn.user)
        if what is SchedulingCase.COUNTERED:
            return await asyncio.to_thread(notice_of_proposal, incoming, turn)
        proven = not in_doubt and vouched_by(turn.conversation.current, host=turn.user.mail_host)
        if what is SchedulingCase.KNOWN or (what is SchedulingCase.ANSWERED and proven):
            return await self._noted(incoming, turn)
        if what in TO_ANSWER or what in _CHANGES:
            return await (self._invited if what in TO_ANSWER else self._changed)(incoming, turn)
        text = _TOLD.get(what, "{who} sends a calendar message; nothing was noted of it.")
        return Response(notice=text, details=claim_warnings(incoming), title=incoming.claim)

    async def _done_before(self, incoming: IncomingEvent, turn: Turn) -> DoneBefore | None:
        """What this run thread did of it, approved, and does not remember; what it had begun is brought to its end.

        That is so where the calendar says it by now: the message would count as known, and nobody would be asked again. What
        the calendar does not say was not done, and the person is asked.
        """
        subject = self._subject(turn)
        for actor in (self.answering, self.changing):
            for row in await actor.forgotten_rows(subject, turn):
                if row.status is OutboxStatus.done or _says(incoming, row, turn.user):
                    approved = await self._approved(incoming, row, turn)
                    done = await actor.perform(approved, acknowledged=frozenset())
                    if isinstance(done, Done):
                        return DoneBefore(done.text, kind_of(actor.name).outcome)
                await actor.outbox.did_not_happen(row.action_id)
        return None

    async def _approved(self, incoming: IncomingEvent, row: OutboxRow, turn: Turn) -> Action:
        """The action of that row: what the outbox keeps of it, and the message says of all else."""
        card, payload = INVITATION if row.kind == ANSWER_KIND else CHANGE, row.payload
        details = (
            await self._answer_details(incoming, turn)
            if row.kind == ANSWER_KIND
            else self._change_details(incoming, turn, cancel=payload["cancel"])
        )
        action = turn.action(card, "", payload.get("args", {}), subject_key=row.subject_key, details=details)
        return replace(action, id=row.action_id)

    async def _noted(self, incoming: IncomingEvent, turn: Turn) -> Response:
        found, message = incoming.assessment, turn.conversation.current
        if found.there is None or found.guest is None:
            return Response(quiet="The calendar says so already.")
        # Who does not come is told also where the calendar has noted it by itself, or a run that was cut off has.
        if found.what is SchedulingCase.ANSWERED:
            await self.calendar.put(found.there.answered(found.guest.key, found.partstat))
        who = found.guest.name or found.guest.email
        text = f"{who} has answered “{found.there.title}”: {found.partstat}."
        said = await asyncio.to_thread(said_with, incoming.invitation, message)
        if found.partstat is Partstat.DECLINED:
            return Response(notice=f"{{who}} does not come to “{found.there.title}”.", details=(text, *said))
        if incoming.invitation.comment or asked_in(incoming.invitation, message):
            verb = _COMES.get(found.partstat, "answers about")
            return Response(
                notice=f"{{who}} {verb} “{found.there.title}”, and says more.", details=(text, *said)
            )
        return Response(quiet=text)

    async def _invited(self, incoming: IncomingEvent, turn: Turn) -> Response:
        invitation, found, user = incoming.invitation, incoming.assessment, turn.user
        event = invitation.entries[0]
        headline = incoming.route.headline if incoming.route else ""
        if found.there is not None and found.what is SchedulingCase.CHANGED:
            headline = "{who} has changed an event; please answer anew."
        occurrences = occurrences_of(event, invitation.times)
        clashes = await self._clashes(occurrences, turn)
        taken = [each for _, each in clashes]
        reasons, warnings = await asyncio.to_thread(describe_occurrences, occurrences, clashes, user.timezone)
        # The series itself is told: that its first time is the next says nothing more.
        first = next_time(event.start, user.timezone, all_day=event.all_day)
        details = replace(
            await self._answer_details(incoming, turn),
            times=invitation.times,
            collisions=tuple(collision_key(one, each) for one, each in clashes),
            # What somebody asks who forwards it is not for the organizer.
            asks=() if incoming.is_forwarded else asked_in(invitation, turn.conversation.current),
        )
        # Whoever repeats something by UTC means no hour of a clock there.
        shown_event = replace(event, timezone=user.timezone) if event.timezone == "UTC" else event
        now = now_for(self.clock, turn.conversation.arrived)
        action = turn.action(
            INVITATION,
            titled(event.title, incoming),
            {"answer": Partstat.ACCEPTED.value, "comment": ""},
            subject_key=self._subject(turn),
            details=details,
            meeting=await asyncio.to_thread(as_meeting, shown_event, taken, now),
            headline=headline,
            summary=await asyncio.to_thread(summary, event, incoming, user),
            reasons=(*said_with(invitation, turn.conversation.current), *reasons),
            warnings=(
                *(each for each in claim_warnings(incoming) if each != first),
                *warnings,
                *await unwanted(event, self.calendar, await self.wanted(), turn),
            ),
        )
        action = replace(action, effects=(answer_line(action),))
        return Response(await self.answering.with_others(action, turn))

    async def _changed(self, incoming: IncomingEvent, turn: Turn) -> Response:
        found = incoming.assessment
        is_there = found.what in {SchedulingCase.CANCELLED, SchedulingCase.ANSWERED}
        event = found.there if is_there else incoming.invitation.entries[0]
        assert event is not None  # noqa: S101 - what is cancelled is there
        begins, headline = _CHANGES[found.what]
        if found.partstat is Partstat.DECLINED:
            headline = f"{{who}} does not come to “{event.title}”."
        cancels = found.what is SchedulingCase.CANCELLED
        taken = None if is_there else await self._conflicts(event, turn)
        now = now_for(self.clock, turn.conversation.arrived)
        meeting = await asyncio.to_thread(as_meeting, event, taken, now)
        action = turn.action(
            CHANGE,
            titled(event.title, incoming),
            {name: text for name, text in shown(event).items() if name in EVENT_FIELDS},
            begins=begins,
            subject_key=self._subject(turn),
            details=self._change_details(incoming, turn, cancel=cancels),
            meeting=meeting,
            headline=headline,
            summary=await asyncio.to_thread(summary, event, incoming, turn.user),
            reasons=said_with(incoming.invitation, turn.conversation.current),
            warnings=(*warnings_of(taken or ()), *claim_warnings(incoming)),
        )
        return Response(await self.changing.with_others(action, turn))

    async def _conflicts(self, event: Event, turn: Turn) -> list[Event]:
        return [each for _, each in await self._clashes([event], turn)]

    async def _clashes(self, occurrences: Sequence[Event], turn: Turn) -> list[Clash]:
        return await self.answering.clashes(occurrences)

    def _subject(self, turn: Turn) -> str:
        return reply_key(self.answering.sending.mailbox.name, turn.conversation.current)

    def _common(self, incoming: IncomingEvent, turn: Turn) -> dict[str, Any]:
        """The fields of `CalendarDetails`."""
        invitation = incoming.invitation
        return {
            "uid": invitation.uid,
            "recurrence_id": invitation.recurrence_id,
            "entries": tuple(kept(each, incoming, turn.user) for each in invitation.entries),
            "calendar_mail": said_by(incoming, turn.conversation.current, turn.user),
            "mail_from": turn.conversation.current.sender.email,
            "since": turn.conversation.current.date,
            "claim": incoming.claim,
        }

    def _change_details(self, incoming: IncomingEvent, turn: Turn, *, cancel: bool) -> ChangeDetails:
        guest, partstat = incoming.assessment.guest, incoming.assessment.partstat
        return ChangeDetails(
            **self._common(incoming, turn), cancel=cancel, guest=guest.key if guest else "", partstat=partstat
        )

    async def _answer_details(self, incoming: IncomingEvent, turn: Turn) -> AnswerDetails:
        invitation, there, message = incoming.invitation, incoming.assessment.there, turn.conversation.current
        route = incoming.route
        me = next((each for each in invitation.attendees if each.key in turn.user.own), turn.user.sender)
        me = route.me if route else me
        # Who the calendar says invites is answered, or who is only claimed to write, and not who did.
        organizer = (there and there.organizer) or incoming.claimed or invitation.organizer
        organizer = organizer if organizer.email else message.sender
        in_reply_to, references = reply_headers(message)
        sender = Address(me.email, turn.user.sender.name) if me.key in turn.user.own else turn.sender
        return AnswerDetails(
            **self._common(incoming, turn),
            sequence=invitation.sequence,
            me=me,
            is_guest=not route or route.how == "list",
            given=there.partstat_of(me.key) if there else Partstat.NEEDS_ACTION,
            organizer=organizer,
            sender=sender,
            reader=await asyncio.to_thread(
                reader_of, message, await self.wanted(), is_theirs=message.sender.key == organizer.key
            ),
            stamp=now_for(self.clock, message.arrived).astimezone(UTC).replace(microsecond=0),
            in_reply_to=in_reply_to,
            references=references,
            mail_thread_id=message.mail_thread_id,
        )


def _over(incoming: IncomingEvent, user: User) -> Response:
    """Of an event that nobody can come to any more: that it was, and that nobody answered."""
    event = incoming.invitation.entries[0]
    asked = incoming.assessment.what in TO_ANSWER
    text = f"{{who}} {'invited you to' if asked else 'sent'} “{event.title}”. This was {in_clock(event, user.timezone)}"
    notice = f"{text}; you did not answer." if asked else f"{text}."
    return Response(notice=notice, details=claim_warnings(incoming), title=f"{event.title} is over")


def _says(incoming: IncomingEvent, row: OutboxRow, user: User) -> bool:
    """Whether the calendar says what was approved and begun."""
    there, what = incoming.assessment.there, incoming.assessment.what
    if there is None:
        return False
    given = {there.partstat_of(key).value for key in user.own}
    return what is SchedulingCase.KNOWN and (
        row.kind == CHANGE_KIND or row.payload["args"]["answer"] in given
    )

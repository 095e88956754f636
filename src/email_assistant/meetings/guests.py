"""Mail to the guests of the user's own meetings, where the calendar itself writes to nobody: one to each, once for each approval."""

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.itip_text import Method, organizers_text
from email_assistant.clock import Clock, now_for
from email_assistant.effects.once import Effect, perform_once
from email_assistant.effects.outbox import Reconciled
from email_assistant.effects.store import Intent
from email_assistant.errors import UncertainError
from email_assistant.facts.fact import Source
from email_assistant.mail.address import Address, unique
from email_assistant.mail.conversation import reply_headers
from email_assistant.mail.message import Conversation, OutgoingMessage
from email_assistant.meetings.guest_letter import Envelope, Occasion, letter, people_of
from email_assistant.models.offline.courtesy import first_name
from email_assistant.models.offline.offers import answer_to_offer
from email_assistant.models.offline.preferences import Preferences, Wanted, nothing
from email_assistant.models.offline.reading import body_words
from email_assistant.review.action import Action
from email_assistant.tools.draft_check import found_nowhere
from email_assistant.tools.drafts import reply_key
from email_assistant.tools.meeting_words import in_words
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Turn

_TOLD = ":guests"
"""Follows the id of the action that the guests are told of."""
_NAMED = 5
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class GuestLetter:
    """What one guest of a meeting is written once it was made, changed or called off."""

    action: Action
    """That it is told of."""
    envelope: Envelope
    method: Method
    event: Event
    about: Occasion
    guest: Address
    suffix: str
    """Of its ids, where one action writes several letters."""

    @property
    def said(self) -> str:
        """The user's own words to the guests; who is no longer one has nothing of them."""
        return self.action.args.get("message", "") if self.method == "REQUEST" else ""

    @property
    def message_id(self) -> str:
        """The same in every repeat."""
        return self.envelope.message.message_id.replace("@", f"{self.suffix}@", 1)


@dataclass(frozen=True)
class Guests(Effect[GuestLetter, Address]):
    """Writes to the guests of meetings that the user organises, where the calendar does not."""

    calendar: Calendar
    sending: Sending
    timezone: str
    """IANA zone of the calendar's owner."""
    clock: Clock
    """By which a letter's days are written."""
    wanted: Wanted = nothing
    kind: ClassVar[str] = "guests"

    @property
    def silent(self) -> bool:
        """Whether no mail goes out from here: the calendar writes it, or nobody can."""
        return self.calendar.writes_to_guests or not self.sending.mailbox.sends

    def envelope(
        self, turn: Turn, *, was: Event | None = None, event: Event | None = None, named: Sequence[str] = ()
    ) -> Envelope | None:
        """The envelope of the mails to guests of `event`; None where nobody can be written to. `named` are the times that the mail names.

        The mail stands in the conversation, of which it answers no message: the reply to that is a letter of its own. It has an
        id that is the same whenever the turn is replayed.
        """
        if self.silent or not turn.user.address.email:
            return None
        sender = turn.sender
        current = turn.conversation.current
        _, references = reply_headers(current)
        key = hashlib.sha256(f"{turn.action_id}{_TOLD}".encode()).hexdigest()[:32]
        message_id = f"<{key}@{sender.domain or 'localhost'}>"
        envelope = Envelope(
            OutgoingMessage(
                sender, (), "", "", message_id, references=references, mail_thread_id=current.mail_thread_id
            ),
            subject_key=reply_key(self.sending.mailbox.name, current),
            people=people_of(turn.conversation),
            writer=current.sender.key,
            was=was,
        )
        return envelope.at_time_of(event, named, self.timezone) if event else envelope

    def card_effects(
        self, guests: Sequence[Address], envelope: Envelope | None, *, what: str
    ) -> tuple[str, ...]:
        """Who is written to when the card is accepted, in one sentence; `what` is like "an invitation"."""
        others = [each for each in guests if envelope is None or each.key != envelope.message.sender.key]
        if not others:
            return ()
        shown = [f"{each.name} ({each.email})" if each.name else each.email for each in others[:_NAMED]]
        more = [f"{len(others) - _NAMED} more"] if len(others) > _NAMED else []
        names = " and ".join(filter(None, [", ".join([*shown, *more][:-1]), [*shown, *more][-1]]))
        gets = "gets" if len(others) == 1 else "get"
        if self.calendar.writes_to_guests:
            return (f"{names} {gets} {what} from the calendar.",)
        if not self.sending.mailbox.sends:
            return (f"{names} {gets} no mail, because the account has no server to send over.",)
        if envelope is None:
            return (f"{names} {gets} no mail, because EMAIL_ASSISTANT_EMAIL does not say who you are.",)
        return (f"{names} {gets} {what} by mail.",)

    async def notify(
        self,
        action: Action,
        envelope: Envelope | None,
        method: Method,
        event: Event,
        about: Occasion,
        *,
        suffix: str = "",
    ) -> tuple[Address, ...]:
        """Mail each guest of a meeting that has been made, changed or called off; who got it.

        Nobody does without an envelope. Each mail is sent once, however often this is repeated: its Message-ID tells
        whether it is out. Raises `ProviderError` when it cannot be sent, `TransientError` when that may pass,
        `UncertainError` when all are written to and nobody can tell whether some of them got it.
        """
        if envelope is None or self.silent:
            return ()
        guests = tuple(each for each in event.attendees if each.key != envelope.message.sender.key)
        doubts = list[str]()
        for guest in guests:
            # One guest's letter has the id it always had.
            own = f".{hashlib.sha256(guest.key.encode()).hexdigest()[:12]}" if len(guests) > 1 else ""
            what = GuestLetter(action, envelope, method, event, about, guest, f"{suffix}{own}")
            try:
                await perform_once(self.sending.outbox, self, what)
            except UncertainError as error:
                doubts.append(f"whether {guest.email} got the mail is not known: {error.reason}")
        if doubts:
            raise UncertainError("; ".join(doubts))
        return guests

    def intent(self, what: GuestLetter) -> Intent:
        """Once for each guest of an action that it tells of."""
        payload = {
            "method": what.method,
            "uid": what.event.uid,
            "sequence": what.event.sequence,
            "message_id": what.message_id,
            "to": [what.guest.email],
        }
        action_id = f"{what.action.id}{_TOLD}{what.suffix}"
        return Intent(action_id, self.kind, what.envelope.subject_key, payload, what.action.doer)

    async def do(self, what: GuestLetter) -> dict[str, Any]:
        """Send it."""
        # Zones are read from disk.
        message = await asyncio.to_thread(self._message, what, await self.wanted())
        return {"sent_id": await self.sending.send(message), "message_id": what.message_id}

    async def found(self, what: GuestLetter) -> Reconciled:
        """By what the mailbox knows of it."""
        return await self.sending.whether_sent(what.message_id)

    async def after(self, what: GuestLetter, result: Mapping[str, Any]) -> Address:
        """Who got it."""
        return what.guest

    def _message(self, what: GuestLetter, wanted: Preferences) -> OutgoingMessage:
        envelope, event = what.envelope, what.event
        now = now_for(self.clock, what.action.arrived)
        subject, body = letter(
            what.about, event, what.guest, envelope, own=self.timezone, wanted=wanted, now=now, said=what.said
        )
        calendar = organizers_text(
            what.method,
            event,
            organizer=envelope.message.sender,
            stamp=self.sending.clock.now(),
            owner=ZoneInfo(self.timezone),
        )
        return replace(
            envelope.message,
            to=(what.guest,),
            subject=subject,
            body=body,
            message_id=what.message_id,
            calendar=calendar,
        )


def guests_wanted(conversation: Conversation, own: frozenset[str]) -> list[Address]:
    """Whom a mail wants at its meeting: its sender, and who has the mail and is named in it, or before where it takes an offered time."""
    current, asking = conversation.current, [conversation.current]
    if answer_to_offer(conversation):
        asking += [each for each in conversation.earlier if not each.sent]
    words = frozenset(word for each in asking for word in _WORD.findall(body_words(each).lower()))
    named = (each for each in (*current.to, *current.cc) if _first(each) in words)
    return [each for each in unique((current.sender, *named)) if each.email and each.key not in own]


def left_out(event: Event, turn: Turn) -> tuple[str, ...]:
    """A warning for each who has the mail that asks for the meeting, and is none of its guests."""
    current, known = turn.conversation.current, turn.user.own | {each.key for each in event.attendees}
    others = [each for each in unique((*current.to, *current.cc)) if each.key not in known]
    return tuple(
        f"Not invited, and has this mail, too: {each.name or each.email}" for each in others[:_NAMED]
    )


def answers_for_others(turn: Turn) -> tuple[str, ...]:
    """A warning where the times that a mail takes were offered to somebody else."""
    if not turn.is_from_outside or not answer_to_offer(turn.conversation):
        return ()
    sent = [each for each in turn.conversation.earlier if each.sent]
    asked = unique(each for letter in sent for each in letter.to if each.key not in turn.user.own)
    sender, names = turn.conversation.current.sender, [each.name or each.email for each in asked[:_NAMED]]
    return (
        f"{sender.email} had no part in this conversation before: the times were offered to {', '.join(names)}.",
    )


async def said_nowhere(event: Event, turn: Turn, now: datetime, own: str) -> tuple[str, ...]:
    """Warnings about what the guests would be told and nobody has said; the meeting's own time, by the clock of `own`, is its matter."""
    if not event.description:
        return ()
    about = Source("the meeting", f"{event.title}\n{in_words(event, own=own)}", "ours", now)
    return await found_nowhere(event.description, replace(turn, sources=(*turn.sources, about)), now)


def _first(address: Address) -> str:
    return first_name(address).lower()


def new_guests(event: Event, turn: Turn) -> tuple[str, ...]:
    """A warning for each guest who has no part in the conversation so far."""
    known = turn.participants()
    return tuple(
        f"New guest, not in this conversation so far: {a.email}"
        for a in event.attendees
        if a.key not in known
    )

"""What the guests of the user's own meetings are mailed, where the calendar itself writes to nobody: once for each approval."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from email_assistant.calendars.calendar import Calendar
from email_assistant.calendars.event import Event
from email_assistant.calendars.itip_text import Method, organizers_text
from email_assistant.effects.once import Effect, perform_once
from email_assistant.effects.outbox import Happened, NotHappened, Reconciled
from email_assistant.effects.store import Intent
from email_assistant.language.languages import language_of
from email_assistant.mail.address import Address
from email_assistant.mail.message import OutgoingMessage
from email_assistant.mail.threading import reply_headers
from email_assistant.models.offline.reading import body_words
from email_assistant.review.action import Action
from email_assistant.tools.drafts import reply_key
from email_assistant.tools.earlier import doer_in
from email_assistant.tools.guest_letter import INVITED, Occasion, letter
from email_assistant.tools.sending import Sending
from email_assistant.tools.tool import Turn

_TOLD = ":guests"
"""Follows the id of the action that the guests are told of."""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class GuestLetter:
    """What the guests of a meeting are written once it was made, changed or called off."""

    action: Action
    """That it is told of."""
    method: Method
    event: Event
    about: Occasion
    guests: tuple[Address, ...]
    suffix: str
    """Of its ids, where one action writes two letters."""

    @property
    def envelope(self) -> Mapping[str, Any]:
        """See `Guests.envelope`."""
        envelope: Mapping[str, Any] = self.action.facts["envelope"]
        return envelope

    @property
    def message_id(self) -> str:
        """The same in every repeat."""
        return str(self.envelope["message_id"]).replace("@", f"{self.suffix}@", 1)


@dataclass(frozen=True)
class Guests(Effect[GuestLetter, tuple[Address, ...]]):
    """Writes to the guests of meetings that the user organises, where the calendar does not."""

    calendar: Calendar
    sending: Sending
    timezone: str
    """IANA zone of the calendar's owner."""
    kind: ClassVar[str] = "guests"

    def envelope(self, turn: Turn) -> dict[str, Any] | None:
        """What a mail to guests needs besides the meeting, for the facts of an action; None where nobody can be written to.

        The mail stands in the conversation, of which it answers no message: the reply to that is a letter of its own. It has an
        id that is the same whenever the turn is replayed.
        """
        sender = turn.user.address
        if not sender.email or self.calendar.writes_to_guests:
            return None
        current = turn.conversation.current
        _, references = reply_headers(current)
        key = hashlib.sha256(f"{turn.action_id}{_TOLD}".encode()).hexdigest()[:32]
        return {
            "sender": sender.email,
            "sender_name": sender.name,
            "message_id": f"<{key}@{sender.domain or 'localhost'}>",
            "references": list(references),
            "mail_thread_id": current.mail_thread_id,
            # By this a mail of ours is told from an answer that the person wrote elsewhere.
            "subject_key": reply_key(self.sending.mailbox.name, current),
            "language": language_of(body_words(current)),
        }

    def told_on_card(
        self, guests: Sequence[Address], envelope: Mapping[str, Any] | None, *, what: str
    ) -> tuple[str, ...]:
        """Who is written to when the card is accepted, in one sentence; `what` is like "an invitation"."""
        others = [each for each in guests if envelope is None or each.key != str(envelope["sender"]).lower()]
        if not others:
            return ()
        shown = [f"{each.name} ({each.email})" if each.name else each.email for each in others[:_NAMED]]
        more = [f"{len(others) - _NAMED} more"] if len(others) > _NAMED else []
        names = " and ".join(filter(None, [", ".join([*shown, *more][:-1]), [*shown, *more][-1]]))
        gets = "gets" if len(others) == 1 else "get"
        if self.calendar.writes_to_guests:
            return (f"{names} {gets} {what} from the calendar.",)
        if envelope is None:
            return (f"{names} {gets} no mail, because EMAIL_ASSISTANT_EMAIL does not say who you are.",)
        return (f"{names} {gets} {what} by mail.",)

    async def tell(
        self, action: Action, method: Method, event: Event, *, about: Occasion = INVITED, suffix: str = ""
    ) -> tuple[Address, ...]:
        """Mail the guests of a meeting that has been made, changed or called off; who got it.

        Nobody does of an action without an envelope. The mail is sent once, however often this is repeated: its Message-ID tells
        whether it is out. Raises `ProviderError` when it cannot be sent, `TransientError` when that may pass.
        """
        envelope: Mapping[str, Any] | None = action.facts.get("envelope")
        if envelope is None or self.calendar.writes_to_guests:
            return ()
        guests = tuple(each for each in event.attendees if each.key != str(envelope["sender"]).lower())
        if not guests:
            return ()
        return await perform_once(
            self.sending.outbox, self, GuestLetter(action, method, event, about, guests, suffix)
        )

    def intent(self, what: GuestLetter) -> Intent:
        """Once for each action that it tells of."""
        payload = {
            "method": what.method,
            "uid": what.event.uid,
            "sequence": what.event.sequence,
            "message_id": what.message_id,
            "to": [each.email for each in what.guests],
        }
        action_id = f"{what.action.id}{_TOLD}{what.suffix}"
        return Intent(action_id, self.kind, what.envelope["subject_key"], payload, doer_in(what.action))

    async def do(self, what: GuestLetter) -> dict[str, Any]:
        """Send it."""
        return {"sent_id": await self.sending.send(self._message(what)), "message_id": what.message_id}

    async def found(self, what: GuestLetter) -> Reconciled:
        """Sending takes the draft away in the same step: what is not among the sent ones was not sent."""
        sent = await self.sending.mailbox.find_sent(what.message_id)
        return Happened({"sent_id": sent, "message_id": what.message_id}) if sent else NotHappened()

    async def after(self, what: GuestLetter, result: Mapping[str, Any]) -> tuple[Address, ...]:
        """Who got it."""
        return what.guests

    def _message(self, what: GuestLetter) -> OutgoingMessage:
        envelope, event = what.envelope, what.event
        sender = Address(envelope["sender"], envelope["sender_name"])
        subject, body = letter(
            what.about, event, language=envelope["language"], own=self.timezone, signed=sender.name
        )
        calendar = organizers_text(
            what.method,
            event,
            uid=event.uid,
            sequence=event.sequence,
            organizer=sender,
            stamp=self.sending.clock.now(),
            owner=ZoneInfo(self.timezone),
            guests=what.guests,
        )
        return OutgoingMessage(
            sender=sender,
            to=what.guests,
            subject=subject,
            body=body,
            message_id=what.message_id,
            references=tuple(envelope["references"]),
            mail_thread_id=envelope["mail_thread_id"],
            calendar=calendar,
        )

"""What the guests of the user's own meetings are mailed, where the calendar itself writes to nobody: once for each approval."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.calendars.event import Event
from email_assistant.calendars.itip_text import Method, organizers_text
from email_assistant.effects.outbox import Happened, NotHappened, Reconciled
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

TOLD_KIND = "guests"
"""The kind of effect in the outbox."""
_TOLD = ":guests"
"""Follows the id of the action that the guests are told of."""
_NAMED = 5


@dataclass(frozen=True)
class Guests:
    """Writes to the guests of meetings that the user organises."""

    sending: Sending
    timezone: str
    """IANA zone of the calendar's owner."""

    def envelope(self, turn: Turn) -> dict[str, Any] | None:
        """What a mail to guests needs besides the meeting, for the facts of an action; None where nobody can be written to.

        The mail stands in the conversation, of which it answers no message: the reply to that is a letter of its own. It has an
        id that is the same whenever the turn is replayed.
        """
        sender = turn.user.address
        if not sender.email:
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
        self, guests: Sequence[Address], envelope: Mapping[str, Any] | None, *, by_calendar: bool, what: str
    ) -> tuple[str, ...]:
        """Who is written to when the card is accepted, in one sentence; `what` is like "an invitation"."""
        others = [each for each in guests if envelope is None or each.key != str(envelope["sender"]).lower()]
        if not others:
            return ()
        shown = [f"{each.name} ({each.email})" if each.name else each.email for each in others[:_NAMED]]
        more = [f"{len(others) - _NAMED} more"] if len(others) > _NAMED else []
        names = " and ".join(filter(None, [", ".join([*shown, *more][:-1]), [*shown, *more][-1]]))
        gets = "gets" if len(others) == 1 else "get"
        if by_calendar:
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
        if envelope is None:
            return ()
        guests = tuple(each for each in event.attendees if each.key != str(envelope["sender"]).lower())
        if not guests:
            return ()
        message_id = str(envelope["message_id"]).replace("@", f"{suffix}@", 1)

        async def do() -> dict[str, Any]:
            message = self._message(envelope, message_id, method, event, guests, about)
            return {"sent_id": await self.sending.send(message), "message_id": message_id}

        async def reconcile() -> Reconciled:
            sent = await self.sending.mailbox.find_sent(message_id)
            # Sending takes the draft away in the same step: what is not among the sent ones was not sent.
            return Happened({"sent_id": sent, "message_id": message_id}) if sent else NotHappened()

        await self.sending.outbox.perform(
            f"{action.id}{_TOLD}{suffix}",
            kind=TOLD_KIND,
            subject_key=envelope["subject_key"],
            payload={
                "method": method,
                "uid": event.uid,
                "sequence": event.sequence,
                "message_id": message_id,
                "to": [each.email for each in guests],
            },
            do=do,
            reconcile=reconcile,
            by=doer_in(action),
        )
        return guests

    def _message(
        self,
        envelope: Mapping[str, Any],
        message_id: str,
        method: Method,
        event: Event,
        guests: tuple[Address, ...],
        about: Occasion,
    ) -> OutgoingMessage:
        sender = Address(envelope["sender"], envelope["sender_name"])
        subject, body = letter(
            about, event, language=envelope["language"], own=self.timezone, signed=sender.name
        )
        calendar = organizers_text(
            method,
            event,
            uid=event.uid,
            sequence=event.sequence,
            organizer=sender,
            stamp=self.sending.clock.now(),
            owner=ZoneInfo(self.timezone),
            guests=guests,
        )
        return OutgoingMessage(
            sender=sender,
            to=guests,
            subject=subject,
            body=body,
            message_id=message_id,
            references=tuple(envelope["references"]),
            mail_thread_id=envelope["mail_thread_id"],
            calendar=calendar,
        )

"""How the user writes, counted in their sent mail on this machine; and the run whose card proposes to keep it."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from email_assistant.clock import short_day
from email_assistant.errors import InputError, ProviderError
from email_assistant.ingest.closing import Closing
from email_assistant.ingest.settling import READ_TOGETHER, conversations_of
from email_assistant.ingest.starter import Starter, run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.mail.email_input import OWN_STYLE, to_email_input
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.writing_style import (
    LEAST,
    WritingStyle,
    letter_lines,
    people_line,
    style_of,
)
from email_assistant.workflow_registry import NAMES

GRAPH = NAMES[0]
"""Shows the card."""
MOST = 1_000
"""Letters that are counted, the latest."""
FEWEST = 20
"""Fewer show no habits."""
REPLACED = "counted anew"
NOTE = "Counted on this machine in the mail that you have sent; no model was asked."


@dataclass(frozen=True)
class OwnStyle:
    """Reads what was sent, and proposes what it shows."""

    mailbox: Mailbox
    mail_log: MailLog
    starter: Starter
    closing: Closing
    own: frozenset[str]
    """The user's addresses, lower case."""
    name: str
    timezone: str

    async def letters(self) -> list[Message]:
        """The latest letters of the user's, the oldest first; raises `InputError` for too few."""
        listed: deque[tuple[str, str]] = deque(maxlen=MOST)
        async for each in self.mailbox.scan(MailQuery(sent=True)):
            listed.append((each.id, each.mail_thread_id))
        ids, names = dict(listed), list(dict.fromkeys(thread for _, thread in listed))
        found: list[Message] = []
        for start in range(0, len(names), READ_TOGETHER):
            read = await conversations_of(self.mailbox, names[start : start + READ_TOGETHER])
            messages = (m for each in read.values() if not isinstance(each, ProviderError) for m in each)
            found += [each for each in messages if each.sent and each.id in ids and _is_letter(each)]
        if len(found) < FEWEST:
            raise InputError(
                f"Letters of yours in Sent: {len(found)}. To see how you write, {FEWEST} are needed."
            )
        order = {each: number for number, each in enumerate(ids)}
        return sorted(found, key=lambda each: order[each.id])

    async def style(self, letters: Sequence[Message]) -> WritingStyle:
        """What is counted in them."""
        return await asyncio.to_thread(style_of, letters, self.own, self.name, ZoneInfo(self.timezone))

    async def propose(self, style: WritingStyle, letters: Sequence[Message]) -> MailRecord:
        """Start the run whose card shows it, in the place of one that still waits.

        It is about one of the letters, an old one: what waits for an answer is left to reminders. Raises `InputError` when each of them
        is another card's.
        """
        await self._end_others()
        counted = self._counted(style, letters)
        for letter in (each for each in letters if each.sender.key in self.own):
            record = MailRecord(
                mailbox=self.mailbox.name,
                message_id=letter.id,
                graph=GRAPH,
                mail_thread_id=OWN_STYLE,
                run_thread_id=run_thread_id(letter.id, OWN_STYLE),
                email_input={**to_email_input(Conversation(_note(letter, letters[-1]))), OWN_STYLE: counted},
                received_at=letter.date,
            )
            if await self.mail_log.claim(record):
                await self.starter.begin([record])
                return record
        raise InputError("Cards about your letters were made before: write one more, then count again.")

    async def _end_others(self) -> None:
        async for records in self.mail_log.each_with_status(MailStatus.waiting_review):
            for record in records:
                if OWN_STYLE in (record.email_input or {}) and record.mailbox == self.mailbox.name:
                    await self.closing.close(record, REPLACED)

    def _counted(self, style: WritingStyle, letters: Sequence[Message]) -> Mapping[str, Any]:
        """As `adopt_style` takes it."""
        days = [self._day(each.date) for each in (letters[0], letters[-1]) if each.date]
        others = {
            sender: number
            for sender, number in style.senders.items()
            if sender not in self.own and number >= LEAST
        }
        return {
            "letters": "\n".join(letter_lines(style)),
            "people": people_line(style),
            "counted": f"{style.letters} letters{', ' if days else ''}{' to '.join(days)}",
            "told": [
                f"{number} letters are from {sender}, which EMAIL_ASSISTANT_ALIASES does not name."
                for sender, number in others.items()
            ],
        }

    def _day(self, date: datetime) -> str:
        local = date.astimezone(ZoneInfo(self.timezone))
        return f"{short_day(local)} {local.year}"


def _note(letter: Message, latest: Message) -> Message:
    """What the card stands for in the place of the letter, which proves that the user asks: a note of the user's to nobody else."""
    return Message(
        letter.id,
        OWN_STYLE,
        letter.sender,
        "How you write",
        NOTE,
        date=latest.date,
        arrived=latest.arrived,
        sent=True,
    )


def _is_letter(message: Message) -> bool:
    """Whether the user has written it, by hand: no answer to an invitation, no automatic one."""
    return not (message.calendars or bulk_of(message).is_automatic) and bool(message.text.strip())

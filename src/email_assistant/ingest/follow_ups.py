"""Letters of the user's that ask something and that nobody has answered: for each, one reminder is drafted and waits for approval.

An answer is any later message of the conversation that no program wrote; a message under the same subject, or an invitation, of somebody
it went to, in another conversation; and whatever the user has written since. An automatic reply that names a day is waited for.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from email_assistant.clock import Clock
from email_assistant.errors import AccessError, NotFoundError, ProviderError, TransientError
from email_assistant.ingest.closing import Closing
from email_assistant.ingest.intake import MAX_EARLIER
from email_assistant.ingest.settling import READ_TOGETHER, conversations_of
from email_assistant.ingest.starter import Starter, run_thread_id
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.mailboxes import Cursors
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.language.days import days_in
from email_assistant.language.text import DAY_FIRST, language_of
from email_assistant.mail.conversation import base_subject, delivery_report
from email_assistant.mail.email_input import FOLLOWS_UP, to_email_input
from email_assistant.mail.headers import bulk_of, is_no_reply
from email_assistant.mail.mailbox import Mailbox, MailQuery
from email_assistant.mail.message import Conversation, Message
from email_assistant.models.offline.triage import is_automatic_reply
from email_assistant.models.offline.wanted import points_of
from email_assistant.tools.outgoing import addressees
from email_assistant.workflow_registry import NAMES
from email_assistant.working_hours import WorkingHours

GRAPH = NAMES[0]
"""Drafts the reminders."""
REACH = timedelta(days=21)
"""So old a letter may be."""
EVERY = timedelta(hours=1)
"""From one pass to the next."""
MOST = 10
"""Reminders begun in one pass."""
MAX_PEOPLE = 5
"""Letters to more people are no questions to any of them."""
MAX_READ = 20
"""Messages of other conversations that are read for an answer."""
ANSWERED = "answered since"
Standing = Literal["answered", "away", "due"]
"""Whether it needs no reminder any more, whoever got it is away, or it is time for one."""


@dataclass(frozen=True)
class FollowUps:
    """Finds letters that wait for an answer, and starts the run that drafts the reminder."""

    mailbox: Mailbox
    mail_log: MailLog
    starter: Starter
    closing: Closing
    cursors: Cursors
    own: frozenset[str]
    """The user's addresses, lower case."""
    days: int
    """Working days after which a letter is followed up; 0: never."""
    working: WorkingHours
    timezone: str
    clock: Clock
    """By which mail is read."""

    async def run(self, *, is_news: bool, anew: bool = False) -> int:
        """Begin what has become due since the last pass, at most once an hour; how many reminders that were.

        Cards whose letter was answered are closed, with `is_news` (mail has come, or was written elsewhere) at once. With `anew` older
        mail was brought in: the whole `REACH` is looked through.
        """
        last = await self.cursors.read(self._reader) if self.days and not anew else None
        is_due = bool(self.days) and (last is None or self.cursors.clock.now() - last.read_at >= EVERY)
        if is_news or is_due:
            await self._close_answered()
        if not is_due:
            return 0
        now = self.clock.now()
        until, since = self._due(now), now - REACH
        if last is not None:
            since = max(since, datetime.fromisoformat(last.value))
        begun, waits_since = await self._pass(since, until, now)
        await self.cursors.set(self._reader, min([until, *waits_since]).isoformat())
        return begun

    @property
    def _reader(self) -> str:
        return f"{self.mailbox.name} follow-ups"

    def _due(self, now: datetime) -> datetime:
        """What was written before then has waited for long enough."""
        local, left = now.astimezone(ZoneInfo(self.timezone)), self.days
        while left:
            local -= timedelta(days=1)
            left -= local.weekday() in self.working.days
        return local

    async def _pass(self, since: datetime, until: datetime, now: datetime) -> tuple[int, list[datetime]]:
        """How many reminders were begun; and when letters were written that may have to be followed up later."""
        query = MailQuery(after=since, before=until + timedelta(days=1), sent=True)
        listed = {each.id: each.mail_thread_id async for each in self.mailbox.scan(query)}
        names = list(dict.fromkeys(listed.values()))
        begun, waits_since = 0, list[datetime]()
        for start in range(0, len(names), READ_TOGETHER):
            conversations = await self._read(names[start : start + READ_TOGETHER])
            for conversation in conversations.values():
                letter = await self._letter(conversation, listed)
                if letter is None or letter.date is None or letter.date >= until:
                    continue
                standing = await self._standing(letter, conversation, now)
                if standing == "due" and begun < MOST and await self._begin(letter, conversation):
                    begun += 1
                elif standing != "answered":
                    waits_since.append(letter.date)
        return begun, waits_since

    async def _letter(self, conversation: Sequence[Message], listed: Collection[str]) -> Message | None:
        """The user's latest letter of the conversation, where it asks something and none of them was followed up before."""
        letters = [each for each in conversation if each.sent and each.sender.key in self.own]
        if not letters or letters[-1].id not in listed:
            return None
        known = await self.mail_log.known(self.mailbox.name, [each.id for each in letters], GRAPH)
        if any([await self._was_followed_up(each) for each in known]):
            return None
        letter = letters[-1]
        people = addressees(letter, self.own)
        is_personal = 0 < len(people) <= MAX_PEOPLE and not any(map(is_no_reply, people))
        # Whether the guests of an invitation come is the calendar's to ask.
        if not is_personal or letter.calendars or any(bulk_of(each).is_list for each in conversation):
            return None
        return letter if await asyncio.to_thread(points_of, letter) else None

    async def _was_followed_up(self, letter: str) -> bool:
        record = await self.mail_log.get(self.mailbox.name, letter, GRAPH)
        return record is not None and self._is_reminder(record)

    async def _standing(self, letter: Message, conversation: Sequence[Message], now: datetime) -> Standing:
        """How it stands with a letter that asked something long ago."""
        after = conversation[[each.id for each in conversation].index(letter.id) + 1 :]
        automatic = [each for each in after if bulk_of(each).is_automatic or is_automatic_reply(each)]
        if len(automatic) < len(after) or any(map(delivery_report, after)):
            return "answered"
        if await self._answered_elsewhere(letter):
            return "answered"
        back = max(filter(None, map(self._back, automatic)), default=None)
        is_away = back is not None and now.astimezone(ZoneInfo(self.timezone)).date() <= back
        return "away" if is_away else "due"

    def _back(self, reply: Message) -> date | None:
        """The last day that an automatic reply names."""
        if reply.date is None:
            return None
        base = reply.date.astimezone(ZoneInfo(self.timezone)).date()
        text = f"{reply.subject}\n{reply.text}"
        found, _ = days_in(text, base, day_first=language_of(text) in DAY_FIRST)
        return max((day for each in found for day in each.days), default=None)

    async def _answered_elsewhere(self, letter: Message) -> bool:
        """Whether a message of another conversation answers it: under its subject, or an invitation; or the user wrote there again."""
        subject, people = base_subject(letter.subject), addressees(letter, self.own)
        keys, names = {each.key for each in people}, {each.name.casefold() for each in people if each.name}
        words = [subject, *(each.email for each in people)] if subject else [each.email for each in people]
        queries = [MailQuery(after=letter.date, text=each, limit=MAX_READ) for each in words]
        queries += [MailQuery(after=letter.date, text=subject, limit=MAX_READ, sent=True)] if subject else []
        ids = [each for query in queries for each in await self.mailbox.inbox(query)]
        for each in dict.fromkeys(ids):
            message = await self._fetched(each)
            if (
                message is None
                or message.mail_thread_id == letter.mail_thread_id
                or bulk_of(message).is_automatic
            ):
                continue
            is_theirs = message.sender.key in keys or message.sender.name.casefold() in names
            again = message.sent and not keys.isdisjoint(a.key for a in (*message.to, *message.cc))
            same = bool(subject) and base_subject(message.subject).casefold() == subject.casefold()
            if (is_theirs and (same or message.calendars)) or (again and same):
                return True
        return False

    async def _fetched(self, message_id: str) -> Message | None:
        """None where it cannot be read for good: it was deleted since it was listed, or is damaged."""
        try:
            return await self.mailbox.fetch(message_id)
        except (AccessError, TransientError):
            raise
        except (NotFoundError, ProviderError):
            return None

    async def _read(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """The conversations that can be read."""
        found = await conversations_of(self.mailbox, list(dict.fromkeys(mail_thread_ids)))
        return {name: read for name, read in found.items() if not isinstance(read, ProviderError)}

    async def _begin(self, letter: Message, conversation: Sequence[Message]) -> bool:
        """Start the run that drafts the reminder; False while something else waits on the conversation."""
        usual = run_thread_id(letter.mail_thread_id)
        graphs = (await self.mail_log.graphs_on([usual])).get(usual, frozenset({GRAPH}))
        run_thread = usual if GRAPH in graphs else run_thread_id(letter.mail_thread_id, GRAPH)
        there = [*await self.mail_log.by_run_thread(usual), *await self.mail_log.by_run_thread(run_thread)]
        if any(each.status in OPEN for each in there):
            return False
        earlier = [each for each in conversation if each.id != letter.id][-MAX_EARLIER:]
        given = to_email_input(Conversation(letter, tuple(earlier)))
        record = MailRecord(
            mailbox=self.mailbox.name,
            message_id=letter.id,
            graph=GRAPH,
            mail_thread_id=letter.mail_thread_id,
            run_thread_id=run_thread,
            email_input={**given, FOLLOWS_UP: letter.date.isoformat() if letter.date else ""},
            received_at=letter.date,
        )
        if await self.mail_log.claim(record):
            await self.starter.begin([record])
        return True

    async def _close_answered(self) -> None:
        """Close the cards of reminders whose letter needs none any more."""
        async for records in self.mail_log.each_with_status(MailStatus.waiting_review):
            ours = {each.message_id: each for each in records if self._is_reminder(each)}
            conversations = await self._read([each.mail_thread_id for each in ours.values()])
            for record in ours.values():
                conversation = conversations.get(record.mail_thread_id, [])
                letter = next((each for each in conversation if each.id == record.message_id), None)
                if letter and await self._standing(letter, conversation, self.clock.now()) == "answered":
                    await self.closing.close(record, ANSWERED)

    def _is_reminder(self, record: MailRecord) -> bool:
        given: Mapping[str, object] = record.email_input or {}
        return record.mailbox == self.mailbox.name and FOLLOWS_UP in given

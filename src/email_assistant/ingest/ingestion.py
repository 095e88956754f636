"""One look into the mailbox: every message that is new is settled, and only then the cursor moves; and the server's own looks."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from email_assistant.clock import Clock
from email_assistant.errors import CursorExpiredError, InputError, TransientError
from email_assistant.ingest.closing import Closing
from email_assistant.ingest.elsewhere import Elsewhere
from email_assistant.ingest.follow_ups import FollowUps
from email_assistant.ingest.intake import FoundConversation, Result
from email_assistant.ingest.look import Look, looking
from email_assistant.ingest.settling import READ_TOGETHER, Settling
from email_assistant.journal.mailboxes import Cursors, Looks
from email_assistant.mail.mailbox import Listed, Mailbox, MailQuery

CHUNK = 100
"""Messages looked at together: few enough to hold in memory."""
FIRST_LOOK = timedelta(days=7)
"""How far back the first look into a mailbox goes; older mail is for `Look.backfill`."""

OnSettled = Callable[[Sequence[str]], object]
OnFound = Callable[[int], object]


@dataclass
class Tally:
    """What became of the messages of one look."""

    counts: Counter[Result] = field(default_factory=Counter)
    complete: bool = True
    """Whether every message that was found is settled (a limit may stop a look before its end)."""
    first_since: datetime | None = None
    """On the first look into a mailbox: how far back it went."""

    @property
    def taken_up(self) -> int:
        """Conversations that a run was started for."""
        return self.counts["started"]

    @property
    def new(self) -> int:
        """Messages that nobody had dealt with before."""
        return sum(number for name, number in self.counts.items() if name != "known")


@dataclass(frozen=True)
class _Found:
    """A listing and the cursor that is reached when all of it is settled."""

    messages: AsyncIterator[Listed]
    cursor: str = ""
    read_at: datetime | None = None
    answered: tuple[str, ...] | None = None
    """Conversations in which the user has written by other means, perhaps while a card waited; None when nobody tells."""
    moved: tuple[str, ...] | None = None
    """Messages that were moved by other means; None when nobody tells."""


@dataclass(frozen=True)
class Ingestion:
    """Looks into a mailbox; each conversation goes to the graph that owns it."""

    mailbox: Mailbox
    cursors: Cursors
    looks: Looks
    settling: Settling
    closing: Closing
    clock: Clock
    mail_clock: Clock
    """The clock that mail is read by."""
    account: str
    """The address of the account, as the settings have it."""
    follow_ups: FollowUps

    async def run(
        self,
        look: Look,
        on_settled: OnSettled = lambda _: None,
        on_found: OnFound = lambda _: None,
        imported: Collection[str] = (),
    ) -> Tally:
        """Settle what the look finds, oldest first; `on_settled` hears of each few messages that were, by their ids.

        `on_found` hears how many more are to be settled. Unread messages that were `imported` (their ids) are taken up however
        old they are. How the look ended is put on record.
        Can be broken off at any point: what was settled is known the next time, what was not is found again.
        Raises `InputError` when the look means another account than the one configured,
        `AccessError` or `TransientError` when the mailbox cannot be read, and what the server's client raises.
        """
        if look.email and look.email.lower() != self.account.lower():
            configured = self.account or "not set"
            raise InputError(f"email is {look.email}, but EMAIL_ASSISTANT_EMAIL is {configured}")
        record = await self.looks.begin(self.mailbox.name, self.mail_clock.now() - FIRST_LOOK)
        tally = Tally(first_since=None if record.looked_at else record.since)
        try:
            found = await self._find(look, record.since, imported)
            await self._run(look, tally, found, on_settled, on_found, anew=bool(imported))
        except Exception as error:
            with suppress(TransientError):  # The database itself may be what fails.
                await self.looks.ended(self.mailbox.name, reason_of(error))
            raise
        await self.looks.ended(self.mailbox.name)
        return tally

    async def _run(
        self,
        look: Look,
        tally: Tally,
        found: _Found,
        on_settled: OnSettled,
        on_found: OnFound,
        *,
        anew: bool,
    ) -> None:
        groups = self._groups(found.messages, look, tally, on_found)
        async for few in self.settling.settle(groups, rerun=look.rerun):
            tally.counts.update(few.counts)
            on_settled(few.ids)
        await self.closing.close_answered(found.answered)
        for come_back in await Elsewhere(self.closing).follow(found.moved):
            await self.take_up(come_back)
        if not look.is_search:
            await self.follow_ups.run(is_news=bool(tally.new or found.answered), anew=anew)
        if _is_enough(look, tally):
            tally.complete = False  # There may be more, so the cursor stays where it is.
        elif found.cursor:
            await self.cursors.set(self._reader, found.cursor, read_at=found.read_at)

    async def take_up(self, listed: Listed) -> None:
        """Deal with a message anew, whatever became of it before. Raises what reading the mailbox does."""

        async def group() -> AsyncIterator[Sequence[FoundConversation]]:
            yield await self.settling.read([[listed]])

        async for _ in self.settling.settle(group(), rerun=True):
            pass

    @property
    def _reader(self) -> str:
        """Whose the cursor is: one look settles the mail of all owners."""
        return f"{self.mailbox.name} {self.settling.intake.ownership.default}"

    async def _find(self, look: Look, since: datetime, imported: Collection[str]) -> _Found:
        now, unread_only = self.clock.now(), not look.include_read
        if look.is_search:
            return _Found(self.mailbox.scan(look.searched(now)))
        last = None if imported else await self.cursors.read(self._reader)
        if last is not None:
            with suppress(CursorExpiredError):
                changes = await self.mailbox.changes(last.value, unread_only=unread_only)
                cursor = "" if changes.cursor == last.value else changes.cursor
                return _Found(_each(changes.messages), cursor, now, changes.answered, changes.moved)
        # Asked for before the listing: what arrives in between is in the changes after it.
        cursor = await self.mailbox.cursor()
        return _Found(self._received(since, imported, unread_only=unread_only), cursor, now)

    async def _received(
        self, since: datetime, imported: Collection[str], *, unread_only: bool
    ) -> AsyncIterator[Listed]:
        """What was received since then, and of what is older the imported, oldest first."""
        if imported:
            async for each in self.mailbox.scan(MailQuery(before=since, unread_only=unread_only)):
                if each.id in imported:
                    yield each
        async for each in self.mailbox.scan(MailQuery(after=since, unread_only=unread_only)):
            yield each

    async def _groups(
        self, messages: AsyncIterator[Listed], look: Look, tally: Tally, on_found: OnFound
    ) -> AsyncIterator[Sequence[FoundConversation]]:
        """Conversations with something new, some at a time, until the look has enough of them."""
        size = 1 if look.early else READ_TOGETHER
        async for chunk in _chunks(messages):
            conversations = await self.settling.by_conversation(chunk, rerun=look.rerun)
            on_found(sum(map(len, conversations)))
            for start in range(0, len(conversations), size):
                group = conversations[start : start + size]
                if look.limit is not None:
                    group = _within(group, look.limit - tally.new)
                yield await self.settling.read(group)
                if _is_enough(look, tally):
                    return


Builder = Callable[[str | None], Awaitable[Ingestion]]
"""Makes the ingestion for a graph, on the deployment it runs in; raises `InputError` for an unknown one."""


def reason_of(error: BaseException) -> str:
    """The first real reason, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


def _within(group: list[list[Listed]], room: int) -> list[list[Listed]]:
    """Conversations until their messages fill the room; a conversation is not split."""
    kept: list[list[Listed]] = []
    for listed in group:
        if room <= 0:
            break
        kept.append(listed)
        room -= len(listed)
    return kept


def _is_enough(look: Look, tally: Tally) -> bool:
    return (look.limit is not None and tally.new >= look.limit) or (look.early and tally.taken_up > 0)


async def _chunks(messages: AsyncIterator[Listed]) -> AsyncIterator[list[Listed]]:
    chunk: list[Listed] = []
    async for listed in messages:
        chunk.append(listed)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    yield chunk


async def _each(messages: tuple[Listed, ...]) -> AsyncIterator[Listed]:
    for listed in messages:
        yield listed


START_SECONDS = 2.0
"""From the server's start to its first look."""
MOST_MISSED = 5
"""The pause after a look that fails doubles, up to so many of the usual ones."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Poller:
    """Looks for mail again and again, one at a time among the processes of a data folder."""

    ingestion: Callable[[], Awaitable[Ingestion]]
    folder: Path
    """The data folder."""
    seconds: float
    """From one look to the next; 0: never."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits for the next look; may end sooner, when the mailbox says that something has come in."""

    async def run(self) -> None:
        """Look until cancelled. A mailbox that fails is told of once, and asked again after growing pauses."""
        if not self.seconds:
            return
        pause, was_failing = min(START_SECONDS, self.seconds), False
        while True:
            await self.sleep(pause)
            failure = await self.look()
            if failure and not was_failing:
                log.warning("look_failed", reason=failure)
            elif was_failing and not failure:
                log.info("look_works_again")
            was_failing = bool(failure)
            doubled = min(2 * max(pause, self.seconds), MOST_MISSED * self.seconds)
            pause = doubled if failure else self.seconds

    async def look(self) -> str:
        """One look, unless somebody else looks; why it failed, "" when it did not."""
        try:
            async with looking(self.folder, wait=False) as is_alone:
                if is_alone:
                    await (await self.ingestion()).run(Look())
        except Exception as error:  # noqa: BLE001 - the next look tries again; the server must not end for this
            return reason_of(error)
        return ""

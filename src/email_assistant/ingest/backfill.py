"""One of the processes that bring in a whole account's mail, a leased chunk at a time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog

from email_assistant.ingest.backfill_progress import Progress, ProgressReader
from email_assistant.ingest.budget import affordable, check_priced
from email_assistant.ingest.intake import FoundConversation
from email_assistant.ingest.settling import READ_TOGETHER, Settling
from email_assistant.journal.backfills import LEASE, Backfill, Backfills, BackfillState, Chunk, Standing
from email_assistant.journal.spending import Spending, Spent
from email_assistant.mail.mailbox import Listed, MailQuery

CHUNK = 100
"""Messages of a chunk: few enough to be done in minutes, enough to be read in few requests."""
WAIT_SECONDS = 1.0
"""Between two looks at what the other workers do."""
BEAT_SECONDS = LEASE.total_seconds() / 4

log = structlog.get_logger(__name__)


OnProgress = Callable[[Progress], object]


class _LeaseLostError(Exception):
    """Another worker has the chunk by now: this one was silent for too long."""


@dataclass
class BackfillWorker:
    """Works on one backfill until nothing is left, or a person or the cost limit stops it.

    Any number of workers may do so, in any number of processes. Each chunk is leased to one of them; one that
    dies or hangs loses its lease, and what it has settled stays settled.
    """

    name: str
    """Unique among the workers."""
    backfills: Backfills
    settling: Settling
    spending: Spending
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _experience: Spent = field(default_factory=Spent)
    """Of the chunks this worker has finished."""

    async def run(self, backfill: Backfill, on_progress: OnProgress = lambda _: None) -> Backfill:
        """Returns the backfill as it is when there is no more to do here.

        Raises what reading the mailbox and the server's client do, and `ConfigError` when a cost limit cannot be kept;
        the chunk is given back then, and also when the task is cancelled.
        """
        await self._plan(backfill, on_progress)
        while (now := await self.backfills.get(backfill.id)).state is BackfillState.running:
            chunk = await self.backfills.lease(now, self.name)
            if chunk:
                await self._work(now, chunk, on_progress)
            elif await self._is_finished(now):
                await self.backfills.set_state(now, BackfillState.done)
            else:
                await self.sleep(WAIT_SECONDS)  # The rest is with other workers; one of them may die.
        await self._tell(now, on_progress)
        return now

    async def _is_finished(self, backfill: Backfill) -> bool:
        standing = await self.backfills.standing(backfill)
        return standing.done_chunks == standing.chunks

    async def _plan(self, backfill: Backfill, on_progress: OnProgress) -> None:
        """See to it that all chunks are known: list them, or wait for the worker that does."""
        while True:
            now = await self.backfills.get(backfill.id)
            if now.planned or now.state is not BackfillState.running:
                return
            if await self.backfills.lease_plan(now, self.name):
                await self._list(now, on_progress)
            else:
                await self.sleep(WAIT_SECONDS)

    async def _list(self, backfill: Backfill, on_progress: OnProgress) -> None:
        position, messages = 0, list[Listed]()
        query = MailQuery(after=backfill.after, before=backfill.before)
        async with _kept(lambda: self.backfills.renew_plan(backfill, self.name)):
            async for listed in self.settling.mailbox.scan(query):
                messages.append(listed)
                if len(messages) == CHUNK:
                    if not await self.backfills.add_chunk(backfill, self.name, position, messages):
                        return
                    position, messages = position + 1, []
                    standing = Standing(total=position * CHUNK)
                    on_progress(Progress(standing, planned=False))
            if messages and not await self.backfills.add_chunk(backfill, self.name, position, messages):
                return
        await self.backfills.planned(backfill, self.name)

    async def _work(self, backfill: Backfill, chunk: Chunk, on_progress: OnProgress) -> None:
        """Settle the chunk's messages; what is not settled when it has to stop is left to the next worker."""
        hold = _Hold(self.backfills, chunk, self.name)
        try:
            async with _kept(hold.renew):
                complete = await self._settle(backfill, hold, on_progress)
            if complete:
                spent = await self.spending.on([m.id for m in chunk.messages], backfill.started_at)
                await self.backfills.finish(chunk, self.name, spent.cost_usd)
                self._experience += spent
        except _LeaseLostError:
            log.warning("chunk_lost", position=chunk.position)
            return
        finally:
            # Of what is finished, or somebody else's by now, nothing changes.
            await self.backfills.release(chunk, self.name)
        await self._tell(backfill, on_progress)

    async def _settle(self, backfill: Backfill, hold: "_Hold", on_progress: OnProgress) -> bool:
        """Whether all of the chunk's messages are on record."""

        async def room(wanted: int) -> int:
            await hold.check()
            return await self._room(backfill, wanted)

        messages = hold.chunk.messages
        conversations = await self.settling.by_conversation(messages)
        left = sum(map(len, conversations))
        limited = backfill.cost_limit_usd is not None
        async for few in self.settling.settle(self._groups(conversations), room, in_groups=limited):
            left -= len(few.ids)
            hold.settled = len(messages) - left
            await hold.check()
            await self._tell(backfill, on_progress)
        return not left

    async def _groups(
        self, conversations: Sequence[Sequence[Listed]]
    ) -> AsyncIterator[Sequence[FoundConversation]]:
        for start in range(0, len(conversations), READ_TOGETHER):
            yield await self.settling.read(conversations[start : start + READ_TOGETHER])

    async def _room(self, backfill: Backfill, wanted: int) -> int:
        """How many runs may begin: none when somebody has asked for a stop, or the money is used up."""
        now = await self.backfills.get(backfill.id)
        if now.state is not BackfillState.running:
            return 0
        if now.cost_limit_usd is None:
            return wanted
        progress = await self._progress.of(now)
        check_priced(progress.begun)
        mean = (self._experience + progress.begun).mean_usd
        number = affordable(wanted, now.cost_limit_usd, progress.cost_usd, mean)
        if number == 0:
            await self.backfills.set_state(now, BackfillState.over_budget)
        return number

    async def _tell(self, backfill: Backfill, on_progress: OnProgress) -> None:
        on_progress(await self._progress.of(backfill))

    @property
    def _progress(self) -> ProgressReader:
        return ProgressReader(self.backfills, self.spending)


@dataclass
class _Hold:
    """A chunk that this worker believes to hold."""

    backfills: Backfills
    chunk: Chunk
    worker: str
    settled: int = 0

    async def renew(self) -> bool:
        return await self.backfills.renew(self.chunk, self.worker, self.settled)

    async def check(self) -> None:
        """Raises `_LeaseLostError` when another worker holds it by now."""
        if not await self.renew():
            raise _LeaseLostError


@contextlib.asynccontextmanager
async def _kept(renew: Callable[[], Awaitable[bool]]) -> AsyncIterator[None]:
    """Renew a lease for as long as the block works, however long one step of it takes."""
    task = asyncio.create_task(_beat(renew))
    try:
        yield
    finally:
        task.cancel()
        # Not `await task` with its cancellation suppressed: that would swallow one that is meant for us.
        await asyncio.wait({task})


async def _beat(renew: Callable[[], Awaitable[bool]]) -> None:
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        try:
            if not await renew():
                return  # The work notices at its next step.
        except Exception as error:  # noqa: BLE001 - a lease that cannot be renewed lapses; the work itself tells why
            log.warning("lease_not_renewed", reason=type(error).__name__)

"""Conversations that are begun one after another, so many at a time: each that is over gives its place to the next."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from email_assistant.errors import TransientError
from email_assistant.ingest.intake import FoundConversation, Intake, Result

IN_FLIGHT = 24
"""Three times what the server works on at a time: its queue must not run dry between two looks."""
LOOK_SECONDS = 0.2
"""Between two looks at which runs are over; one request tells of all of them."""
PATIENCE_SECONDS = 600.0
"""So long no run ends before the server is thought to be stuck."""

Room = Callable[[int], Awaitable[int]]
"""How many of so many runs may begin now; 0 ends the work."""


async def plenty(wanted: int) -> int:
    """As many as are wanted."""
    return wanted


@dataclass(frozen=True, slots=True)
class Settled:
    """Messages that are on record, their runs over or waiting for an answer."""

    ids: tuple[str, ...]
    counts: Counter[Result]
    """What became of messages, those included whose runs have only begun: each is counted once, when that is known."""


@dataclass
class Window:
    """What is under way of one look, or of one chunk of a backfill."""

    intake: Intake
    size: int = IN_FLIGHT
    """Runs that are under way at a time."""
    waits: bool = True
    """Whether runs are waited for. A run that starts others must not: with one worker job it would wait for itself."""
    in_groups: bool = False
    """Whether nothing begins before all that was begun is over: what runs cost is known then."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _waiting: deque[FoundConversation] = field(default_factory=deque)
    _under_way: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Mail thread → its run thread and the messages."""
    _looked_at: float | None = None

    async def settle(
        self, groups: AsyncIterable[Sequence[FoundConversation]], room: Room = plenty, *, rerun: bool = False
    ) -> AsyncIterator[Settled]:
        """Settle them in their order, for as long as there is room. A group is asked for when the one before it has begun.

        Of one conversation no two are under way at a time: the later one waits, and others go ahead of it.
        Raises what the server's client does, and `TransientError` when no run has ended for ten minutes.
        """
        source, more = aiter(groups), True
        while True:
            while more and self._free > 0:
                if few := self._ready():
                    number = await room(len(few))
                    more = number > 0
                    if more:
                        yield await self._begin(few[:number], rerun=rerun)
                elif (group := await anext(source, None)) is not None:
                    self._waiting.extend(group)
                else:
                    more = bool(self._waiting)  # Only behind what is under way of their own conversations.
                    break
            if not self._under_way:
                return
            yield await self._over()

    @property
    def _free(self) -> int:
        if self.in_groups and self._under_way:
            return 0
        return self.size - len(self._under_way)

    def _ready(self) -> list[FoundConversation]:
        """The next ones that may begin."""
        few: dict[str, FoundConversation] = {}
        for found in self._waiting:
            if len(few) == self._free:
                break
            if found.mail_thread_id not in self._under_way:
                few.setdefault(found.mail_thread_id, found)
        return list(few.values())

    async def _begin(self, few: Sequence[FoundConversation], *, rerun: bool) -> Settled:
        """Put on record what becomes of them, and start runs; settled is at once what needs none."""
        begun = await self.intake.begin(few, rerun=rerun)
        settled: list[str] = []
        for found, run_thread in zip(few, begun.run_threads, strict=True):
            self._waiting.remove(found)
            if run_thread and self.waits:
                self._under_way[found.mail_thread_id] = run_thread, found.ids
            else:
                settled.extend(found.ids)
        return Settled(tuple(settled), begun.counts)

    async def _over(self) -> Settled:
        """Wait until some of what is under way is over."""
        clock = asyncio.get_running_loop().time
        began = clock()
        while clock() - began < PATIENCE_SECONDS:
            if self._looked_at is not None:
                await self.sleep(max(0.0, self._looked_at + LOOK_SECONDS - clock()))
            self._looked_at = clock()
            threads = {run_thread: mail for mail, (run_thread, _) in self._under_way.items()}
            if over := await self.intake.starter.at_rest(threads):
                ended = [self._under_way.pop(threads[run_thread])[1] for run_thread in over]
                return Settled(tuple(each for ids in ended for each in ids), Counter())
        raise TransientError(
            f"no run has ended for {PATIENCE_SECONDS / 60:.0f} minutes: is the server stuck? Its log tells; "
            "after a start of the server it goes on"
        )

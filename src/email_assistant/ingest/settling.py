"""Messages of a listing, read by conversation and settled, so many conversations at a time."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from email_assistant.errors import AccessError, ProviderError, TransientError
from email_assistant.ingest.intake import FoundConversation, Intake, Result
from email_assistant.journal.mailboxes import Correspondents
from email_assistant.mail.authenticity import written_to
from email_assistant.mail.mailbox import Listed, Mailbox
from email_assistant.mail.message import Message

READ_TOGETHER = 50
"""Conversations read together."""
CONCURRENT_PROOFS = 8
"""Messages that the mailbox is asked about at a time, whether the user has sent them."""
IN_FLIGHT = 24
"""Three times what the server works on at a time: its queue must not run dry between two looks."""
LOOK_SECONDS = 0.2
"""Between two looks at which runs are over; one request tells of all of them."""
PATIENCE_SECONDS = 600.0
"""So long no run ends before the server is thought to be stuck."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Messages that are on record, their runs over or waiting for an answer."""

    ids: tuple[str, ...]
    counts: Counter[Result]
    """What became of messages, those included whose runs have only begun: each is counted once, when that is known."""


@dataclass
class Window:
    """What is under way of one look: each conversation that is over gives its place to the next."""

    intake: Intake
    size: int = IN_FLIGHT
    """Runs that are under way at a time."""
    waits: bool = True
    """Whether runs are waited for. A run that starts others must not: with one worker job it would wait for itself."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _waiting: deque[FoundConversation] = field(default_factory=deque)
    _under_way: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Mail thread → its run thread and the messages."""
    _looked_at: float | None = None

    async def settle(
        self, groups: AsyncIterable[Sequence[FoundConversation]], *, rerun: bool = False
    ) -> AsyncIterator[Settled]:
        """Settle them in their order. A group is asked for when the one before it has begun.

        Of one conversation no two are under way at a time: the later one waits, and others go ahead of it.
        Raises what the server's client does, and `TransientError` when no run has ended for ten minutes.
        """
        source, more = aiter(groups), True
        while True:
            while more and self._free > 0:
                if few := self._ready():
                    yield await self._begin(few, rerun=rerun)
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


@dataclass(frozen=True)
class Settling:
    """Reads conversations and settles them, each for the graph that owns it."""

    mailbox: Mailbox
    intake: Intake
    correspondents: Correspondents
    in_flight: int = IN_FLIGHT
    """Runs that are under way at a time."""
    waits: bool = True
    """As of `Window`."""

    async def by_conversation(self, listed: Sequence[Listed], *, rerun: bool = False) -> list[list[Listed]]:
        """The messages that are new (with `rerun`: all of them), together with those of the same conversation."""
        known: set[str] = set()
        if not rerun:
            ids = [each.id for each in listed]
            known = await self.intake.mail_log.known(
                self.mailbox.name, ids, *self.intake.ownership.dealt_with_by
            )
        conversations: dict[str, list[Listed]] = {}
        for each in listed:
            if each.id not in known:
                conversations.setdefault(each.mail_thread_id, []).append(each)
        return list(conversations.values())

    async def read(self, conversations: Sequence[Sequence[Listed]]) -> list[FoundConversation]:
        """Each with all of its messages, calendar mail apart. Raises `AccessError` or `TransientError` when the mailbox cannot be read."""
        threads = await conversations_of(self.mailbox, [listed[0].mail_thread_id for listed in conversations])
        await self._note_correspondents(threads)
        found = [FoundConversation(listed, threads[listed[0].mail_thread_id]) for listed in conversations]
        return [each for conversation in found for each in conversation.apart()]

    def settle(
        self,
        groups: AsyncIterable[Sequence[FoundConversation]],
        *,
        rerun: bool = False,
    ) -> AsyncIterator[Settled]:
        """Decide what becomes of conversations and do it, as `Window.settle`."""
        return Window(self.intake, self.in_flight, self.waits).settle(groups, rerun=rerun)

    async def _note_correspondents(self, threads: Mapping[str, list[Message] | ProviderError]) -> None:
        """Remember whom the user has written to, before a run judges by that who a sender is.

        A message that names somebody new is believed only when it is proven to be the user's: anybody can write in the
        user's name. Mailboxes are not asked for what is on record already.
        """
        own, name = self.intake.own, self.mailbox.name
        messages = [m for thread in threads.values() if not isinstance(thread, ProviderError) for m in thread]
        new = await self.correspondents.unknown(name, written_to(messages, own))
        doubtful = [m for m in messages if any(a.key in new for a in written_to([m], own))]
        refused = await self._not_sent(doubtful)
        await self.correspondents.note_sent(name, [m for m in messages if m.id not in refused], own)

    async def _not_sent(self, messages: Sequence[Message]) -> set[str]:
        """The ids of those that are not proven to be the user's."""
        limit = asyncio.Semaphore(CONCURRENT_PROOFS)

        async def is_refused(message: Message) -> bool:
            async with limit:
                return await self.intake.authorship.sent(message.id) is None

        found = await asyncio.gather(*map(is_refused, messages))
        return {message.id for message, refused in zip(messages, found, strict=True) if refused}


async def conversations_of(
    mailbox: Mailbox, mail_thread_ids: Sequence[str]
) -> dict[str, list[Message] | ProviderError]:
    """The conversations, or why one cannot be read for good: that must not keep the others from being read.

    Raises `AccessError` or `TransientError` when the mailbox cannot be read.
    """

    async def each(mail_thread_id: str) -> list[Message] | ProviderError:
        try:
            return await mailbox.thread(mail_thread_id)
        except (AccessError, TransientError):
            raise
        except ProviderError as error:
            return error

    try:
        return dict(await mailbox.threads(mail_thread_ids))
    except (AccessError, TransientError):
        raise
    except ProviderError:
        return {name: await each(name) for name in mail_thread_ids}

"""Past mail of one mailbox: put into the store as it passes, and found again when similar mail comes in."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

import structlog
from langgraph.store.base import BaseStore
from langgraph_sdk.client import LangGraphClient

from email_assistant.app import ingesting
from email_assistant.app.assistant import AppDeps
from email_assistant.errors import ProviderError
from email_assistant.knowledge.embedding import Embedder, marked
from email_assistant.knowledge.similarity import CURVES, THRESHOLD, MatchEvidence, coverage, words_of
from email_assistant.mail.authenticity import is_sent
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.mailbox import Listed, Mailbox, MailQuery
from email_assistant.mail.message import Conversation, Message
from email_assistant.workflows.reply_pipeline.past_mail.item import (
    Item,
    Role,
    bounded_id,
    item_from,
    item_of,
    key_of,
    pairs,
    space_of,
)

CANDIDATES = 40
"""Items that the store is asked for, of which the best are used."""
MAX_NOTED = 20
"""Messages of a conversation that are looked at, the latest."""
PAGE = 200
MAX_PAGES = 50_000
TOGETHER = 50
"""Conversations read together."""
WRITING = 8
"""Conversations that are written side by side."""

Doubts = Callable[[Message], Awaitable[Sequence[str]]]
"""Signs that a message is not from whom it seems to be."""
Outcome = Literal["added", "unchanged", "in_doubt", "list_mail", "no_words"]
Threads = Callable[[Sequence[Listed]], Awaitable[Mapping[str, Sequence[Message] | ProviderError]]]
"""The conversations of these messages, by their ids; for one that cannot be read the reason."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FoundMail:
    """A past mail that helps, with the answer that was sent for it; or a mail the user sent that answers nothing known."""

    score: float
    """From 0 to 1: how sure it is that it helps, whatever the embedding."""
    mail: Item | None
    answer: Item | None
    evidence: MatchEvidence

    @property
    def source(self) -> Item:
        """The message that a card names: who, when, what about, and the id to link to."""
        item = self.mail or self.answer
        assert item is not None  # noqa: S101 - one of them was found
        return item

    @property
    def words(self) -> str:
        """Of the mail and its answer."""
        return "\n".join(item.words for item in (self.mail, self.answer) if item)

    def as_json(self) -> dict[str, Any]:
        """For a state."""
        return asdict(self)


@dataclass(frozen=True)
class Knowledge:
    """Writes to and reads from the LangGraph store; `store` may be the server's or a client's."""

    mailbox: str
    own: frozenset[str]
    """The user's addresses as `Address.key`s."""
    embedder: Embedder
    doubts: Doubts

    @classmethod
    def of(cls, deps: AppDeps) -> Self:
        """That of the user's mailbox."""
        own = deps.settings.own_addresses
        return cls(deps.mailbox.name, own, deps.embedder, deps.senders.doubts)

    async def note(self, store: BaseStore | None, conversation: Conversation) -> None:
        """Keep what a conversation adds; a failure is logged and stops nothing."""
        if store is None:
            return
        try:
            messages = (*conversation.earlier[-(MAX_NOTED - 1) :], conversation.current)
            await self.index(store, messages)
        except Exception as error:  # noqa: BLE001 - what is missing here is only not found; the mail itself must be dealt with
            log.warning("knowledge_not_noted", reason=type(error).__name__, detail=str(error)[:200])

    async def index(self, store: BaseStore, messages: Sequence[Message]) -> Counter[Outcome]:
        """Keep the messages of one conversation, oldest first; safe to repeat. Returns what became of them.

        Mail of lists and programs, mail whose sender is in doubt, and mail without words is left out.
        """
        counts: Counter[Outcome] = Counter()
        roles = [self._role(message) for message in messages]
        answers = pairs(messages, roles)
        answered = {theirs: ours for ours, theirs in answers.items()}
        for at, (message, role) in enumerate(zip(messages, roles, strict=True)):
            item = item_of(message, role) if role else None
            if item is None:
                counts["no_words" if role else "list_mail" if self._is_bulk(message) else "in_doubt"] += 1
                continue
            if role == "ours" and at in answers:
                item = replace(item, answer_to=key_of(messages[answers[at]].id))
            if role == "theirs" and at in answered:
                item = replace(item, answered_by=key_of(messages[answered[at]].id))
            counts[await self._keep(store, message, item)] += 1
        return counts

    async def find(
        self, store: BaseStore, about: Message | str, *, limit: int = 5, least: float = THRESHOLD
    ) -> list[FoundMail]:
        """Past mail that helps with a message, or with words; the surest first, none below `least`.

        The message's own conversation is left out. What is found is text of strangers, to be fenced in prompts and shown
        on cards. Raises what `Embedder.embed` does.
        """
        item = item_of(about, "theirs") if isinstance(about, Message) else None
        query = item.words if item else about if isinstance(about, str) else ""
        if not words_of(query):
            return []
        thread = bounded_id(about.mail_thread_id) if isinstance(about, Message) else ""
        found = await self._candidates(store, query[:2_000], thread, item.key if item else "")
        curve = CURVES[self.embedder.embedding.kind]
        scored = [replace(one, score=round(curve.score(one.evidence), 4)) for one in found]
        scored.sort(key=lambda one: (-one.score, one.source.key))
        return [one for one in scored[:limit] if one.score >= least]

    async def forget(self, store: BaseStore) -> int:
        """Empty the mailbox's part of the store; returns how many messages were in it."""
        space, number = space_of(self.mailbox), 0
        for _ in range(MAX_PAGES):
            items = await store.asearch(space, limit=PAGE)
            if not items:
                break
            await asyncio.gather(*(store.adelete(item.namespace, item.key) for item in items))
            number += len(items)
        return number

    def _role(self, message: Message) -> Role | None:
        """None for what is not kept at all."""
        if message.sender.key in self.own:
            by_hand = not bulk_of(message).is_automatic
            return "ours" if by_hand and is_sent(message, self.own) else None
        return None if self._is_bulk(message) else "theirs"

    def _is_bulk(self, message: Message) -> bool:
        bulk = bulk_of(message)
        return message.sender.key not in self.own and (bulk.to_many or bulk.one_way)

    async def _keep(self, store: BaseStore, message: Message, item: Item) -> Outcome:
        space, name = space_of(self.mailbox), self.embedder.embedding.name
        before = await store.aget(space, item.key)
        if before and not item.answered_by:
            # A part of a conversation does not show that its mail was answered later.
            item = replace(item, answered_by=str(before.value.get("answered_by") or ""))
        value = item.value(name)
        if before and before.value == value:
            return "unchanged"
        if item.role == "theirs" and await self.doubts(message):
            if before:
                await store.adelete(space, item.key)
            return "in_doubt"
        await self.embedder.warm([value["text"]])
        await store.aput(space, item.key, value, index=["text"])
        return "added"

    async def _candidates(self, store: BaseStore, query: str, thread: str, key: str) -> list[FoundMail]:
        name = self.embedder.embedding.name
        space, asked = space_of(self.mailbox), marked(name, "query", query)
        await self.embedder.warm([asked])
        only: dict[str, Any] = {"embedding": name} | ({"mail_thread_id": {"$ne": thread}} if thread else {})
        hits = await store.asearch(space, query=asked, filter=only, limit=CANDIDATES)
        items = {hit.key: item for hit in hits if hit.key != key and (item := item_from(hit.key, hit.value))}
        cosines = {hit.key: hit.score for hit in hits if hit.score is not None and hit.key in items}
        items |= await self._partners(store, space, items, name)
        found = [pair for pair in _paired(items, cosines) if not (pair.mail and pair.mail.key == key)]
        return [
            replace(one, evidence=MatchEvidence(one.evidence.cosine, coverage(query, one.words)))
            for one in found
        ]

    async def _partners(
        self, store: BaseStore, space: tuple[str, ...], items: dict[str, Item], name: str
    ) -> dict[str, Item]:
        """The mails that found answers answer, and the answers to found mails."""
        wanted = {key for item in items.values() for key in (item.answer_to, item.answered_by) if key} - set(
            items
        )
        got = await asyncio.gather(*(store.aget(space, key) for key in sorted(wanted)))
        kept = [one for one in got if one is not None and one.value.get("embedding") == name]
        return {one.key: item for one in kept if (item := item_from(one.key, one.value))}


def _paired(items: dict[str, Item], cosines: dict[str, float]) -> list[FoundMail]:
    """Each mail with its answer, once, with the better cosine of the two."""
    found: dict[str, FoundMail] = {}
    for key in sorted(cosines, key=lambda key: -cosines[key]):
        item = items[key]
        theirs = item if item.role == "theirs" else items.get(item.answer_to)
        ours = item if item.role == "ours" else items.get(item.answered_by)
        about = theirs or item
        if about.key not in found:
            found[about.key] = FoundMail(0.0, theirs, ours, MatchEvidence(max(0.0, cosines[key]), 0.0))
    return list(found.values())


@dataclass(frozen=True)
class Indexing:
    """Brings the conversations of the inbox's mail into the store, what was sent in them included."""

    mailbox: Mailbox
    threads: Threads
    knowledge: Knowledge

    @classmethod
    def of(cls, deps: AppDeps, client: LangGraphClient) -> Self:
        """Into the store of the deployment of `client`."""
        settling = ingesting.settling(deps, client, "reply_pipeline", wait=False)

        async def threads(listed: Sequence[Listed]) -> dict[str, Sequence[Message] | ProviderError]:
            # Read as ingestion does: whom the user has written to is noted before senders are judged by it.
            found = await settling.read([[each] for each in listed])
            return {one.listed[0].mail_thread_id: one.messages for one in found}

        return cls(deps.mailbox, threads, Knowledge.of(deps))

    async def run(self, store: BaseStore, query: MailQuery) -> AsyncIterator[Counter[str]]:
        """What became of the messages, some conversations at a time; can be broken off and repeated at any time."""
        # Ids only: a hundred thousand of them are a few megabytes.
        seen: set[str] = set()
        batch: list[Listed] = []
        async for listed in self.mailbox.scan(query):
            if listed.mail_thread_id in seen:
                continue
            seen.add(listed.mail_thread_id)
            batch.append(listed)
            if len(batch) == TOGETHER:
                yield await self._index(store, batch)
                batch = []
        if batch:
            yield await self._index(store, batch)

    async def _index(self, store: BaseStore, batch: Sequence[Listed]) -> Counter[str]:
        found = await self.threads(batch)
        room = asyncio.Semaphore(WRITING)

        async def one(messages: Sequence[Message] | ProviderError) -> Counter[str]:
            if isinstance(messages, ProviderError):
                return Counter(unreadable=1)
            async with room:
                return Counter({str(k): v for k, v in (await self.knowledge.index(store, messages)).items()})

        # A group, because the others have to be over when one fails: they use the database.
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(messages)) for messages in found.values()]
        return sum((task.result() for task in tasks), Counter())

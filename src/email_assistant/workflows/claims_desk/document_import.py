"""Documents brought into the store, listed, and removed. What an import brings is seen all at once, when it is done."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import BaseStore

from email_assistant.errors import ConflictError, InputError
from email_assistant.knowledge.embedding import Embedder
from email_assistant.workflows.claims_desk.document_search import read_catalogue
from email_assistant.workflows.claims_desk.document_store import (
    CATALOGUE,
    ROOT,
    DocumentCatalogue,
    DocumentVersion,
    Space,
    catalogue_from,
    chunk_value,
    key_of,
    version_of,
)
from email_assistant.workflows.claims_desk.documents.document import Document

MAX_CHUNKS = 20_000
"""Of all documents of one tenant and visibility."""
TOGETHER = 32
"""Chunks that are embedded and written together."""
_ALL = 3 * MAX_CHUNKS


@dataclass(frozen=True, slots=True)
class ImportedDocuments:
    """What an import has come to, in documents."""

    new: int
    changed: int
    same: int
    removed: int
    chunks: int
    """Chunks that were embedded."""


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A document in the store."""

    tenant: str
    visibility: str
    name: str
    chunks: int
    imported_at: datetime
    """When documents of its tenant and visibility were imported last."""


@dataclass(frozen=True)
class DocumentImport:
    """Writes documents to the LangGraph store; `store` may be the server's or a client's."""

    embedder: Embedder

    async def replace(
        self, store: BaseStore, space: Space, documents: Sequence[Document]
    ) -> ImportedDocuments:
        """Make these the documents of the namespace, instead of all that were there.

        Broken off at any moment, all documents are as they were before; the next import goes on with what was written and
        clears away what does not count. Raises `InputError` for two documents of one name or too many chunks,
        `ConflictError` when somebody else imported meanwhile, and what the embedding raises.
        """
        _check(documents)
        before = await read_catalogue(store, space)
        there = await _chunk_keys(store, space)
        name = self.embedder.embedding.name
        wanted = {one.name: DocumentVersion(version_of(one, name), len(one.chunks)) for one in documents}
        values = {
            key: chunk_value(space, chunk, key, wanted[one.name].version, name)
            for one in documents
            for number, chunk in enumerate(one.chunks)
            for key in [key_of(space, one.name, wanted[one.name].version, number)]
        }
        missing = [key for key in values if key not in there]
        for some in _batches(missing):
            await self._put(store, space, {key: values[key] for key in some})
        if wanted != before.documents:
            await _switch(store, space, before, DocumentCatalogue(before.revision + 1, wanted))
        await _delete(store, space, there - set(values))
        shared = wanted.keys() & before.documents.keys()
        changed = sum(wanted[one] != before.documents[one] for one in shared)
        return ImportedDocuments(
            new=len(wanted) - len(shared),
            changed=changed,
            same=len(shared) - changed,
            removed=len(before.documents) - len(shared),
            chunks=len(missing),
        )

    async def forget(self, store: BaseStore, space: Space) -> int:
        """Remove the documents of a namespace; returns how many there were."""
        before = await read_catalogue(store, space)
        if before.documents:
            await _switch(store, space, before, DocumentCatalogue(before.revision + 1))
        await _delete(store, space, await _chunk_keys(store, space))
        return len(before.documents)

    async def listed(self, store: BaseStore, tenant: str | None = None) -> list[ListedDocument]:
        """All documents that the store has, or those of one tenant, in the order of their names."""
        prefix = (*ROOT, tenant) if tenant else ROOT
        items = await store.asearch(prefix, filter={"kind": CATALOGUE}, limit=_ALL)
        found = [
            ListedDocument(item.namespace[2], item.namespace[3], name, one.chunks, item.updated_at)
            for item in items
            if len(item.namespace) == 4 and item.namespace[: len(prefix)] == prefix
            for name, one in catalogue_from(item.value).documents.items()
        ]
        return sorted(found, key=lambda one: (one.tenant, one.visibility, one.name))

    async def _put(self, store: BaseStore, space: Space, values: dict[str, dict[str, Any]]) -> None:
        await self.embedder.warm([value["text"] for value in values.values()])
        await _all(store.aput(space, key, value, index=["text"]) for key, value in values.items())


def _check(documents: Sequence[Document]) -> None:
    for name, number in Counter(one.name for one in documents).items():
        if number > 1:
            raise InputError(f"{name}: there are {number} documents of this name")
    if sum(len(one.chunks) for one in documents) > MAX_CHUNKS:
        raise InputError(f"the documents have more than {MAX_CHUNKS:,} chunks in all; leave some of them out")


async def _switch(
    store: BaseStore, space: Space, before: DocumentCatalogue, after: DocumentCatalogue
) -> None:
    if (await read_catalogue(store, space)).revision != before.revision:
        raise ConflictError(
            "the documents were changed by somebody else meanwhile; nothing of this import counts: import again"
        )
    await store.aput(space, CATALOGUE, after.value(space), index=False)


async def _chunk_keys(store: BaseStore, space: Space) -> set[str]:
    items = await store.asearch(space, filter={"kind": "chunk"}, limit=_ALL)
    return {item.key for item in items if tuple(item.namespace) == space}


async def _delete(store: BaseStore, space: Space, keys: Iterable[str]) -> None:
    for some in _batches(sorted(keys)):
        await _all(store.adelete(space, key) for key in some)


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    async with asyncio.TaskGroup() as group:
        for one in work:
            group.create_task(one)


def _batches(keys: Sequence[str]) -> Iterable[Sequence[str]]:
    return (keys[at : at + TOGETHER] for at in range(0, len(keys), TOGETHER))

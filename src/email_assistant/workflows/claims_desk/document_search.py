"""Documents as knowledge: the chunks that answer a question, of those that the asker may see."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from langgraph.store.base import BaseStore, SearchItem

from email_assistant.errors import TransientError
from email_assistant.knowledge.embedding import Embedder, marked
from email_assistant.knowledge.similarity import (
    DOCUMENT_CURVES,
    DOCUMENT_THRESHOLD,
    MatchEvidence,
    coverage,
    words_of,
)
from email_assistant.workflows.claims_desk.document_store import (
    CATALOGUE,
    PUBLIC,
    DocumentCatalogue,
    Space,
    Who,
    catalogue_from,
    chunk_from,
    filter_of,
    spaces_for,
    words_of_chunk,
)
from email_assistant.workflows.claims_desk.documents.document import DocumentChunk

CANDIDATES = 60
"""Chunks that the store is asked for in each namespace, of which the best are used."""
MAX_QUERY = 2_000
_TRIES = 5


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that answers. Its text is data, to be fenced in prompts and cited by its label."""

    score: float
    """From 0 to 1: how sure it is that it answers, whatever the embedding."""
    label: str
    text: str
    section: str
    """The label without the part of a section that was cut."""
    path: tuple[str, ...]
    """Headings from the top to its own."""
    document: str
    is_public: bool
    """False for what only the asker's role may see."""
    evidence: MatchEvidence

    def as_json(self) -> dict[str, Any]:
        """For a state."""
        return asdict(self) | {"path": list(self.path)}


@dataclass(frozen=True)
class Documents:
    """Reads documents from the LangGraph store; `store` may be the server's or a client's."""

    embedder: Embedder

    async def find(
        self, store: BaseStore, who: Who, query: str, limit: int = 5, *, least: float = DOCUMENT_THRESHOLD
    ) -> list[FoundChunk]:
        """The chunks that answer a question, the surest first, none below `least`.

        Only the tenant's public documents and those of the asker's role are looked into, each in its own namespace; for an asker
        whose tenant or role is no name there are none. Raises what `Embedder.embed` does, and `TransientError` when
        documents are imported faster than they can be searched.
        """
        if not words_of(query):
            return []
        asked = marked(self.embedder.embedding.name, "query", query[:MAX_QUERY])
        spaces = spaces_for(who)
        if spaces:
            await self.embedder.warm([asked])
        each = await asyncio.gather(*(self._candidates(store, space, asked, query) for space in spaces))
        found = [one for some in each for one in some]
        found.sort(key=lambda one: (-one.score, not one.is_public, one.document, one.label))
        return [one for one in found[: max(0, limit)] if one.score >= least]

    async def _candidates(self, store: BaseStore, space: Space, asked: str, query: str) -> list[FoundChunk]:
        hits, catalogue = await self._hits(store, space, asked)
        curve = DOCUMENT_CURVES[self.embedder.embedding.kind]
        found = []
        for hit in hits:
            chunk = _counted(hit, space, catalogue)
            if chunk is None or hit.score is None:
                continue
            seen = MatchEvidence(max(0.0, hit.score), coverage(query, words_of_chunk(chunk)))
            found.append(
                FoundChunk(
                    round(curve.score(seen), 4), chunk.label, chunk.text, chunk.section, chunk.path,
                    chunk.document, space[3] == PUBLIC, seen,
                )
            )  # fmt: skip
        return found

    async def _hits(
        self, store: BaseStore, space: Space, asked: str
    ) -> tuple[Sequence[SearchItem], DocumentCatalogue]:
        """What the index finds, with the catalogue that was in force before and after it was asked."""
        name = self.embedder.embedding.name
        catalogue = await read_catalogue(store, space)
        for _ in range(_TRIES):
            if not catalogue.documents:
                return [], catalogue
            hits = await store.asearch(space, query=asked, filter=filter_of(space, name), limit=CANDIDATES)
            after = await read_catalogue(store, space)
            if after.revision == catalogue.revision:
                return hits, catalogue
            catalogue = after
            await asyncio.sleep(0)
        raise TransientError("documents are being imported again and again; ask again later")


async def read_catalogue(store: BaseStore, space: Space) -> DocumentCatalogue:
    """The catalogue of a namespace; an empty one when there is none."""
    item = await store.aget(space, CATALOGUE)
    return catalogue_from(item.value if item else None)


def _counted(hit: SearchItem, space: Space, catalogue: DocumentCatalogue) -> DocumentChunk | None:
    """The chunk of a hit when it is of this very namespace and in the catalogue.

    A store's search takes a namespace for a prefix.
    """
    listed = catalogue.documents.get(str(hit.value.get("document")))
    is_ours = (
        tuple(hit.namespace) == space
        and (hit.value.get("tenant_id"), hit.value.get("visibility")) == space[2:]
    )
    if listed is None or not is_ours or hit.value.get("version") != listed.version:
        return None
    return chunk_from(hit.value)

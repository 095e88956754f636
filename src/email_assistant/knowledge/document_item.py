"""What the store keeps of documents: their chunks, and one catalogue in each namespace that says which chunks count.

A chunk counts only while the catalogue names its document with its version. A catalogue is put in one step, so whatever was
written before it, and by whomever, is seen all at once or not at all.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from email_assistant.documents.document import Document, DocumentChunk
from email_assistant.knowledge.embedding import marked
from email_assistant.knowledge.visibility import Space

CATALOGUE = "catalogue"
"""Its key."""


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document in the catalogue."""

    version: str
    chunks: int


@dataclass(frozen=True, slots=True)
class DocumentCatalogue:
    """The documents of one namespace."""

    revision: int = 0
    """One more with each import."""
    documents: Mapping[str, DocumentVersion] = field(default_factory=dict)
    """By name."""

    def value(self, space: Space) -> dict[str, Any]:
        """What the store keeps."""
        listed = [
            {"name": name, "version": one.version, "chunks": one.chunks}
            for name, one in self.documents.items()
        ]
        return _whose(space) | {"kind": CATALOGUE, "revision": self.revision, "documents": listed}


def catalogue_from(value: Mapping[str, Any] | None) -> DocumentCatalogue:
    """The catalogue that a value of the store holds; an empty one for anything else."""
    if not value or value.get("kind") != CATALOGUE:
        return DocumentCatalogue()
    try:
        listed = {
            str(each["name"]): DocumentVersion(str(each["version"]), int(each["chunks"]))
            for each in value["documents"]
        }
        return DocumentCatalogue(int(value["revision"]), listed)
    except (KeyError, TypeError, ValueError):
        return DocumentCatalogue()


def version_of(document: Document, embedding: str) -> str:
    """The same for the same chunks under the same embedding, however often they are read."""
    return _digest([embedding, [[c.label, c.section, c.path, c.text] for c in document.chunks]])


def key_of(space: Space, document: str, version: str, number: int) -> str:
    """The key of a document's chunk."""
    return "c-" + _digest([space, document, version, number])


def words_of_chunk(chunk: DocumentChunk) -> str:
    """What is embedded and compared."""
    return f"{chunk.headings}\n{chunk.text}" if chunk.path else chunk.text


def chunk_value(space: Space, chunk: DocumentChunk, key: str, version: str, embedding: str) -> dict[str, Any]:
    """What the store keeps of a chunk; `text` is what it embeds."""
    return _whose(space) | {
        "kind": "chunk",
        "document": chunk.document,
        "label": chunk.label,
        "section": chunk.section,
        "path": list(chunk.path),
        "text": marked(embedding, key, words_of_chunk(chunk)),
        "plain": chunk.text,
        "version": version,
        "embedding": embedding,
    }


def chunk_from(value: Mapping[str, Any]) -> DocumentChunk | None:
    """The chunk that a value of the store holds; None for one that was not written by `chunk_value`."""
    names = {"document": "document", "label": "label", "section": "section", "text": "plain"}
    texts = {name: value.get(kept) for name, kept in names.items()}
    path = value.get("path")
    if not isinstance(path, list) or not all(isinstance(one, str) for one in (*path, *texts.values())):
        return None
    return DocumentChunk(path=tuple(path), **{name: str(text) for name, text in texts.items()})


def filter_of(space: Space, embedding: str) -> dict[str, Any]:
    """What a search asks for beside its namespace, so that nothing else takes up the places of what it finds."""
    return _whose(space) | {"kind": "chunk", "embedding": embedding}


def _whose(space: Space) -> dict[str, Any]:
    return {"tenant_id": space[2], "visibility": space[3]}


def _digest(parts: list[Any]) -> str:
    text = json.dumps(parts, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]

"""What the store keeps of documents, and who may see it: namespaces of tenants and roles, chunks, and a catalogue in each namespace.

A name of a tenant or role is taken as it is or not at all: nothing is folded, trimmed or repaired, so two spellings can never meet in one
namespace, and none can reach into another. A chunk counts only while the catalogue names its document with its version. A catalogue is put
in one step, so whatever was written before it, and by whomever, is seen all at once or not at all.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from email_assistant.errors import InputError
from email_assistant.knowledge.embedding import marked
from email_assistant.workflows.claims_desk.documents.document import Document, DocumentChunk

PUBLIC = "Public"
"""The visibility of documents that every role of their tenant may see; neither it nor "public" can be a role's name."""
ROOT = ("email_assistant", "documents")
CATALOGUE = "catalogue"
"""The key of a namespace's catalogue."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
Space = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks, as the caller that started the run has established it: never as a model or a mail says."""

    tenant_id: str
    user_id: str
    """"" for somebody who is no known customer."""
    role: str
    """"customer", "agent" or another role of the tenant's: which documents may be shown."""
    email: str = ""


def is_name(name: object) -> bool:
    """Whether a tenant or role may be called so: 1 to 63 of a-z, 0-9 and "-", which stands neither first nor last."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def public_space(tenant: str) -> Space:
    """The namespace of a tenant's documents that everybody of it may see; raises `InputError` for what is no name."""
    if not is_name(tenant):
        raise InputError(
            f"tenant: {_shown(tenant)} is no name of a tenant; write a-z, 0-9 and -, like harrow-mutual"
        )
    return (*ROOT, tenant, PUBLIC)


def role_space(tenant: str, role: str) -> Space:
    """The namespace of what only one role of a tenant may see; raises `InputError` for names that are none."""
    if not is_name(role) or role == PUBLIC.lower():
        raise InputError(f"role: {_shown(role)} is no name of a role; write a-z, 0-9 and -, like agent")
    return (*public_space(tenant)[:3], role)


def spaces_for(who: Who) -> tuple[Space, ...]:
    """What somebody may see: their tenant's public documents and those of their role; nothing when either is no name."""
    try:
        return public_space(who.tenant_id), role_space(who.tenant_id, who.role)
    except InputError:
        return ()


def _shown(name: object) -> str:
    return repr(name)[:80]


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

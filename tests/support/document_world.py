"""Tenants, roles and documents in any order, crashes included, and what each asker may then find."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from langgraph.store.base import BaseStore, Op, PutOp, Result

from email_assistant.errors import InputError
from email_assistant.knowledge.embedding import DIMS, Embedder, LexicalEmbedding
from email_assistant.workflows.claims_desk.document_import import DocumentImport
from email_assistant.workflows.claims_desk.document_search import Documents
from email_assistant.workflows.claims_desk.document_store import PUBLIC, Space, Who, public_space, role_space
from email_assistant.workflows.claims_desk.documents.document import Document
from email_assistant.workflows.claims_desk.documents.reading import read_document

NAMES = ("acme", "acme-2", "agent", "agents", "b")
TRICKS = (
    "", "Public", "public", "a.b", "acme.agent", "../acme", "acme/agent", "acme ", "acme\n", "Acme", "ACME", "%", "_", "acm_", "*",
    "-acme", "acme-", "аcme", "ａcme", "acme\u200b", "acme\0", "b" * 64, "None", "acme', 'agent",
)  # fmt: skip
"""Names that could be taken for another's; the look-alikes are Cyrillic, full-width, and with a character without width."""
WORD = "premium"
"""Stands in every document, so that each of them is found."""


class CrashError(BaseException):
    """The process dies here."""


@dataclass(frozen=True)
class Bring:
    """An import; with `crash_after`, one that dies after so many writes."""

    tenant: str
    role: str | None
    files: tuple[tuple[str, str], ...]
    crash_after: int | None = None


@dataclass(frozen=True)
class Forget:
    """The documents of a namespace removed."""

    tenant: str
    role: str | None


@dataclass(frozen=True)
class Ask:
    """A question."""

    tenant: str
    role: str


_any_name = st.sampled_from(NAMES + TRICKS)
_name = st.sampled_from(NAMES)
_files = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "c.html"]),
    st.lists(st.sampled_from(["one", "two", "three"]), min_size=1, max_size=3, unique=True).map(
        lambda heads: "\n\n".join(f"# {head}\n\n{WORD} {head}" for head in heads)
    ),
    max_size=3,
).map(lambda files: tuple(files.items()))
_role = st.one_of(st.none(), _any_name)
STEPS = st.lists(
    st.one_of(
        st.builds(Bring, _any_name, _role, _files),
        st.builds(Bring, _name, st.one_of(st.none(), _name), _files, st.integers(0, 12)),
        st.builds(Forget, _any_name, _role),
        st.builds(Ask, _any_name, _any_name),
        st.builds(Ask, _name, _name),
    ),
    min_size=1,
    max_size=14,
)


def index_of(embedder: Embedder) -> Any:
    """The index of langgraph.json."""
    return {"dims": DIMS, "embed": embedder.embed, "fields": ["text"]}


@dataclass
class Crashing(BaseStore):
    """Another store, until a number of writes has been done; those are done for certain, and nothing after them."""

    store: BaseStore
    left: int
    begun: list[asyncio.Future[list[Result]]] = field(default_factory=list)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Not used."""
        raise NotImplementedError

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As the other store."""
        listed = list(ops)
        for op in listed:
            if isinstance(op, PutOp):
                if not self.left:
                    await asyncio.gather(*self.begun)
                    raise CrashError
                self.left -= 1
        self.begun.append(asyncio.ensure_future(self.store.abatch(listed)))
        return await self.begun[-1]


@dataclass
class World:
    """A store, and what has to be in it."""

    store: BaseStore
    embedder: Embedder = field(default_factory=lambda: Embedder(LexicalEmbedding()))
    known: dict[tuple[str, str], dict[str, Document]] = field(default_factory=dict)
    """By tenant and visibility."""

    @property
    def importing(self) -> DocumentImport:
        """What writes."""
        return DocumentImport(self.embedder)

    async def play(self, steps: Sequence[Bring | Forget | Ask]) -> None:
        """Do it all; afterwards, and at each question, everybody finds what they may see and nothing else."""
        for step in steps:
            match step:
                case Bring():
                    await self.bring(step)
                case Forget():
                    where = space(step.tenant, step.role)
                    if where:
                        expected = len(self.known.pop(where[2:], {}))
                        assert await self.importing.forget(self.store, where) == expected
                case Ask():
                    await self.ask(step.tenant, step.role)
        for tenant in ("acme", "acme-2", "b"):
            for role in ("agent", "agents", "acme"):
                await self.ask(tenant, role)

    async def bring(self, step: Bring) -> None:
        """An import. One that dies has changed nothing that is seen, or all."""
        where = space(step.tenant, step.role)
        if where is None:
            return
        # Every text says whose it is, so that none can stand in for another's.
        whose = f"{WORD} of {step.tenant} for {where[3]}"
        documents = {
            name: read_document(name, text.replace(WORD, whose).encode()) for name, text in step.files
        }
        if step.crash_after is None:
            await self.importing.replace(self.store, where, list(documents.values()))
            self.known[where[2:]] = documents
            return
        before = self.known.get(where[2:], {})
        try:
            await self.importing.replace(
                Crashing(self.store, step.crash_after), where, list(documents.values())
            )
            done = True
        except (CrashError, BaseExceptionGroup):
            done = False
        found = await self.texts(where)
        assert found == texts_of(documents) or (not done and found == texts_of(before))
        self.known[where[2:]] = documents if found == texts_of(documents) else before

    async def texts(self, where: Space) -> list[tuple[str, str]]:
        """What is found in one namespace: by somebody of the role, less what is public, or by a role that has nothing."""
        role = "nobody-has-this" if where[3] == PUBLIC else where[3]
        found = await self.find(where[2], role)
        return [(label, text) for label, text, is_public in found if is_public == (where[3] == PUBLIC)]

    async def ask(self, tenant: str, role: str) -> None:
        """A question, whose answers are all that may be seen."""
        found = await self.find(tenant, role)
        if space(tenant, None) is None or space(tenant, role) is None:
            assert found == []
            return
        public, own = (self.known.get((tenant, each), {}) for each in (PUBLIC, role))
        assert [(label, text) for label, text, is_public in found if is_public] == texts_of(public)
        assert [(label, text) for label, text, is_public in found if not is_public] == texts_of(own)

    async def find(self, tenant: str, role: str) -> list[tuple[str, str, bool]]:
        """Labels and texts of all that is found, in order of both."""
        documents = Documents(self.embedder)
        found = await documents.find(self.store, Who(tenant, "C-1", role), WORD, 1_000, least=0.0)
        return sorted((one.label, one.text, one.is_public) for one in found)


def space(tenant: str, role: str | None) -> Space | None:
    """The namespace; None for names that are refused, which have to be tricks."""
    try:
        return public_space(tenant) if role is None else role_space(tenant, role)
    except InputError:
        assert tenant in TRICKS or role in TRICKS
        return None


def texts_of(documents: dict[str, Document]) -> list[tuple[str, str]]:
    """Labels and texts, in order of both."""
    return sorted((chunk.label, chunk.text) for one in documents.values() for chunk in one.chunks)

"""Documents over the stores that a deployment may have: the one in memory, and PostgreSQL with pgvector."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import AsyncPostgresStore

from email_assistant.errors import ConflictError, InputError
from email_assistant.knowledge.embedding import LexicalEmbedding
from email_assistant.workflows.claims_desk import document_import
from email_assistant.workflows.claims_desk.document_search import Documents, read_catalogue
from email_assistant.workflows.claims_desk.document_store import CATALOGUE, Who, public_space, role_space
from email_assistant.workflows.claims_desk.documents.document import Document
from email_assistant.workflows.claims_desk.documents.reading import read_document
from tests.support.document_world import CrashError, Crashing, World, index_of

STORES = pytest.mark.parametrize("world", ["memory", "postgres"], indirect=True)
TERMS = "# Terms\n\n## 1 Theft\n\nBicycles that were locked are covered.\n\n## 2 Cash\n\nCash above 200.00 is not covered."
PUBLIC = public_space("acme")
CUSTOMER = Who("acme", "C-1", "customer")


class Counting(LexicalEmbedding):
    """Counts the texts that it is asked for."""

    asked = 0

    async def vectors(self, texts):  # type: ignore[no-untyped-def]
        self.asked += len(texts)
        return await super().vectors(texts)


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """An empty store with the index of langgraph.json."""
    made = World(InMemoryStore())
    if getattr(request, "param", "memory") == "memory":
        made.store = InMemoryStore(index=index_of(made.embedder))
        yield made
        return
    url = request.getfixturevalue("fresh_postgres")(None)
    async with AsyncPostgresStore.from_conn_string(url, index=index_of(made.embedder)) as store:
        await store.setup()
        made.store = store
        yield made


def document(text: str = TERMS, name: str = "terms.md") -> Document:
    """A Markdown document."""
    return read_document(name, text.encode())


async def labels(world: World, query: str, who: Who = CUSTOMER, least: float = 0.0) -> list[str]:
    """The labels of what is found, the surest first."""
    return [one.label for one in await Documents(world.embedder).find(world.store, who, query, least=least)]


@STORES
async def test_chunks_are_found_with_label_text_and_score(world: World) -> None:
    """The surest first; what shares nothing is below the threshold."""
    await world.importing.replace(world.store, PUBLIC, [document()])
    found = await Documents(world.embedder).find(
        world.store, CUSTOMER, "Is a locked bicycle covered by theft?"
    )
    assert found[0].label == "terms.md § 1 Theft"
    assert found[0].text == "Bicycles that were locked are covered."
    assert (found[0].path, found[0].is_public) == (("Terms", "1 Theft"), True)
    assert 0.5 < found[0].score <= 1
    assert await labels(world, "weather on Sunday", least=0.15) == []
    assert await labels(world, "👍 …") == []
    assert len(await Documents(world.embedder).find(world.store, CUSTOMER, "cash", 1, least=0.0)) == 1


@STORES
async def test_an_import_replaces_and_embeds_only_what_changed(world: World) -> None:
    """Again it is nothing new; a changed file is changed, one that vanished is removed; other namespaces stay."""
    other = role_space("acme", "agent")
    await world.importing.replace(world.store, other, [document(name="inside.md")])
    done = await world.importing.replace(
        world.store, PUBLIC, [document(), document("Fees are 5.", "fees.md")]
    )
    assert (done.new, done.chunks) == (2, 3)
    world.embedder.embedding = counting = Counting()
    again = await world.importing.replace(
        world.store, PUBLIC, [document(), document("Fees are 5.", "fees.md")]
    )
    assert (again.new, again.changed, again.same, again.removed, again.chunks) == (0, 0, 2, 0, 0)
    assert counting.asked == 0
    changed = await world.importing.replace(world.store, PUBLIC, [document(TERMS.replace("200", "300"))])
    assert (changed.new, changed.changed, changed.same, changed.removed) == (0, 1, 0, 1)
    assert sorted(await labels(world, "covered fees theft cash")) == [
        "terms.md § 1 Theft",
        "terms.md § 2 Cash",
    ]
    names = [
        (one.visibility, one.name, one.chunks) for one in await world.importing.listed(world.store, "acme")
    ]
    assert names == [("Public", "terms.md", 2), ("agent", "inside.md", 2)]


@STORES
async def test_names_that_begin_alike_do_not_reach_each_other(world: World) -> None:
    """Neither in searches nor in removals, whatever a store takes a prefix for."""
    for tenant, role in (("acme", "agent"), ("acme", "agents"), ("acme-2", "agent")):
        await world.importing.replace(
            world.store, role_space(tenant, role), [document(name=f"{tenant}.{role}.md")]
        )
    await world.store.aput((*role_space("acme", "agent"), "deeper"), "c-x", {"text": TERMS, "kind": "chunk"})
    assert {label.split(" ")[0] for label in await labels(world, "theft cash", Who("acme", "", "agent"))} == {
        "acme.agent.md"
    }
    assert await world.importing.forget(world.store, role_space("acme", "agent")) == 1
    assert len(await labels(world, "theft cash", Who("acme", "", "agents"))) == 2
    assert len(await labels(world, "theft cash", Who("acme-2", "", "agent"))) == 2
    assert [one.tenant for one in await world.importing.listed(world.store, "acme")] == ["acme"]


async def test_even_a_store_that_gives_too_much_shows_nothing_of_others(world: World) -> None:
    """One that compares namespaces as text, as older ones did, and knows no filter."""

    class Sloppy(InMemoryStore):
        async def asearch(self, prefix, /, *, filter=None, **how):  # type: ignore[no-untyped-def]
            spaces = [space for space in list(self._data) if ".".join(space).startswith(".".join(prefix))]
            return [hit for space in spaces for hit in await super(Sloppy, self).asearch(space, **how)]

    world.store = Sloppy(index=index_of(world.embedder))
    await test_names_that_begin_alike_do_not_reach_each_other(world)
    chunks = await world.store.asearch(role_space("acme", "agents"), limit=10)
    for item in (each for each in chunks if each.key != CATALOGUE):
        await world.store.aput(PUBLIC, item.key, item.value, index=["text"])
    await world.store.aput(
        PUBLIC, CATALOGUE, next(i.value for i in chunks if i.key == CATALOGUE), index=False
    )
    assert await labels(world, "theft cash") == []


@STORES
async def test_an_import_that_dies_has_changed_nothing_and_the_next_clears_up(world: World) -> None:
    """At whichever write; what was written is not embedded again, what no longer counts goes."""
    await world.importing.replace(world.store, PUBLIC, [document()])
    new = [document(TERMS.replace("200", "300")), document("Fees are 5.", "fees.md")]
    for writes in (0, 1, 1, 1, 0):
        with pytest.raises((CrashError, BaseExceptionGroup)):
            await world.importing.replace(Crashing(world.store, writes), PUBLIC, new)
        found = await Documents(world.embedder).find(world.store, CUSTOMER, "cash fees", least=0.0)
        assert not [one for one in found if "300" in one.text or one.document == "fees.md"]
        assert len(found) == 2
    done = await world.importing.replace(world.store, PUBLIC, new)
    assert done.chunks == 0
    assert len(await world.store.asearch(PUBLIC, limit=100)) == 4


async def test_of_two_imports_at_once_one_counts(world: World) -> None:
    """The other is told to import again, and whoever does so gets all of it."""
    ready = asyncio.Event()

    class Slow(LexicalEmbedding):
        async def vectors(self, texts):  # type: ignore[no-untyped-def]
            if any("slow" in text for text in texts):
                await ready.wait()
            return await super().vectors(texts)

    world.embedder.embedding = Slow()
    slow = asyncio.create_task(world.importing.replace(world.store, PUBLIC, [document("slow", "slow.md")]))
    await asyncio.sleep(0)
    await world.importing.replace(world.store, PUBLIC, [document()])
    ready.set()
    with pytest.raises(ConflictError, match="import again"):
        await slow
    assert list((await read_catalogue(world.store, PUBLIC)).documents) == ["terms.md"]
    await world.importing.replace(world.store, PUBLIC, [document("slow", "slow.md")])
    assert await labels(world, "slow") == ["slow.md"]


async def test_two_of_one_name_or_too_many_are_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written."""
    with pytest.raises(InputError, match=r"terms\.md: there are 2 documents of this name"):
        await world.importing.replace(world.store, PUBLIC, [document(), document()])
    monkeypatch.setattr(document_import, "MAX_CHUNKS", 1)
    with pytest.raises(InputError, match="more than 1 chunks"):
        await world.importing.replace(world.store, PUBLIC, [document()])
    assert await world.importing.listed(world.store) == []


@pytest.mark.parametrize("tenant", ["", "acme.agent", "../acme", None])
async def test_an_asker_without_a_proper_tenant_or_role_finds_nothing(world: World, tenant: object) -> None:
    """Nor does one whose role is the word that documents have."""
    await world.importing.replace(world.store, PUBLIC, [document()])
    assert len(await labels(world, "theft", CUSTOMER)) == 2
    for who in (
        replace(CUSTOMER, tenant_id=tenant), replace(CUSTOMER, role=tenant), replace(CUSTOMER, role="Public"),
        replace(CUSTOMER, role="public"),
    ):  # fmt: skip
        assert await labels(world, "theft", who) == []

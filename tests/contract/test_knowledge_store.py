"""Knowledge over the stores that a deployment may have: the one in memory, and PostgreSQL with pgvector."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import AsyncPostgresStore

from email_assistant.knowledge.embedding import DIMS, Embedder, LexicalEmbedding
from email_assistant.mail.address import Address
from email_assistant.mail.message import Conversation
from email_assistant.workflows.reply_pipeline.past_mail.item import key_of, space_of
from tests.support.shop import ANA, ME, Shop, exchange, letter

CARGO = (
    "What does the cargo bike cost for a weekend, and is there a deposit?",
    "It is 60 euro, the deposit is 150.",
)
HOURS = ("Are you open on Saturday?", "On Saturdays we are open from 10 to 14.")
STORES = pytest.mark.parametrize("shop", ["memory", "postgres"], indirect=True)
QUERY = "cargo bike for the weekend, how much is the deposit?"


class Other(LexicalEmbedding):
    """Another embedding, of the same kind."""

    name = "lexical-0"


@pytest.fixture
async def shop(request: pytest.FixtureRequest) -> AsyncIterator[Shop]:
    """An empty store with the index of langgraph.json."""
    embedder = Embedder(LexicalEmbedding())
    index: Any = {"dims": DIMS, "embed": embedder.embed, "fields": ["text"]}
    if getattr(request, "param", "memory") == "memory":
        yield Shop(InMemoryStore(index=index), embedder)
        return
    url = request.getfixturevalue("fresh_postgres")(None)
    async with AsyncPostgresStore.from_conn_string(url, index=index) as store:
        await store.setup()
        yield Shop(store, embedder)


@STORES
async def test_similar_mail_is_found_with_its_answer(shop: Shop) -> None:
    """The surest first; mail and answer come together, whichever of the two is alike; the source tells who, when, what."""
    cargo, hours = exchange(*CARGO, subject="Cargo bike"), exchange(*HOURS, subject="Hours")
    assert await shop.knows(*cargo) == {"added": 2}
    await shop.knows(*hours)
    (found,) = await shop.knowledge.find(shop.store, QUERY)
    assert found.mail
    assert found.answer
    assert (found.mail.text, found.answer.text) == CARGO
    assert (found.source.sender, found.source.subject) == ("Ana Petrova <ana@petrova.example>", "Cargo bike")
    assert (found.source.message_id, found.source.date) == (
        cargo[0].id,
        cargo[0].date and cargo[0].date.isoformat(),
    )
    assert 0.5 <= found.score <= 1
    by_answer = await shop.sources("open from 10 to 14 on Saturdays", least=0.0)
    assert by_answer[0] == hours[0].id


@STORES
async def test_nothing_below_the_threshold_is_used(shop: Shop) -> None:
    """What shares a word or two is no help; without a threshold it can be looked at."""
    await shop.knows(*exchange(*CARGO))
    assert await shop.sources("The heating engineer comes for the weekend shift on Thursday.") == []
    assert len(await shop.sources("The heating engineer comes for the weekend shift.", least=0.0)) == 1


@STORES
async def test_the_message_and_its_own_conversation_are_left_out(shop: Shop) -> None:
    """Also when an answer of that conversation is what is alike."""
    messages = exchange(*CARGO, subject="Cargo bike")
    await shop.knows(*messages)
    again = letter(QUERY, subject="Cargo bike", thread=messages[0].mail_thread_id)
    assert await shop.sources(messages[0], least=0.0) == []
    assert await shop.sources(again, least=0.0) == []
    elsewhere = letter(QUERY, subject="Cargo bike")
    assert await shop.sources(elsewhere) == [messages[0].id]


@STORES
async def test_indexing_again_changes_nothing(shop: Shop) -> None:
    """What is known is neither written nor judged again, and an answer that came later is tied to its mail."""
    theirs, ours = exchange(*CARGO)
    assert await shop.knows(theirs) == {"added": 1}
    assert await shop.knows(theirs, ours) == {"added": 2}
    asked = list(shop.doubted.asked)
    assert await shop.knows(theirs, ours) == {"unchanged": 2}
    assert await shop.knows(theirs) == {"unchanged": 1}
    assert shop.doubted.asked == asked
    (found,) = await shop.knowledge.find(shop.store, QUERY)
    assert found.answer
    assert found.answer.message_id == ours.id


@STORES
async def test_another_embedding_starts_anew(shop: Shop) -> None:
    """Vectors of another embedding are ignored, and replaced when the mail is indexed again."""
    index = exchange(*CARGO)
    other = Shop(shop.store, Embedder(Other()))
    # The store embeds by its own embedder; the other's marks are refused there, so it is switched for the test.
    shop.embedder.embedding, before = other.embedder.embedding, shop.embedder.embedding
    await other.knows(*index)
    shop.embedder.embedding = before
    assert await shop.sources(QUERY, least=0.0) == []
    assert await shop.knows(*index) == {"added": 2}
    assert await shop.sources(QUERY) == [index[0].id]


@STORES
async def test_mailboxes_are_apart_and_each_can_be_emptied(shop: Shop) -> None:
    """What another mailbox knows is neither found nor forgotten."""
    other = Shop(shop.store, shop.embedder, mailbox="gmail:else@else.example")
    await shop.knows(*exchange(*CARGO))
    await other.knows(*exchange(*CARGO))
    assert await shop.knowledge.forget(shop.store) == 2
    assert await shop.sources(QUERY, least=0.0) == []
    assert len(await other.sources(QUERY)) == 1
    assert await shop.knowledge.forget(shop.store) == 0


@STORES
async def test_hostile_mail_is_bounded(shop: Shop) -> None:
    """A megabyte of text, control characters, ten thousand recipients, ids of any length: kept small, found by its words."""
    long = letter(
        "cargo bike \x00\x07\x1b[31m\ud800 deposit " * 40_000,
        subject="\u202ecargo\x00\n" * 10_000,
        sender=Address("x" * 60 + "@petrova.example", "A\x00na " * 5_000),
        id="id\x00" * 5_000,
        thread="<" + "t" * 5_000 + "\x00>",
        to=tuple(Address(f"p{n}@many.example") for n in range(10_000)),
        date=None,
    )
    assert await shop.knows(long) == {"added": 1}
    stored = await shop.store.aget(space_of(shop.mailbox), key_of(long.id))
    assert stored
    assert len(str(stored.value)) < 4_000
    assert "\x00" not in str(stored.value)
    (found,) = await shop.knowledge.find(shop.store, "cargo bike deposit", least=0.0)
    assert found.source.date == ""
    assert await shop.sources(letter("cargo deposit " * 100_000, thread=long.mail_thread_id), least=0.0) == []


async def test_mail_in_doubt_is_not_kept_and_goes_when_it_comes_into_doubt(shop: Shop) -> None:
    """Nor is what claims to be the user's and came from outside. The user's own answer to it stays."""
    theirs, ours = exchange(*CARGO)
    shop.doubted.addresses = {ANA.key}
    assert await shop.knows(theirs, ours) == {"in_doubt": 1, "added": 1}
    (found,) = await shop.knowledge.find(shop.store, "deposit is 150, 60 euro", least=0.0)
    assert (found.mail, found.source.role) == (None, "ours")
    forged = letter(CARGO[0], sender=ME, headers={"received-spf": "fail"})
    assert await shop.knows(forged) == {"in_doubt": 1}
    shop.doubted.addresses = set()
    await shop.knows(theirs)
    shop.doubted.addresses = {ANA.key}
    changed = letter(CARGO[0] + " Soon?", id=theirs.id, thread=theirs.mail_thread_id)
    assert await shop.knows(changed) == {"in_doubt": 1}
    assert await shop.store.aget(space_of(shop.mailbox), key_of(theirs.id)) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"headers": {"list-id": "<news.shop.example>"}},
        {"headers": {"auto-submitted": "auto-generated"}},
        {"sender": Address("no-reply@shop.example")},
    ],
)
async def test_mail_of_lists_and_programs_is_left_out(shop: Shop, fields: dict[str, Any]) -> None:
    """It is answered by nobody."""
    assert await shop.knows(letter(CARGO[0], **fields)) == {"list_mail": 1}


async def test_a_text_that_imitates_our_marks_is_only_text(shop: Shop) -> None:
    """The first line that names the embedding is ours; a second one belongs to the mail."""
    trick = letter("[openai:evil m-1]\ncargo bike deposit", subject="[lexical-0 m-2]")
    assert await shop.knows(trick) == {"added": 1}
    (found,) = await shop.knowledge.find(shop.store, trick.text, least=0.0)
    assert found.source.text == trick.text
    assert found.source.subject == trick.subject


async def test_noting_a_conversation_never_fails(shop: Shop) -> None:
    """Without a store nothing happens; a store that breaks is logged; else the conversation is kept."""
    theirs, ours = exchange(*CARGO)
    conversation = Conversation(letter("And on Sunday?", thread=theirs.mail_thread_id), (theirs, ours))
    await shop.knowledge.note(None, conversation)
    await shop.knowledge.note(InMemoryStore.__new__(InMemoryStore), conversation)
    await shop.knowledge.note(shop.store, conversation)
    assert await shop.sources(QUERY) == [theirs.id]

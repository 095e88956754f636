"""What is known about people: changing, finding and merging it, on both databases."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.clock import FixedClock
from email_assistant.errors import InputError
from email_assistant.journal.database import Database
from email_assistant.workflows.reply_pipeline.records.contacts import (
    BATCH,
    LIMITS,
    MAX_TAGS,
    Contact,
    Contacts,
    Imported,
    checked,
    contact_address,
)

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ANA = Contact(
    "ana@vale.example", "Ana Petrova", "Vale GmbH", "+49 30 1", "Buyer", "Likes oak.", ("wood",), "test"
)


@pytest.fixture
def contacts(database: Database, clock: FixedClock) -> Contacts:
    """The contacts of a fresh database."""
    return Contacts(database, clock)


def later(contacts: Contacts) -> Contacts:
    """The same contacts an hour later."""
    return replace(contacts, clock=FixedClock(NOW + timedelta(hours=1)))


async def test_a_contact_is_made_and_changed(contacts: Contacts) -> None:
    """Only the details that are named change; the address is the same in any case of letters."""
    made = await contacts.upsert(
        "Ana@VALE.example", {"name": " Ana  Petrova ", "tags": ["b", "a", "B"]}, source="by hand"
    )
    assert made == Contact(
        "ana@vale.example", "Ana Petrova", tags=("b", "a"), source="by hand", created_at=NOW, updated_at=NOW
    )
    changed = await later(contacts).upsert("ana@vale.EXAMPLE", {"phone": "+49 30 1"}, source="card")
    assert changed == replace(made, phone="+49 30 1", source="card", updated_at=NOW + timedelta(hours=1))
    assert await contacts.get("ANA@vale.example") == changed
    emptied = await contacts.upsert("ana@vale.example", {"name": "", "tags": ()}, source="by hand")
    assert (emptied.name, emptied.tags, emptied.phone) == ("", (), "+49 30 1")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"notes": "x" * 1_000_000}, "notes: longer than 4000"),
        ({"organisation": "a\0b"}, r"organisation: control character U\+0000"),
        ({"name": '=HYPERLINK("http://x.example")'}, "name: begins like a spreadsheet's formula"),
        ({"tags": [str(n) for n in range(MAX_TAGS + 1)]}, "tags: more than 20"),
        ({"shoe_size": "42"}, "shoe_size: not a field of a contact"),
    ],
)
async def test_wrong_details_are_told_by_field(contacts: Contacts, fields: dict, words: str) -> None:
    """And nothing is kept, by a change or an import."""
    with pytest.raises(InputError, match=words):
        await contacts.upsert(ANA.address, fields, source="x")
    if "shoe_size" not in fields:
        with pytest.raises(InputError, match=words):
            await contacts.import_all([Contact("bo@vale.example"), Contact(ANA.address, **fields)])
    assert await contacts.list() == ()


@pytest.mark.parametrize("text", ["+49 (0)30 123", "- call Bo (soon)", "\u202a+49 1\u202c"])
def test_what_only_resembles_a_formula_is_taken(text: str) -> None:
    """A telephone number, a list, an arrow; marks that only set the direction of text go."""
    assert checked({"notes": text})["notes"] == text.strip("\u202a\u202c")


@pytest.mark.parametrize("text", ["", "Ana <ana@vale.example>", "a\0@b.example"])
async def test_what_is_no_address_is_told(contacts: Contacts, text: str) -> None:
    """By everything that takes one."""
    with pytest.raises(InputError, match="address: not an email address"):
        await contacts.get(text)
    with pytest.raises(InputError, match="address"):
        await contacts.upsert(text, {"name": "x"}, source="x")
    with pytest.raises(InputError, match="address"):
        await contacts.remove(text)


async def test_finding_by_words(contacts: Contacts) -> None:
    """Every word must stand somewhere, in any case and script; signs of the database's own mean nothing."""
    await contacts.import_all(
        [ANA, Contact("bo@x.example", "Émile Groß", tags=("100%",)), Contact("cy@x.example", "Cy_B")]
    )

    async def found(text: str, limit: int = 9) -> list[str]:
        return [one.address[:2] for one in await contacts.search(text, limit)]

    assert await found("VALE petrova") == ["an"]
    assert await found("éMILE gross") == ["bo"]
    assert await found("e\u0301mile") == ["bo"]
    assert await found("0%") == ["bo"]
    assert await found("y_b") == ["cy"]
    assert await found("a_a") == await found("vale cy") == []
    assert await found("") == await found("\0") == ["an", "bo", "cy"]
    assert await found("example", 2) == ["an", "bo"]


async def test_an_import_completes_what_is_there(contacts: Contacts) -> None:
    """Text replaces text, nothing replaces nothing, tags are added; doing it again is the same."""
    await contacts.upsert("bo@x.example", {"name": "Bo", "phone": "1", "tags": ["Old"]}, source="by hand")
    given = [ANA, Contact("BO@x.example", "Bo Lee", tags=("old", "new"), source="import of f.csv")]
    assert await later(contacts).import_all(given) == Imported(new=1, changed=1)
    bo = await contacts.get("bo@x.example")
    assert bo is not None
    assert (bo.name, bo.phone, bo.tags, bo.source) == ("Bo Lee", "1", ("Old", "new"), "import of f.csv")
    assert (bo.created_at, bo.updated_at) == (NOW, NOW + timedelta(hours=1))
    before = await contacts.list()
    assert await contacts.import_all(given) == Imported(same=2)
    assert await contacts.list() == before


async def test_an_import_that_breaks_imports_nothing(contacts: Contacts) -> None:
    """Whatever it breaks at: the one that gives the contacts, or tags that become too many."""

    def breaking() -> Iterator[Contact]:
        yield from (Contact(f"p{n}@x.example") for n in range(BATCH + 1))
        raise InputError("line 7")

    with pytest.raises(InputError, match="line 7"):
        await contacts.import_all(breaking())
    assert await contacts.list() == ()
    await contacts.upsert(ANA.address, {"tags": [str(n) for n in range(MAX_TAGS)]}, source="x")
    with pytest.raises(InputError, match=r"ana@vale\.example: tags: more than 20"):
        await contacts.import_all([Contact("bo@x.example"), Contact(ANA.address, tags=("one more",))])
    assert len(await contacts.list()) == 1


async def test_imports_and_changes_at_once(contacts: Contacts) -> None:
    """Two imports in opposite orders and changes of the same people wait for each other, and nothing is lost."""
    people = [Contact(f"p{n}@x.example") for n in range(3)]
    named = [replace(one, name="N") for one in people]
    placed = [replace(one, organisation="O") for one in reversed(people)]
    changes = [contacts.upsert(one.address, {"phone": "1"}, source="x") for one in people]
    await asyncio.gather(contacts.import_all(named), contacts.import_all(placed), *changes)
    for one in await contacts.list():
        assert (one.name, one.organisation, one.phone) == ("N", "O", "1")


@given(st.text(max_size=300), st.lists(st.text(max_size=12), max_size=8))
def test_checking_twice_is_checking_once(text: str, tags: list[str]) -> None:
    """What was taken is taken again as it is, so that imports of one file settle."""
    try:
        first = checked({**dict.fromkeys(LIMITS, text), "tags": tags})
    except InputError:
        return
    assert checked(first) == first
    assert all(len(first[name]) <= limit for name, limit in LIMITS.items())


@given(st.text(max_size=40))
def test_an_address_is_kept_in_one_form(text: str) -> None:
    """Whatever is taken for an address is taken again as it is."""
    try:
        key = contact_address(text + "@vale.example")
    except InputError:
        return
    assert contact_address(key) == key

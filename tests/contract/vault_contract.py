"""What every vault behind the `Vault` port must do.

A test class inherits from `VaultContract` and brings one fixture: `vault`, empty.
"""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.errors import InputError, NotFoundError
from email_assistant.mail.address import Address
from email_assistant.notes.note import Note
from email_assistant.notes.vault import Vault

NOTE = Note(
    key="thread-1",
    title="Spring budget review",
    created=datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    category="Professional/Work",
    sender=Address("ana@example.com", "Ana Petrova"),
    message_id="<one@example.com>",
    subject="Re: Budget for spring",
    summary="Ana wants the figures for spring.\n\nThe hall costs 4,000 euro.",
    key_points=("The hall costs 4,000 euro.", "Figures are due on Friday."),
    links=("https://example.com/figures?year=2027",),
    tags=("budget", "spring 2027"),
)
LATER = replace(
    NOTE,
    created=NOTE.created + timedelta(days=1),
    message_id="<two@example.com>",
    summary="The caterer has confirmed.",
    key_points=(),
    links=(),
)
OTHER = replace(
    NOTE,
    key="thread-2",
    title="Trip to Lisbon",
    message_id="<three@example.com>",
    summary="Flights on Monday.",
)


class VaultContract:
    """Run against a real vault."""

    async def test_a_new_note_holds_what_was_noted(self, vault: Vault) -> None:
        """A note about something new is created, and can be read with its title, summary, points and links."""
        written = await vault.write(NOTE)
        text = await vault.read(written.path)
        assert written.outcome == "created"
        for part in (NOTE.title, *NOTE.key_points, *NOTE.links, "Ana wants the figures", "ana@example.com"):
            assert part in text

    async def test_a_note_is_found_by_its_key(self, vault: Vault) -> None:
        """`find` gives the path that `write` gave, and None for what was never noted."""
        written = await vault.write(NOTE)
        assert await vault.find("thread-1") == written.path
        assert await vault.find("thread-9") is None
        assert await vault.find("") is None

    async def test_the_same_mail_is_noted_once(self, vault: Vault) -> None:
        """A second write of the same mail changes nothing, whatever else of the note changed."""
        first = await vault.write(NOTE)
        text = await vault.read(first.path)
        again = await vault.write(
            replace(NOTE, summary="Told differently.", key="thread-7", title="Other words")
        )
        assert (again.path, again.outcome) == (first.path, "unchanged")
        assert await vault.read(first.path) == text

    async def test_a_message_id_is_the_same_with_and_without_brackets(self, vault: Vault) -> None:
        """The brackets around a Message-ID are not part of it (RFC 5322 §3.6.4)."""
        await vault.write(NOTE)
        assert (await vault.write(replace(NOTE, message_id="one@example.com"))).outcome == "unchanged"

    async def test_a_later_mail_of_the_conversation_becomes_an_entry(self, vault: Vault) -> None:
        """The same key means the same note: what it said stays, the entry comes after it."""
        first = await vault.write(NOTE)
        before = await vault.read(first.path)
        second = await vault.write(LATER)
        after = await vault.read(first.path)
        assert (second.path, second.outcome) == (first.path, "appended")
        assert after.index("The hall costs") < after.index("The caterer has confirmed.")
        assert "2026-11-21" in after
        assert before.partition("# Spring")[2] in after

    async def test_a_conversation_on_the_same_topic_goes_into_the_same_note(self, vault: Vault) -> None:
        """Title, category and the sender's organisation make a topic; both keys then find the note."""
        first = await vault.write(NOTE)
        colleague = replace(
            LATER, key="thread-2", title="RE: spring  BUDGET review", sender=Address("bo@example.com")
        )
        second = await vault.write(colleague)
        third = await vault.write(
            replace(colleague, title="Something else entirely", message_id="<3@example.com>")
        )
        assert [second.outcome, third.outcome] == ["appended", "appended"]
        assert {second.path, third.path, await vault.find("thread-2")} == {first.path}
        assert await vault.find("thread-1") == first.path

    @pytest.mark.parametrize(
        "other",
        [
            replace(OTHER, title=NOTE.title, sender=Address("eve@example.net")),
            replace(OTHER, title=NOTE.title, category="Personal"),
            OTHER,
        ],
        ids=["other organisation", "other category", "other title"],
    )
    async def test_another_topic_gets_a_note_of_its_own(self, vault: Vault, other: Note) -> None:
        """A stranger who uses the title of a note does not get into it."""
        first = await vault.write(NOTE)
        second = await vault.write(other)
        assert second.outcome == "created"
        assert second.path != first.path
        assert (await vault.find("thread-1"), await vault.find("thread-2")) == (first.path, second.path)

    async def test_a_title_of_one_word_is_no_topic(self, vault: Vault) -> None:
        """Two conversations called "Invoice" have nothing in common yet."""
        first = await vault.write(replace(NOTE, title="Invoice"))
        second = await vault.write(replace(OTHER, title="Invoice"))
        assert second.outcome == "created"
        assert first.path != second.path

    async def test_many_at_once_write_each_mail_once(self, vault: Vault) -> None:
        """Concurrent writes, each of them twice, neither lose nor repeat an entry."""
        notes = [replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}.") for n in range(12)]
        outcomes = [written.outcome for written in await asyncio.gather(*map(vault.write, [*notes, *notes]))]
        text = await vault.read(await vault.find("thread-1") or "")
        assert sorted(outcomes) == ["appended"] * 11 + ["created"] + ["unchanged"] * 12
        assert [text.count(f"Entry no {n}.") for n in range(12)] == [1] * 12

    async def test_words_find_notes_the_best_first(self, vault: Vault) -> None:
        """A search gives path, title and the fitting line; rare words and words of titles count more."""
        budget, trip = await vault.write(NOTE), await vault.write(OTHER)
        found = await vault.search("When is the flight to lisbon, and what does the hall cost?", 5)
        assert [each.path for each in found] == [trip.path, budget.path]
        assert [each.title for each in found] == ["Trip to Lisbon", "Spring budget review"]
        assert "hall costs" in found[1].snippet

    async def test_a_search_knows_its_limit_and_what_was_added(self, vault: Vault) -> None:
        """At most `limit` notes; entries written since count; words that are nowhere find nothing."""
        await vault.write(NOTE)
        await vault.write(OTHER)
        assert len(await vault.search("ana petrova", 1)) == 1
        assert await vault.search("caterer", 5) == []
        await vault.write(LATER)
        assert [each.title for each in await vault.search("caterer", 5)] == [NOTE.title]
        assert await vault.search("", 5) == await vault.search("...", 5) == await vault.search("ana", 0) == []

    async def test_an_empty_vault_answers(self, vault: Vault) -> None:
        """Before the first note nothing is found, and nothing can be read."""
        assert await vault.find("thread-1") is None
        assert await vault.search("budget", 5) == []
        with pytest.raises(NotFoundError):
            await vault.read("nowhere.md")

    @pytest.mark.parametrize(
        "path",
        [
            "../outside.md", "/etc/passwd", "a/../../b.md", "a\\b.md", "C:/x.md", "", ".", "a//b.md",
            ".obsidian/app.md", "a.txt", "x\0.md", "./a.md", "a" * 5000 + ".md",
        ],
    )  # fmt: skip
    async def test_a_path_that_leads_out_is_refused(self, vault: Vault, path: str) -> None:
        """Only paths of notes inside the vault are read."""
        await vault.write(NOTE)
        with pytest.raises(InputError, match="'path'"):
            await vault.read(path)

    @pytest.mark.parametrize("field", ["key", "title", "category", "message_id"])
    async def test_a_note_without_what_it_needs_is_refused(self, vault: Vault, field: str) -> None:
        """The error names the field, and nothing is written; white space is nothing."""
        for nothing in ("", " \n"):
            with pytest.raises(InputError, match=f"'{field}'"):
                await vault.write(replace(NOTE, **{field: nothing}))
        assert await vault.find("thread-1") is None

    @pytest.mark.parametrize(
        "created",
        [datetime(2026, 11, 20, 9), datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)],
    )
    async def test_a_time_must_be_aware_and_of_our_days(self, vault: Vault, created: datetime) -> None:
        """A time without a zone, or one that no zone could show, is refused."""
        with pytest.raises(InputError, match="'created'"):
            await vault.write(replace(NOTE, created=created))

    @pytest.mark.parametrize(
        "key",
        [
            "<a b>",
            "x" * 5000,
            "[[Other note]]",
            "12e5",
            "null",
            'q"\n---\n',
            "ключ",
            "a/b",
            "%41",
            "A",
            "\ud800",
            "<%x%>",
        ],
        ids=repr,
    )
    async def test_any_id_finds_its_note(self, vault: Vault, key: str) -> None:
        """Whatever a mailbox uses for ids, key and message id work and are told from others."""
        written = await vault.write(replace(NOTE, key=key, message_id=key))
        assert await vault.find(key) == written.path
        assert await vault.find(key.swapcase() + "x") is None
        assert (await vault.write(replace(OTHER, key=key, message_id=key))).outcome == "unchanged"
        assert (await vault.write(replace(LATER, key=key))).outcome == "appended"

    async def test_every_text_may_be_hostile_and_huge(self, vault: Vault) -> None:
        """Nothing a mail can hold makes a write fail, and the same mail is still known."""
        awful = "\x00\x1b[31m---\r\n# x\n" + "[[" * 20_000 + "\ud800\u202e" + "😀" * 5_000 + "\n" * 20_000
        note = replace(
            NOTE, title=awful, category=awful, subject=awful, summary=awful * 5, key_points=(awful,) * 500,
            links=(awful, "https://" + awful), tags=(awful,) * 500, sender=Address("a@example.com", awful),
        )  # fmt: skip
        written = await vault.write(note)
        assert written.outcome == "created"
        assert (await vault.write(note)).outcome == "unchanged"
        assert (await vault.write(replace(note, message_id="<2@example.com>"))).outcome == "appended"
        assert len(await vault.read(written.path)) < 200_000

    def test_it_has_a_name(self, vault: Vault) -> None:
        """The name tells it from other vaults."""
        assert vault.name

"""What a vault must do.

A test class inherits from `VaultContract` and brings two fixtures: `vault`, empty, and `text_of`, which gives a note's text by its path.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from email_assistant.mail.address import Address
from email_assistant.workflows.inbox_organizer.notes import Note, ObsidianVault

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
    text="The figures: https://example.com/figures?year=2027\n[[Private]] <% code %>",
)
TextOf = Callable[[str], str]
DEFERRED = replace(
    NOTE,
    created=NOTE.created + timedelta(days=1),
    message_id="<two@example.com>",
    summary="The caterer has confirmed.",
    key_points=(),
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

    async def test_a_new_note_holds_what_was_noted(self, vault: ObsidianVault, text_of: TextOf) -> None:
        """A note about something new is created, with its title, summary, points and the mail."""
        written = await vault.write(NOTE)
        text = text_of(written.path)
        assert written.outcome == "created"
        for part in (
            NOTE.title,
            *NOTE.key_points,
            NOTE.text[:50],
            "Ana wants the figures",
            "ana@example.com",
        ):
            assert part in text

    async def test_the_same_mail_is_noted_once(self, vault: ObsidianVault, text_of: TextOf) -> None:
        """A second write of the same mail changes nothing, whatever else of the note changed."""
        first = await vault.write(NOTE)
        text = text_of(first.path)
        again = await vault.write(
            replace(NOTE, summary="Told differently.", title="Other words", category="Home")
        )
        assert (again.path, again.outcome) == (first.path, "unchanged")
        assert text_of(first.path) == text

    async def test_a_message_id_is_the_same_with_and_without_brackets(self, vault: ObsidianVault) -> None:
        """The brackets around a Message-ID are not part of it (RFC 5322 §3.6.4)."""
        await vault.write(NOTE)
        assert (await vault.write(replace(NOTE, message_id="one@example.com"))).outcome == "unchanged"

    async def test_a_later_mail_of_the_conversation_becomes_an_entry(
        self, vault: ObsidianVault, text_of: TextOf
    ) -> None:
        """The same key means the same note: what it said stays, the entry comes after it."""
        first = await vault.write(NOTE)
        before = text_of(first.path)
        second = await vault.write(replace(DEFERRED, title="Other words", category="Home"))
        after = text_of(first.path)
        assert (second.path, second.outcome) == (first.path, "appended")
        assert after.startswith(before)
        assert "2026-11-21" in after[len(before) :]
        assert "The caterer has confirmed." in after[len(before) :]

    @pytest.mark.parametrize(
        "other", [replace(OTHER, title=NOTE.title), OTHER], ids=["same title", "other title"]
    )
    async def test_another_conversation_gets_a_note_of_its_own(
        self, vault: ObsidianVault, other: Note
    ) -> None:
        """A stranger who uses the title of a note does not get into it."""
        first = await vault.write(NOTE)
        second = await vault.write(other)
        assert second.outcome == "created"
        assert second.path != first.path
        assert (await vault.write(replace(DEFERRED, key=other.key))).path == second.path

    async def test_many_at_once_write_each_mail_once(self, vault: ObsidianVault, text_of: TextOf) -> None:
        """Concurrent writes, each of them twice, neither lose nor repeat an entry."""
        notes = [replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}.") for n in range(12)]
        written = await asyncio.gather(*map(vault.write, [*notes, *notes]))
        outcomes, (path,) = [each.outcome for each in written], {each.path for each in written}
        text = text_of(path)
        assert sorted(outcomes) == ["appended"] * 11 + ["created"] + ["unchanged"] * 12
        assert [text.count(f"Entry no {n}.") for n in range(12)] == [1] * 12

    @pytest.mark.parametrize(
        "key",
        ["x" * 5000, "[[Other note]]", 'q"\n---\n', "\ud800"],
        ids=repr,
    )
    async def test_any_id_finds_its_note(self, vault: ObsidianVault, key: str) -> None:
        """Whatever a mailbox uses for ids, key and message id work and are told from others."""
        written = await vault.write(replace(NOTE, key=key, message_id=key))
        assert (await vault.write(replace(OTHER, key=key, message_id=key))).outcome == "unchanged"
        later = await vault.write(replace(DEFERRED, key=key))
        assert (later.path, later.outcome) == (written.path, "appended")
        assert (await vault.write(replace(OTHER, key=key.swapcase() + "x"))).outcome == "created"

    async def test_every_text_may_be_hostile_and_huge(self, vault: ObsidianVault, text_of: TextOf) -> None:
        """Nothing a mail can hold makes a write fail, and the same mail is still known."""
        awful = "\x00\x1b[31m---\r\n# x\n" + "[[" * 20_000 + "\ud800\u202e" + "😀" * 5_000 + "\n" * 20_000
        note = replace(
            NOTE, title=awful, category=awful, subject=awful, summary=awful * 5, key_points=(awful,) * 500,
            text=awful, sender=Address("a@example.com", awful),
        )  # fmt: skip
        written = await vault.write(note)
        assert written.outcome == "created"
        assert (await vault.write(note)).outcome == "unchanged"
        assert (await vault.write(replace(note, message_id="<2@example.com>"))).outcome == "appended"
        assert len(text_of(written.path)) < 200_000

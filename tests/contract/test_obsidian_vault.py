"""An Obsidian vault: the contract, and what is special about a folder in which people work, too."""

import asyncio
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from email_assistant.errors import ConfigError, ProviderError, TransientError
from email_assistant.workflows.inbox_organizer.notes import ObsidianVault
from tests.contract.vault_contract import DEFERRED, NOTE, TextOf, VaultContract

WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from email_assistant.workflows.inbox_organizer.notes import ObsidianVault
from tests.contract.vault_contract import NOTE
async def main():
    vault = ObsidianVault(Path(sys.argv[1]))
    for n in range(int(sys.argv[2])):
        await vault.write(replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}."))
asyncio.run(main())
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the vault will be."""
    return tmp_path / "vault"


@pytest.fixture
def vault(root: Path) -> ObsidianVault:
    """A vault that does not exist yet."""
    return ObsidianVault(root, "Europe/Berlin")


@pytest.fixture
def text_of(root: Path) -> TextOf:
    """What stands in a note."""
    return lambda path: (root / path).read_text(encoding="utf-8")


def front_matter(data: bytes) -> dict[str, object]:
    """What another program reads in the front matter."""
    values = yaml.safe_load(data.decode("utf-8-sig").split("---")[1])
    assert isinstance(values, dict)
    return values


class TestContract(VaultContract):
    """The contract of every vault."""


class TestFiles:
    """What is written, and where."""

    async def test_nothing_is_touched_before_the_first_note(
        self, vault: ObsidianVault, tmp_path: Path
    ) -> None:
        """Making the vault creates no folder; the first note does."""
        assert list(tmp_path.iterdir()) == []
        written = await vault.write(NOTE)
        assert re.fullmatch(r"Agent/Professional/Work/Spring budget review [0-9a-f]{12}\.md", written.path)
        assert (tmp_path / "vault" / written.path).is_file()

    async def test_front_matter_is_yaml_that_says_everything(self, vault: ObsidianVault, root: Path) -> None:
        """Another YAML reader finds each property, times in the user's zone."""
        written = await vault.write(NOTE)
        assert front_matter((root / written.path).read_bytes()) == {
            "created": NOTE.created, "title": "Spring budget review", "category": "Professional/Work",
            "from": "Ana Petrova", "address": "ana@example.com",
        }  # fmt: skip
        assert b"created: 2026-11-20T10:30:00+01:00\n" in (root / written.path).read_bytes()

    async def test_a_category_leads_nowhere_else(self, vault: ObsidianVault) -> None:
        """Two dots are no way up."""
        written = await vault.write(replace(NOTE, category="../../etc"))
        assert written.path.startswith("Agent/etc/Spring budget review ")


class TestPeople:
    """What people and other programs do to a vault."""

    @pytest.mark.parametrize("ending", ["", "\r\n"])
    async def test_what_a_person_wrote_into_a_note_stays(
        self, vault: ObsidianVault, root: Path, ending: str
    ) -> None:
        """An entry comes after it, whatever was done to text and front matter, and under a heading of its own."""
        written = await vault.write(NOTE)
        before = b"---\r\nmine: [broken\n\xff no front matter" + ending.encode()
        (root / written.path).write_bytes(before)
        assert (await vault.write(DEFERRED)).outcome == "appended"
        after = (root / written.path).read_bytes()
        assert after.startswith(before)
        assert after[len(before) :].lstrip(b"\n").startswith(b"## 2026-11-21 10:30 Spring budget review\n")
        assert after[len(before) :].startswith(b"\n")
        assert (await vault.write(DEFERRED)).outcome == "unchanged"

    async def test_a_moved_and_renamed_note_is_found_again(self, vault: ObsidianVault, root: Path) -> None:
        """Anywhere in the assistant's folder, by the number at the end of its name; also by another process."""
        written = await vault.write(NOTE)
        number = written.path[-15:]
        (root / "Agent/Projects/2027").mkdir(parents=True)
        (root / written.path).rename(root / "Agent/Projects/2027" / f"Money {number}")
        for each, note in ((vault, NOTE), (ObsidianVault(root), DEFERRED)):
            assert (await each.write(note)).path == f"Agent/Projects/2027/Money {number}"

    async def test_a_note_that_is_gone_begins_anew(self, vault: ObsidianVault, root: Path) -> None:
        """Deleted, in a trash, or taken out of the assistant's folder: a later mail then begins a new note."""
        for place in (".trash", "Agent/.trash", "Mine"):
            written = await vault.write(NOTE)
            (root / place).mkdir()
            moved = root / place / Path(written.path).name
            (root / written.path).rename(moved)
            before = moved.read_bytes()
            assert (await vault.write(DEFERRED)).outcome == "created"
            assert moved.read_bytes() == before
            (root / written.path).unlink()

    async def test_files_of_people_are_not_changed(self, vault: ObsidianVault, root: Path) -> None:
        """Wherever they are, and though they have the title of the note."""
        private = '---\ntitle: "Spring budget review"\n---\nmy password is budget\n'
        places = ["Private.md", "Agent/Professional/Work/Spring budget review.md"]
        for place in places:
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_text(private)
        written = await vault.write(NOTE)
        assert written.outcome == "created"
        assert [(root / place).read_text() for place in places] == [private] * 2


class TestOutside:
    """Nothing is read or written outside of the vault."""

    @pytest.mark.parametrize("link", ["Agent", "Agent/Professional", "Agent/Professional/Work"])
    async def test_a_link_is_not_followed(
        self, vault: ObsidianVault, root: Path, tmp_path: Path, link: str
    ) -> None:
        """A folder that is a link is refused, and nothing is created or read where it leads."""
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "Money 0123456789ab.md").write_text("the budget")
        (root / link).parent.mkdir(parents=True)
        (root / link).symlink_to(outside)
        with pytest.raises(
            ProviderError, match=r"EMAIL_ASSISTANT_VAULT: .* is a link, which may lead out of the vault"
        ):
            await vault.write(NOTE)
        assert [path.name for path in outside.iterdir()] == ["Money 0123456789ab.md"]

    async def test_a_note_that_is_a_link_is_neither_read_nor_written(
        self, vault: ObsidianVault, root: Path, tmp_path: Path
    ) -> None:
        """A link that was put where the note was is told, and what it leads to is left alone."""
        written = await vault.write(NOTE)
        outside = tmp_path / "outside.md"
        (root / written.path).rename(outside)
        (root / written.path).symlink_to(outside)
        before = outside.read_bytes()
        with pytest.raises(ProviderError, match=r"is no file of the assistant's"):
            await vault.write(DEFERRED)
        assert outside.read_bytes() == before


class TestTrouble:
    """What is wrong with a vault is told in one line that names the setting."""

    @pytest.mark.parametrize("blocked", ["vault", "vault/Agent"])
    async def test_a_place_where_no_folder_can_be(self, root: Path, tmp_path: Path, blocked: str) -> None:
        """A file where a folder is needed is a matter of configuration."""
        (tmp_path / blocked).parent.mkdir(exist_ok=True)
        (tmp_path / blocked).write_text("x")
        with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_VAULT") as error:
            await ObsidianVault(root / "deeper" if blocked == "vault" else root).write(NOTE)
        assert "\n" not in str(error.value)

    async def test_a_vault_that_disappears_is_not_begun_anew(self, vault: ObsidianVault, root: Path) -> None:
        """A drive that was unplugged comes back; an empty vault in its place would be in the way."""
        await vault.write(NOTE)
        root.rename(root.with_name("elsewhere"))
        with pytest.raises(TransientError, match="disappeared"):
            await vault.write(DEFERRED)
        assert not root.exists()
        root.with_name("elsewhere").rename(root)
        assert (await vault.write(DEFERRED)).outcome == "appended"


class TestProcesses:
    """Several processes, and an event loop that must not wait."""

    async def test_processes_write_each_mail_once(self, root: Path) -> None:
        """Three processes write the same twelve mails at the same time: one note, twelve entries."""
        command = [sys.executable, "-c", WRITER, str(root), "12"]
        running = [
            subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}) for _ in range(3)
        ]
        codes = await asyncio.gather(*(asyncio.to_thread(process.wait) for process in running))
        (note,) = root.rglob("*.md")
        text = note.read_text()
        assert codes == [0, 0, 0]
        assert [text.count(f"Entry no {n}.") for n in range(12)] == [1] * 12

    async def test_a_process_that_is_killed_leaves_a_vault_that_works(
        self, vault: ObsidianVault, root: Path
    ) -> None:
        """Killed in the middle of its work: the rest is written, nothing twice, no half note is left."""
        command = [sys.executable, "-c", WRITER, str(root), "400"]
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
        while not [*root.rglob("*.md")]:
            assert process.poll() is None
        process.kill()
        process.wait()
        for n in range(3):
            await vault.write(replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}."))
        (note,) = root.rglob("*.md")
        text = note.read_text()
        assert [text.count(f"Entry no {n}.") for n in range(3)] == [1] * 3

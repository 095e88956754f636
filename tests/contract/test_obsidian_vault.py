"""An Obsidian vault: the contract, and what is special about a folder of files that people edit."""

import asyncio
import os
import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from blockbuster import blockbuster_ctx

from email_assistant.adapters.obsidian import ObsidianVault
from email_assistant.errors import ConfigError, EmailAssistantError, ProviderError, TransientError
from tests.contract.vault_contract import LATER, NOTE, OTHER, VaultContract

WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from email_assistant.adapters.obsidian import ObsidianVault
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
        """Making the vault and asking it creates no folder; the first note does."""
        assert await vault.find("thread-1") is None
        assert list(tmp_path.iterdir()) == []
        await vault.write(NOTE)
        assert (tmp_path / "vault" / "Agent/Professional/Work/Spring budget review.md").is_file()

    async def test_front_matter_is_yaml_that_says_everything(self, vault: ObsidianVault, root: Path) -> None:
        """Another YAML reader finds each property, in the order they were promised, times in the user's zone."""
        written = await vault.write(NOTE)
        values = front_matter((root / written.path).read_bytes())
        assert list(values) == ["title", "created", "updated", "category", "from", "tags", "email_ids", "key"]
        assert values["title"] == "Spring budget review"
        assert values["created"] == values["updated"] == NOTE.created
        assert values["from"] == "Ana Petrova (ana@example.com)"
        assert values["tags"] == ["budget", "spring-2027"]
        assert (values["email_ids"], values["key"]) == (["one@example.com"], "thread-1")
        assert b"created: 2026-11-20T10:30:00+01:00\n" in (root / written.path).read_bytes()

    async def test_the_body_has_its_headings(self, vault: ObsidianVault, root: Path) -> None:
        """Title, Summary, Key points and Links; an entry has a dated heading of the second level."""
        written = await vault.write(NOTE)
        await vault.write(replace(LATER, key_points=("One.",)))
        headings = re.findall(r"^#+ .*", (root / written.path).read_text(), re.MULTILINE)
        assert headings == [
            "# Spring budget review", "## Summary", "## Key points", "## Links",
            "## 2026-11-21 10:30 Spring budget review", "### Summary", "### Key points",
        ]  # fmt: skip

    async def test_no_temporary_file_is_left(self, vault: ObsidianVault, root: Path) -> None:
        """Besides the notes there is the lock file only, which Obsidian does not show."""
        await vault.write(NOTE)
        await vault.write(LATER)
        files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
        assert files == [".email_assistant.lock", "Agent/Professional/Work/Spring budget review.md"]

    @pytest.mark.parametrize("taken", ["Spring budget review.md", "SPRING Budget Review.MD"])
    async def test_a_name_that_is_taken_is_not_overwritten(
        self, vault: ObsidianVault, root: Path, taken: str
    ) -> None:
        """A person's file stays as it is, also one that differs in case only; the note gets a name of its own."""
        folder = root / "Agent/Professional/Work"
        folder.mkdir(parents=True)
        (folder / taken).write_text("mine")
        written = await vault.write(NOTE)
        assert re.fullmatch(r"Agent/Professional/Work/Spring budget review [0-9a-f]{6}\.md", written.path)
        assert (folder / taken).read_text() == "mine"

    async def test_letters_that_are_decomposed_are_the_same_name(
        self, vault: ObsidianVault, root: Path
    ) -> None:
        """A file system that keeps "é" as two characters has the name already."""
        folder = root / "Agent/Professional/Work"
        folder.mkdir(parents=True)
        (folder / unicodedata.normalize("NFD", "Café menu.md")).write_text("mine")
        written = await vault.write(replace(NOTE, title="Café menu"))
        assert re.fullmatch(r".*/Café menu [0-9a-f]{6}\.md", written.path)

    async def test_the_folder_of_notes_can_be_chosen(self, root: Path) -> None:
        """Another folder than `Agent`, also a nested one, never outside."""
        written = await ObsidianVault(root, folder="../Inbox/Mail").write(replace(NOTE, category="../../etc"))
        assert written.path == "Inbox/Mail/etc/Spring budget review.md"


class TestPeople:
    """What people and other programs do to a vault."""

    @pytest.mark.parametrize("line_end", ["\n", "\r\n"])
    @pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
    @pytest.mark.parametrize("ending", ["", "{e}", "{e}{e}", "{e}\t"])
    async def test_what_a_person_wrote_survives_byte_for_byte(
        self, vault: ObsidianVault, root: Path, line_end: str, bom: bytes, ending: str
    ) -> None:
        """Foreign properties, their order and comments, text, line ends, byte order mark and the file's end stay."""
        page = (
            "---{e}# my notes{e}cssclasses: [wide]{e}key:   thread-1   # do not touch{e}rating: 5{e}"
            "updated: 2026-11-19{e}aliases:{e}    - Budget 'x'{e}email_ids:{e}- zero@example.com   # first{e}empty:{e}"
            "---{e}{e}# My title  {e}{e}* [[Link]] ![[embed.png]] #tag{e}text\tß {e}{e}## Mine"
        )
        before = bom + (page + ending).replace("{e}", line_end).encode() + b"\xff\xfe"[: 2 * (ending == "")]
        root.mkdir()
        (root / "Moved by me.md").write_bytes(before)
        written = await vault.write(LATER)
        after = (root / "Moved by me.md").read_bytes()
        assert (written.path, written.outcome) == ("Moved by me.md", "appended")
        e = line_end.encode()
        front = before.replace(b"# first" + e, b"# first" + e + b'- "two@example.com"' + e)
        front = front.replace(b"updated: 2026-11-19", b"updated: 2026-11-21T10:30:00+01:00")
        assert after.startswith(front)
        entry = after[len(front) :]
        assert entry.lstrip(b"\r\n").startswith(b"## 2026-11-21 10:30 Spring budget review" + e)
        assert entry.endswith(b"confirmed." + (b"" if ending in ("", "{e}\t") else e))
        assert (b"\r\n" in entry) == (b"\r\n" in before)
        assert b"\n" not in entry.replace(b"\r\n", b"") or line_end == "\n"
        assert (await vault.write(LATER)).outcome == "unchanged"
        assert (root / "Moved by me.md").read_bytes() == after

    @pytest.mark.parametrize(
        ("properties", "ids"),
        [
            (
                "key: thread-1\nemail_ids:\n  - one@example.com\n  - x\n",
                ["one@example.com", "x", "two@example.com"],
            ),
            ("email_ids: [one@example.com]\nkey: 'thread-1'\n", ["one@example.com", "two@example.com"]),
            ("email_ids: []\nkey: thread-1\n", ["two@example.com"]),
            ("email_ids:\nkey: thread-1\n", ["two@example.com"]),
            ("key: [other, thread-1]\nemail_ids: one@example.com\n", ["one@example.com", "two@example.com"]),
            ("key:\n- thread-1\nemail_ids: null", ["two@example.com"]),
        ],
    )
    async def test_properties_that_were_rewritten_are_understood(
        self, vault: ObsidianVault, root: Path, properties: str, ids: list[str]
    ) -> None:
        """Obsidian's own editor and people write lists and texts in other ways than we do."""
        root.mkdir()
        (root / "n.md").write_text(f"---\n{properties.rstrip()}\n---\nText\n")
        assert await vault.find("thread-1") == "n.md"
        assert (await vault.write(LATER)).outcome == "appended"
        assert front_matter((root / "n.md").read_bytes())["email_ids"] == ids

    async def test_a_moved_and_renamed_note_is_found_again(self, vault: ObsidianVault, root: Path) -> None:
        """The key in the front matter counts, not the place; also for another process's index."""
        written = await vault.write(NOTE)
        (root / "Projects" / "2027").mkdir(parents=True)
        (root / written.path).rename(root / "Projects" / "2027" / "Money.md")
        for each in (vault, ObsidianVault(root)):
            assert await each.find("thread-1") == "Projects/2027/Money.md"
        (root / "Projects").rename(root / "Done")
        assert (await vault.write(LATER)).path == "Done/2027/Money.md"

    async def test_a_deleted_note_is_gone(self, vault: ObsidianVault, root: Path) -> None:
        """Also in Obsidian's own trash: a later mail then begins a new note."""
        written = await vault.write(NOTE)
        (root / ".trash").mkdir()
        (root / written.path).rename(root / ".trash" / "Spring budget review.md")
        assert await vault.find("thread-1") is None
        assert await vault.search("budget", 5) == []
        assert (await vault.write(LATER)).outcome == "created"

    async def test_of_a_note_and_its_copy_the_note_is_taken(self, vault: ObsidianVault, root: Path) -> None:
        """Copies have longer names ("x 1.md"); every write goes to one of the files only."""
        written = await vault.write(NOTE)
        copy = (root / written.path).with_name("Spring budget review 1.md")
        copy.write_bytes((root / written.path).read_bytes())
        assert (await vault.write(LATER)).path == written.path
        assert b"caterer" not in copy.read_bytes()

    async def test_an_edit_in_place_is_noticed_at_once(self, vault: ObsidianVault, root: Path) -> None:
        """A key that was changed or removed by hand no longer finds the note, however recent the last look is."""
        written = await vault.write(NOTE)
        text = (root / written.path).read_text()
        (root / written.path).write_text(text.replace("thread-1", "thread-5"))
        assert await vault.find("thread-1") is None
        assert await vault.find("thread-5") == written.path
        (root / written.path).write_text("just text")
        assert await vault.find("thread-5") is None
        assert (await vault.write(NOTE)).outcome == "created"
        assert (root / written.path).read_text() == "just text"

    @pytest.mark.parametrize(
        "break_it",
        [
            lambda text: text.replace('title: "', "title: '"),
            lambda text: text.replace("category:", "key: again\ncategory:"),
            lambda text: text.replace("category:", "x: \udcff\ncategory:"),
            lambda text: text.replace("email_ids:\n  - ", "email_ids:\n  -\n    - "),
            lambda text: text.replace("email_ids:\n", "email_ids:\n  - {a: b}\n"),
        ],
        ids=["quote", "twice", "not UTF-8", "nested", "mapping"],
    )
    async def test_broken_front_matter_is_told_and_not_made_worse(
        self, vault: ObsidianVault, root: Path, break_it: object
    ) -> None:
        """No second note beside it, no guess: one line says which file to mend."""
        written = await vault.write(NOTE)
        broken = break_it((root / written.path).read_text()).encode("utf-8", "surrogateescape")  # type: ignore[operator]
        (root / written.path).write_bytes(broken)
        with pytest.raises(ProviderError, match=r"Spring budget review\.md: its front matter") as error:
            await vault.write(LATER)
        assert "\n" not in str(error.value)
        assert (root / written.path).read_bytes() == broken
        assert len(list(root.rglob("*.md"))) == 1

    async def test_notes_of_people_are_neither_searched_nor_changed(
        self, vault: ObsidianVault, root: Path
    ) -> None:
        """What has no key of ours is nobody's business, though it has front matter and the title of the note."""
        root.mkdir()
        private = '---\ntitle: "Spring budget review"\nkey: C major\n---\nmy password is budget\n'
        (root / "Private.md").write_text(private)
        assert (await vault.write(NOTE)).outcome == "created"
        assert [found.title for found in await vault.search("password budget", 5)] == [NOTE.title]
        assert (root / "Private.md").read_text() == private

    async def test_updated_never_goes_back(self, vault: ObsidianVault, root: Path) -> None:
        """An entry about an older mail leaves the time of the latest; a time entered by hand is understood."""
        written = await vault.write(LATER)
        await vault.write(NOTE)
        assert front_matter((root / written.path).read_bytes())["updated"] == LATER.created
        text = (root / written.path).read_text()
        (root / written.path).write_text(re.sub("updated: .*", "updated: 2030-01-01T10:00:00", text))
        await vault.write(replace(LATER, message_id="<4@example.com>"))
        assert "updated: 2030-01-01T10:00:00\n" in (root / written.path).read_text()

    async def test_a_property_that_was_deleted_stays_deleted(self, vault: ObsidianVault, root: Path) -> None:
        """Nobody wants `updated` back who took it out."""
        written = await vault.write(NOTE)
        text = re.sub("updated: .*\n", "", (root / written.path).read_text())
        (root / written.path).write_text(text)
        assert (await vault.write(LATER)).outcome == "appended"
        assert "updated" not in (root / written.path).read_text()

    async def test_a_note_as_long_as_a_year(self, vault: ObsidianVault, root: Path) -> None:
        """With hundreds of mails in its front matter a note is still recognised, by a new process too."""
        written = await vault.write(NOTE)
        ids = "".join(f'  - "{n:0100}@example.com"\n' for n in range(2000))
        text = (root / written.path).read_text().replace("email_ids:\n", f"email_ids:\n{ids}")
        (root / written.path).write_text(text)
        fresh = ObsidianVault(root)
        assert (await fresh.write(LATER)).outcome == "appended"
        assert (
            await fresh.write(replace(OTHER, message_id=f"{1999:0100}@example.com"))
        ).outcome == "unchanged"

    async def test_odd_things_in_a_vault_do_no_harm(self, vault: ObsidianVault, root: Path) -> None:
        """Pipes, folders named like notes, names that are no UTF-8, empty and huge files are passed over."""
        await vault.write(NOTE)
        os.mkfifo(root / "pipe.md")
        (root / "folder.md").mkdir()
        (root / "empty.md").touch()
        (root / "huge.md").write_bytes(b"---\n" + b"x: y\n" * 500_000)
        with open(os.fsencode(root) + b"/\xff.md", "wb") as file:
            file.write(b"---\nkey: a\nemail_ids: []\n---\n")
        assert await vault.find("a") is None
        assert (await vault.write(LATER)).outcome == "appended"
        for path in ("pipe.md", "folder.md"):
            with pytest.raises(EmailAssistantError):
                await vault.read(path)

    async def test_texts_of_people_in_notes_are_found(self, vault: ObsidianVault, root: Path) -> None:
        """What a person added to one of the assistant's notes is searched at once."""
        written = await vault.write(NOTE)
        with (root / written.path).open("a") as file:
            file.write("\nRemember: Zoë prefers *fax*.\n")
        (found,) = await vault.search("zoë", 3)
        assert (found.path, found.snippet) == (written.path, "Remember: Zoë prefers *fax*.")


class TestOutside:
    """Nothing is read or written outside of the vault."""

    @pytest.mark.parametrize("link", ["Agent", "Agent/Professional", "Agent/Professional/Work"])
    async def test_a_link_that_leads_out_is_not_followed(
        self, vault: ObsidianVault, root: Path, tmp_path: Path, link: str
    ) -> None:
        """A category's folder that is a link to elsewhere is refused, and nothing is created there."""
        outside = tmp_path / "outside"
        outside.mkdir()
        (root / link).parent.mkdir(parents=True)
        (root / link).symlink_to(outside)
        with pytest.raises(ProviderError, match=r"EMAIL_ASSISTANT_VAULT: .* leads out of the vault"):
            await vault.write(NOTE)
        assert list(outside.iterdir()) == []

    async def test_a_note_that_is_a_link_is_neither_read_nor_written(
        self, vault: ObsidianVault, root: Path, tmp_path: Path
    ) -> None:
        """Also when its target has the key, or the link is put where the note was."""
        written = await vault.write(NOTE)
        outside = tmp_path / "outside.md"
        (root / written.path).rename(outside)
        (root / written.path).symlink_to(outside)
        before = outside.read_bytes()
        assert await vault.find("thread-1") is None
        with pytest.raises(ProviderError, match="leads out"):
            await vault.read(written.path)
        await vault.write(LATER)
        assert outside.read_bytes() == before

    async def test_a_vault_may_itself_be_a_link(self, root: Path, tmp_path: Path) -> None:
        """People keep their vault in a synchronised folder and link to it."""
        (tmp_path / "cloud").mkdir()
        root.symlink_to(tmp_path / "cloud")
        written = await ObsidianVault(root).write(NOTE)
        assert (tmp_path / "cloud" / written.path).is_file()


class TestTrouble:
    """What is wrong with a vault is told in one line that names the setting."""

    async def test_a_file_in_place_of_the_vault(self, vault: ObsidianVault, root: Path) -> None:
        """Reading and writing say that it is no folder."""
        root.write_text("x")
        for call in (vault.write(NOTE), vault.find("thread-1"), vault.search("x", 1)):
            with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_VAULT: .*not a folder"):
                await call

    @pytest.mark.parametrize("blocked", ["vault", "vault/Agent"])
    async def test_a_place_where_no_folder_can_be(self, root: Path, tmp_path: Path, blocked: str) -> None:
        """A file where a folder is needed is a matter of configuration."""
        (tmp_path / blocked).parent.mkdir(exist_ok=True)
        (tmp_path / blocked).write_text("x")
        with pytest.raises(ConfigError, match="EMAIL_ASSISTANT_VAULT") as error:
            await ObsidianVault(root / "deeper" if blocked == "vault" else root).write(NOTE)
        assert "\n" not in str(error.value)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    async def test_a_vault_without_permission(self, vault: ObsidianVault, root: Path) -> None:
        """A folder that may not be written is named with the setting."""
        root.mkdir(mode=0o500)
        with pytest.raises(ConfigError, match=r"EMAIL_ASSISTANT_VAULT.*name a folder"):
            await vault.write(NOTE)

    async def test_a_place_the_system_refuses(self) -> None:
        """A folder that even root cannot make gives one line with the setting."""
        with pytest.raises(EmailAssistantError, match="EMAIL_ASSISTANT_VAULT"):
            await ObsidianVault(Path("/proc/vault")).write(NOTE)

    async def test_a_vault_that_disappears_is_not_begun_anew(self, vault: ObsidianVault, root: Path) -> None:
        """A drive that was unplugged comes back; an empty vault in its place would be in the way."""
        await vault.write(NOTE)
        root.rename(root.with_name("elsewhere"))
        with pytest.raises(TransientError, match="disappeared"):
            await vault.write(LATER)
        assert not root.exists()
        root.with_name("elsewhere").rename(root)
        assert (await vault.write(LATER)).outcome == "appended"


class TestProcesses:
    """Several processes, and an event loop that must not wait."""

    async def test_processes_write_each_mail_once(self, vault: ObsidianVault, root: Path) -> None:
        """Three processes write the same twelve mails at the same time: one note, twelve entries."""
        command = [sys.executable, "-c", WRITER, str(root), "12"]
        running = [
            subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}) for _ in range(3)
        ]
        codes = await asyncio.gather(*(asyncio.to_thread(process.wait) for process in running))
        text = await vault.read(await vault.find("thread-1") or "")
        assert codes == [0, 0, 0]
        assert [text.count(f"Entry no {n}.") for n in range(12)] == [1] * 12
        assert len(list(root.rglob("*.md"))) == 1

    async def test_a_process_that_is_killed_leaves_a_vault_that_works(
        self, vault: ObsidianVault, root: Path
    ) -> None:
        """Killed in the middle of its work: the rest is written, nothing twice, no half note is left."""
        command = [sys.executable, "-c", WRITER, str(root), "400"]
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
        while await vault.find("thread-1") is None:
            assert process.poll() is None
        process.kill()
        process.wait()
        for n in range(3):
            await vault.write(replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}."))
        text = await vault.read(await vault.find("thread-1") or "")
        assert [text.count(f"Entry no {n}.") for n in range(3)] == [1] * 3
        assert len(list(root.rglob("*.md"))) == 1

    async def test_an_editor_that_writes_meanwhile_loses_nothing(
        self, vault: ObsidianVault, root: Path
    ) -> None:
        """Lines that a person adds while entries come in are all there in the end, and so are the entries."""
        written = await vault.write(NOTE)
        path = root / written.path

        def edit(n: int) -> None:
            with path.open("ab") as file:
                file.write(f"\nLine {n} of mine.\n".encode())

        for n in range(10):
            note = replace(NOTE, message_id=f"<{n}@example.com>", summary=f"Entry no {n}.")
            await asyncio.gather(asyncio.to_thread(edit, n), asyncio.sleep(0))
            await vault.write(note)
        text = path.read_text()
        assert all(f"Line {n} of mine." in text and f"Entry no {n}." in text for n in range(10))

    async def test_the_event_loop_never_waits_for_the_disk(self, vault: ObsidianVault) -> None:
        """Every method does its file work in a thread."""
        with blockbuster_ctx():
            written = await vault.write(NOTE)
            await vault.write(LATER)
            await vault.find("thread-1")
            await vault.read(written.path)
            await vault.search("budget", 5)


async def test_ten_thousand_notes_stay_fast(root: Path) -> None:
    """With 10,000 notes a known one is found, and one more is written, without looking at all the others."""
    vault = ObsidianVault(root)
    written = await vault.write(NOTE)
    page = (root / written.path).read_bytes()
    long_ago = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    for n in range(10_000):
        folder = root / "Agent" / f"Category {n % 8}"
        folder.mkdir(exist_ok=True)
        file = folder / f"Note {n}.md"
        file.write_bytes(page.replace(b"thread-1", b"old-%d" % n).replace(b"one@", b"old%d@" % n))
        os.utime(file, (long_ago, long_ago))
    for n in range(8):
        os.utime(root / "Agent" / f"Category {n}", (long_ago, long_ago))
    assert await vault.find("old-9999") == "Agent/Category 7/Note 9999.md"
    loop = asyncio.get_running_loop()
    begun = loop.time()
    for n in range(20):
        assert await vault.find(f"old-{n}")
        assert await vault.find(f"unknown-{n}") is None
        note = replace(
            NOTE, key=f"new-{n}", title=f"New topic {n}", message_id=f"<new{n}@example.com>",
            created=NOTE.created + timedelta(minutes=n),
        )  # fmt: skip
        assert (await vault.write(note)).outcome == "created"
    assert loop.time() - begun < 10

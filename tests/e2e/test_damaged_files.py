"""Every file that is kept, harmed in every way: each surface names it in a line, and after the mend no mail and no card is lost."""

import html
import mailbox
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.e2e.cli_support import OFFLINE, PERSON, Cli, Running, running
from tests.e2e.test_cut_off_answers import until
from tests.support.desk import mail
from tests.support.dev_server import free_port
from tests.support.sampling import sampled

PAGE_BYTES = 4096
HOLDS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode=EXCLUSIVE"); connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True); sys.stdin.read()
"""
EVENT = (
    b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//a//EN\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTAMP:20261101T090000Z\r\n"
    b"DTSTART:20261120T090000Z\r\nSUMMARY:One\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
PRICE = "Robin, could you send me the price of the oak shelf by Friday?"
MEET = "Could we meet on Thursday 26 November 2026 at 10:00 for an hour about the shelf?"
Harm = Callable[[Path, ExitStack], None]


def damage(path: Path, _: ExitStack) -> None:
    """Every seventh page says something else; of a text each seventh byte."""
    raw = bytearray(path.read_bytes())
    step = PAGE_BYTES if path.suffix == ".db" else 1
    for at in range(0 if step == 1 else step, len(raw), 7 * step):
        raw[at : at + step] = b"\xa5" * min(step, len(raw) - at)
    path.write_bytes(raw)


def halve(path: Path, _: ExitStack) -> None:
    """Its second half is gone."""
    os.truncate(path, path.stat().st_size // 2)


def lock(path: Path, until_mended: ExitStack) -> None:
    """Another program keeps it to itself."""
    command = [sys.executable, "-c", HOLDS, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    until_mended.callback(process.wait)
    assert process.stdin is not None
    assert process.stdout is not None
    until_mended.callback(process.stdin.close)
    process.stdout.readline()


def be_foreign(path: Path, _: ExitStack) -> None:
    """Another program's file has its name."""
    vanish(path, _)
    path.write_bytes(b"%PDF-1.7 this is something else\n" * 400)


def vanish(path: Path, _: ExitStack) -> None:
    """It is gone."""
    for each in (path, *(Path(f"{path}{end}") for end in ("-wal", "-shm"))):
        shutil.rmtree(each) if each.is_dir() else each.unlink(missing_ok=True)


def be_unmounted(path: Path, _: ExitStack) -> None:
    """What is left is an empty folder."""
    vanish(path, _)
    path.mkdir()


HARMS: list[tuple[str, Harm]] = [
    ("email_assistant.db", damage),
    ("email_assistant.db", lock),
    ("checkpoints.db", vanish),
    ("mailbox", be_unmounted),
    ("mailbox/index.db", halve),
    ("calendar.ics", be_foreign),
]
"""Each file in one way, and each way at one file."""


@dataclass(frozen=True)
class Kept:
    """A data folder as a server has left it, with three cards that wait."""

    cli: Cli
    copy: Path

    @contextmanager
    def serving(self) -> Iterator[Running]:
        """`serve`, until the block ends."""
        with running(self.cli, command="serve") as up:
            yield up

    def put_back(self, name: str = "") -> None:
        """The folder, or one thing in it, as it was."""
        at, before = self.cli.data / name, self.copy / name
        vanish(at, ExitStack())
        shutil.copytree(before, at) if before.is_dir() else shutil.copy2(before, at)

    def deliver(self, number: int, wants: str = PRICE) -> None:
        """A mail that wants an answer."""
        sender = f"Ana Petrova <ana{number}@petrova.example>"
        raw = mail(
            wants,
            sender=sender, subject=f"Shelf {number}", message_id=f"<shelf-{number}@petrova.example>",
        )  # fmt: skip
        mailbox.Maildir(self.cli.data / "mailbox", create=True).add(raw)

    def cards(self, up: Running) -> list[str]:
        """What waits, by its mails."""
        client = get_sync_client(url=f"http://127.0.0.1:{up.port}")
        return sorted(
            t["values"]["email_input"]["subject"] for t in client.threads.search(status="interrupted")
        )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Made once."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "data").mkdir()
    (folder / "data" / "calendar.ics").write_bytes(EVENT)
    made = Kept(Cli(folder, folder / "data", OFFLINE | PERSON), folder / "copy")
    for number in range(3):
        made.deliver(number)
    with made.serving() as up:
        assert made.cli.run("ingest").returncode == made.cli.run("doctor").returncode == 0
        until(lambda: len(made.cards(up)) == 3)
    shutil.copytree(made.cli.data, made.copy)
    return made


@pytest.mark.parametrize(
    ("file", "harm"), sampled(HARMS, every=3), ids=lambda each: getattr(each, "__name__", each)
)
def test_each_surface_names_the_file_and_nothing_is_lost(kept: Kept, file: str, harm: Harm) -> None:
    """Harmed under a running server, and found so by one that starts."""
    vanish(kept.cli.data, ExitStack())
    kept.put_back()
    path = kept.cli.data / file
    wants = {"mailbox": "", "calendar.ics": MEET}.get(file, PRICE)
    with ExitStack() as until_mended:
        if harm is lock:
            kept.deliver(3)
            harm(path, until_mended)
            said = {"doctor": _said(kept.cli.run("doctor"))}
        else:
            said = _under_a_server(kept, lambda: harm(path, until_mended), wants)
        said["serve"] = _served(kept.cli)
    for told in said.values():
        assert "Traceback" not in told
        assert "Internal Server Error" not in told
    assert file != "mailbox" or all(str(path) in told for told in said.values()), said
    heals = file in {"mailbox/index.db", "checkpoints.db"}
    assert heals or [told for told in said.values() if str(path) in told], said
    if file != "checkpoints.db":
        kept.put_back(file)
    if file == "mailbox":
        kept.deliver(3)
    with kept.serving() as up:
        kept.cli.run("ingest")
        until(lambda: len(kept.cards(up)) >= 4)
        assert kept.cards(up) == [f"Shelf {number}" for number in range(4)]


def _under_a_server(kept: Kept, harm: Callable[[], None], delivers: str) -> dict[str, str]:
    """What is said while a server runs that had begun before."""
    with kept.serving() as up:
        harm()
        if delivers:
            kept.deliver(3, delivers)
        said = {name: _said(kept.cli.run(name)) for name in ("doctor", "ingest")}
        return said | {"page": _page(up.port)}


def _page(port: int) -> str:
    """What the page says is wrong: in its place, or above everything."""
    page = httpx.get(f"http://127.0.0.1:{port}/review", headers={"accept": "text/html"}, timeout=60)
    assert page.status_code in {200, 503}, page.text
    told = re.findall(r'<div class="banner".*?</p>', page.text, re.DOTALL) if page.is_success else [page.text]
    return html.unescape(re.sub("<[^>]+>", " ", " ".join(told))).strip() or "fine"


def _said(result: subprocess.CompletedProcess[str]) -> str:
    lines = [
        line
        for line in (result.stdout + result.stderr).splitlines()
        if "MEND" in line or line.startswith("email-assistant:")
    ]
    return " | ".join(lines) if result.returncode else "fine"


def _served(cli: Cli) -> str:
    """Why `serve` refuses; what its page says when it serves."""
    with cli.background("serve", "--port", str(port := free_port())) as output:
        try:
            output.until("Ctrl-C ends it.")
        except AssertionError:
            output.process.wait(60)
            return output.text.strip()
        return _page(port)

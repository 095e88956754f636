"""The data folder as another user of the machine finds it, with the real command and the real server."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.cli_support import OFFLINE, PERSON, Cli, running
from tests.support.dev_server import dev_server

NOBODY = 65534
AS_ANOTHER = "NOT TESTED as another user: only root can become one"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, and a user whose files everybody may read by default (umask 0)."""
    folder = Path(tempfile.mkdtemp(prefix="email-assistant-"))
    folder.chmod(0o755)
    before = os.umask(0)
    yield folder
    os.umask(before)
    shutil.rmtree(folder)


def too_open(*folders: Path) -> list[str]:
    """What `find` shows of modes that let the group or others do anything, sockets and links aside."""
    told = subprocess.run(
        ["find", *map(str, folders), "-perm", "/077", "-not", "-type", "l", "-printf", "%m %P\n"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return told.stdout.splitlines()


def seen_by_another(folder: Path) -> str:
    """All that another user can list or read there."""
    told = subprocess.run(
        ["find", str(folder), "-mindepth", "1", "-readable"],
        check=False, capture_output=True, text=True, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/",
    )  # fmt: skip
    return told.stdout


def test_nobody_else_reads_what_run_keeps(open_folder: Path) -> None:
    """In a folder of an earlier version that was open to all; the log has no colours."""
    data = open_folder / "data"
    old = data / "mailbox" / "cur" / "1700000000.old:2,"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"From: ana@example.com\nTo: robin@vale.example\nSubject: Old\n\nHow much?\n")
    (data / "calendar.ics").write_bytes(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n")
    assert len(too_open(data)) == 5
    with running(Cli(open_folder, data, OFFLINE | PERSON)) as up:
        listed = subprocess.run(
            ["find", str(data), "-printf", "%m %y %P\n"], check=True, capture_output=True, text=True
        )
        assert too_open(data) == [], listed.stdout
        assert {line.split()[0] for line in listed.stdout.splitlines()} <= {"700", "600", "777"}
        assert (data / "email_assistant.db").exists()
        assert (data / ".langgraph_api").is_dir()
        assert b"\x1b[" not in (data / "server.log").read_bytes()
        if os.geteuid() == 0:
            assert seen_by_another(data) == ""
        assert up.cli.run("status").returncode == 0
    assert too_open(data) == []


def test_the_bare_server_keeps_its_files_to_itself(open_folder: Path) -> None:
    """`langgraph dev` alone, which no command of ours has started: at start it mends, then it makes nothing open."""
    (open_folder / ".langgraph_api").mkdir()
    (open_folder / ".langgraph_api" / "store.pckl").write_bytes(b"")
    with dev_server(open_folder, OFFLINE | PERSON) as server:
        assert httpx.get(f"{server.url}/ok").is_success
        assert too_open(open_folder / "data") == []
        assert oct((open_folder / ".langgraph_api").stat().st_mode & 0o777) == "0o700"
    assert too_open(open_folder / "data", open_folder / ".langgraph_api") == []


@pytest.mark.skipif(os.geteuid() != 0, reason=AS_ANOTHER)
def test_another_user_reads_what_is_open(open_folder: Path) -> None:
    """What the other test looks with does see a file that is open."""
    (open_folder / "open").write_text("x")
    assert seen_by_another(open_folder) == f"{open_folder / 'open'}\n"

"""A copy that is made while the server works, put back elsewhere: the same cards, and nothing that was approved happens twice."""

import io
import mailbox
import os
import signal
import tarfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import icalendar
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from email_assistant.cli.backup import restore
from tests.e2e.cli_support import OFFLINE, PERSON, Cli, running, servers_on, told
from tests.support.desk import mail

pytestmark = pytest.mark.xdist_group("served")
ACCEPT = [{"type": "accept", "args": None}]
MEETING = "Schedule meeting: "
ROUNDS = 60


def cards(client: SyncLangGraphClient) -> dict[str, str]:
    """What waits: thread and title."""
    return {
        row["thread_id"]: asked[0]["value"][0]["action_request"]["action"]
        for row in client.threads.search(status="interrupted", limit=100)
        for asked in row["interrupts"].values()
    }


def guests_of(client: SyncLangGraphClient, thread_id: str) -> list[str]:
    """Who gets an invitation when the thread's card is accepted."""
    thread: Any = client.threads.get(thread_id)
    (asked,) = thread["interrupts"].values()
    return str(asked[0]["value"][0]["action_request"]["args"]["attendees"]).split(",")


def accept(client: SyncLangGraphClient, thread_id: str, *, to_the_end: bool) -> None:
    """Accept the thread's meeting, once more where it asks again."""
    command: Any = {"resume": ACCEPT}
    if not to_the_end:
        client.runs.create(thread_id, "email_assistant", command=command)
        return
    for _ in range(3):
        if cards(client).get(thread_id, "").startswith(MEETING):
            client.runs.wait(thread_id, "email_assistant", command=command)


def meetings(data: Path) -> Counter[str]:
    """What stands in the calendar, by title."""
    read = icalendar.Calendar.from_ical((data / "calendar.ics").read_bytes())
    return Counter(str(event["summary"]) for event in read.walk("VEVENT"))


def sent(data: Path) -> Counter[tuple[str, str]]:
    """What went out: to whom, with which subject."""
    folder = mailbox.Maildir(data / "mailbox" / ".Sent", create=False)
    return Counter((str(each["to"]), str(each["subject"])) for each in folder)


def test_a_copy_made_while_answers_are_worked_on_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    """Killed after it; what was approved before is done once there, and what waits is what waited."""
    user = Cli(tmp_path, tmp_path / "data", OFFLINE)
    with running(user) as up:
        client = get_sync_client(url=f"http://127.0.0.1:{up.port}")
        waiting = cards(client)
        approved = [thread for thread, title in waiting.items() if title.startswith(MEETING)]
        before = sent(user.data)
        guests = sum(len(guests_of(client, thread)) for thread in approved)
        assert (len(approved), len(waiting)) == (6, 37)
        for thread in approved:
            accept(client, thread, to_the_end=False)
        copied = user.run("backup", "copy.tar.gz")
        assert (copied.returncode, copied.stderr) == (0, ""), copied
        for process in servers_on(up.port):
            os.kill(process, signal.SIGKILL)
    assert (tmp_path / "copy.tar.gz").stat().st_mode & 0o777 == 0o600
    other = Cli(tmp_path, tmp_path / "elsewhere", OFFLINE)
    other.data.mkdir()
    put_back = other.run("restore", "copy.tar.gz")
    assert (put_back.returncode, put_back.stderr) == (0, ""), put_back
    with running(other) as up:
        client = get_sync_client(url=f"http://127.0.0.1:{up.port}")
        for _ in range(ROUNDS):
            busy = [
                t for t in approved if t in {row["thread_id"] for row in client.threads.search(status="busy")}
            ]
            if not busy:
                break
            for thread in busy:
                client.runs.join(thread, client.runs.list(thread, limit=1)[0]["run_id"])
        for thread in approved:
            accept(client, thread, to_the_end=True)
        left = {thread: title for thread, title in waiting.items() if thread not in approved}
        assert {thread: title for thread, title in cards(client).items() if thread not in approved} == left
        assert httpx.get(f"http://127.0.0.1:{up.port}/review").is_success
    went_out = sent(other.data) - before
    assert len(went_out) == guests
    assert set(went_out.values()) == {1}
    assert max(meetings(other.data).values()) == 1


def test_what_cannot_be_put_back_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    """One line each, which says how to mend it."""
    user = Cli(tmp_path, tmp_path / "data", OFFLINE | {"EMAIL_ASSISTANT_EMAIL": "robin@vale.example"})
    assert user.run("status").returncode == 0
    assert user.run("backup", "copy.tar.gz").returncode == 0
    assert "name a new file" in told(user.run("backup", "copy.tar.gz"))
    assert "name a file outside" in told(user.run("backup", "data/copy.tar.gz"))
    assert "is not empty" in told(user.run("restore", "copy.tar.gz"))
    whole = (tmp_path / "copy.tar.gz").read_bytes()
    outside = io.BytesIO()
    with tarfile.open(fileobj=outside, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../outside"))
    for data, reason in (
        (whole[:-40], "no whole backup"),
        (b"x", "no whole backup"),
        (outside.getvalue(), "../outside is no file of a copy"),
        (None, "no such file"),
    ):
        name = tmp_path / "damaged.tar.gz"
        if data is None:
            name.unlink()
        else:
            name.write_bytes(data)
        other = Cli(tmp_path, tmp_path / "elsewhere", user.settings)
        assert reason in told(other.run("restore", "damaged.tar.gz"))
        assert not other.data.exists()
        assert [each.name for each in tmp_path.glob(".restore-*")] == []
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_was_put_back_by_half_is_told_and_not_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    """A service may write into its own folder alone, so the copy goes there piece by piece: it is cut off after each."""
    database = {"DATABASE_URL": f"sqlite:///{tmp_path}/its.db"} if elsewhere else {}
    user = Cli(tmp_path, tmp_path / "data", OFFLINE | PERSON | database)
    (tmp_path / "mails").mkdir()
    (tmp_path / "mails" / "1.eml").write_bytes(mail())
    with running(user):
        assert user.run("ingest", "mails").returncode == 0
    assert user.run("backup", "copy.tar.gz").returncode == 0
    for name, value in user.settings.items():
        monkeypatch.setenv(name, value)
    pieces, replace = 0, Path.replace

    def cut_off(self: Path, target: Path) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            raise InterruptedError
        return replace(self, target)

    while True:
        for file in tmp_path.glob("its.db*"):
            file.unlink()
        folder = tmp_path / f"half{pieces}"
        folder.mkdir()
        monkeypatch.setenv("EMAIL_ASSISTANT_DATA_DIR", str(folder))
        left = pieces
        with monkeypatch.context() as cut, suppress(InterruptedError):
            cut.setattr(Path, "replace", cut_off)
            restore(tmp_path / "copy.tar.gz")
        if left >= 0:
            break
        looked = Cli(tmp_path, folder, user.settings).run("doctor")
        if pieces or elsewhere:
            assert "MEND mailbox" in looked.stdout, (pieces, looked)
        pieces += 1
    assert pieces > 3

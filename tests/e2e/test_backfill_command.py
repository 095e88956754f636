"""`organize --backfill` as a person drives it: started, watched, paused, resumed, joined by a second worker."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph_sdk import get_sync_client

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from eval.organizer_mail import generate
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.support.dev_server import DevServer, forked_server

MAILS = 110


@pytest.fixture
def user(tmp_path: Path) -> Cli:
    """Somebody with a local mailbox, a server of their own and no key."""
    return Cli(tmp_path, tmp_path / "data", PERSON | OFFLINE)


@pytest.fixture
def server(user: Cli) -> Iterator[DevServer]:
    """Over the user's folder."""
    with forked_server(user.folder, user.settings) as running:
        yield running


@pytest.fixture
async def mails(user: Cli) -> None:
    """A full inbox."""
    mailbox = MaildirMailbox(user.data / "mailbox", SystemClock())
    for sample in generate(MAILS, seed=5):
        await deliver(mailbox, sample.raw)


@pytest.mark.usefixtures("mails")
def test_a_whole_account_is_sorted(user: Cli, server: DevServer) -> None:
    """Each step says where it stands and what comes next; in the end every mail is settled."""
    to = ("--url", server.url)
    with user.terminal("organize", "--backfill", *to) as first:
        first.until("mails, ")
        first.until("a minute")
        paused = user.run("organize", "pause")
        assert paused.stdout.startswith("Paused: each worker stops after the mail it has in work.")
        end = first.until("resume`.")
        assert re.search(rf"Backfill paused, \d+ of {MAILS} mails, 0.0000 US dollars", end)
    again = user.run("organize", "--backfill", *to)
    assert (again.returncode, again.stdout) == (1, "")
    assert (
        again.stderr
        == "email-assistant: the backfill is paused: go on with `email-assistant organize resume`\n"
    )
    status = user.run("status", *to).stdout
    assert re.search(rf"backfill +paused, \d+ of {MAILS} mails", status)
    with user.background("organize", "resume", *to) as worker:
        looks = (json.loads(user.run("organize", "progress", "--json").stdout) for _ in range(60))
        assert next(look for look in looks if look["state"] != "paused")
        done = user.run("organize", "--backfill", "--json", *to)
        assert done.returncode == 0, done.stderr
        assert worker.process.wait(60) == 0
    facts = json.loads(done.stdout)
    assert (facts["state"], facts["mails"], facts["settled"], facts["chunks_done"]) == (
        "done",
        MAILS,
        MAILS,
        2,
    )
    shown = user.run("organize", "progress").stdout
    assert shown == f"done, {MAILS} of {MAILS} mails, 0.0000 US dollars\n"
    counts = json.loads(user.run("status", "--json", *to).stdout)
    assert sum(counts["mail"].values()) == MAILS
    assert set(counts["mail"]) <= {"done", "waiting_review"}
    assert counts["backfill"]["state"] == "done"
    client = get_sync_client(url=server.url)
    threads = client.threads.search(limit=20)
    kept = [len(client.threads.get_history(t["thread_id"], limit=100)) for t in threads]
    assert set(kept) == {1}, "the server would hold a checkpoint of each step of each mail in memory"


@pytest.mark.usefixtures("mails")
def test_ctrl_c_and_once_more(user: Cli, server: DevServer) -> None:
    """Nothing has to be given up, and nobody waits for a lease."""
    to = ("--url", server.url)
    with user.terminal("organize", "--backfill", *to) as first:
        first.until("a minute")
        first.type("\x03")
        assert first.process.wait(60) == 130
    held = json.loads(user.run("organize", "progress", "--json").stdout)
    assert (held["state"], held["workers"]) == ("running", 0)
    assert user.run("organize", "cancel").stdout.startswith("Cancelled: what was sorted stays sorted")
    assert user.run("organize", "progress").stdout.startswith("cancelled, ")
    limited = user.run("organize", "--limit", "8", "--cost-limit", "1", *to)
    assert (limited.returncode, limited.stderr) == (0, "")
    assert limited.stdout.startswith("Mail: 8 taken up. By now: ")

"""An account over IMAP and SMTP from the first look to what was sent: command line, served graph, approval over HTTP."""

import json
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

from eval.accepting import accepting
from tests.e2e.cli_support import OFFLINE, Cli
from tests.support.desk import ME, mail
from tests.support.dev_server import DevServer, forked_server
from tests.support.mail_servers import PASSWORD, ImapServer, Relay, pymap, relay

pytestmark = pytest.mark.xdist_group("served")
ADDRESS = "robin@vale.example"


@pytest.fixture
def servers() -> Iterator[tuple[ImapServer, Relay]]:
    """Where the account is, and what it sends over."""
    with pymap() as server, relay() as sending:
        yield server, sending


@pytest.fixture
def cli(tmp_path: Path, servers: tuple[ImapServer, Relay]) -> Cli:
    """A user whose settings name the account."""
    server, sending = servers
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text(server.settings(sending.port, ADDRESS), encoding="utf-8")
    settings = OFFLINE | {
        "EMAIL_ASSISTANT_NAME": "Robin Vale", "EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin",
        "EMAIL_ASSISTANT_MAILBOX": "imap:main", "EMAIL_ASSISTANT_ACCOUNT_PASSWORD": PASSWORD,
        "EMAIL_ASSISTANT_DATA_DIR": str(data),
    }  # fmt: skip
    return Cli(tmp_path, data, settings)


def waiting(server: DevServer) -> tuple[str, dict[str, object]]:
    """The one thread that waits, and its card."""
    (thread,) = get_sync_client(url=server.url).threads.search(status="interrupted", limit=9)
    ((interrupt,),) = thread["interrupts"].values()
    (card,) = interrupt["value"]
    return str(thread["thread_id"]), card


def test_a_mail_is_answered_once(cli: Cli, servers: tuple[ImapServer, Relay], tmp_path: Path) -> None:
    """Given to the relay once and filed in Sent once, the mail answered and read, no draft left; looking again starts nothing."""
    account, sending = servers
    uid = account.put(mail("Hi Robin,\n\nwhich oil do you use?\n\nAna"))
    with forked_server(tmp_path, cli.settings) as server:

        def look() -> dict[str, object]:
            done = cli.run("ingest", "--json", "--url", server.url)
            assert done.returncode == 0, done.stderr
            told: dict[str, object] = json.loads(done.stdout)
            return told

        assert look()["started"] == 1
        client = get_sync_client(url=server.url)
        (thread,) = [each for each in client.threads.search(limit=9) if each["metadata"].get("email_id")]
        for run in client.runs.list(thread["thread_id"]):
            client.runs.join(thread["thread_id"], run["run_id"])
        thread_id, card = waiting(server)
        assert (len(account.numbers("Drafts")), account.flags(uid), sending.accepted) == (1, set(), [])
        body = {"assistant_id": "email_assistant", "command": {"resume": [accepting(card)]}}
        answer = httpx.post(f"{server.url}/threads/{thread_id}/runs/wait", json=body, timeout=60)
        assert "__error__" not in answer.raise_for_status().json(), answer.text
        ((people, raw),) = sending.accepted
        letter = message_from_bytes(raw, policy=default)
        assert (people, letter["From"], letter["In-Reply-To"]) == (
            ["ana@example.com"],
            ME,
            "<m1@example.com>",
        )
        assert account.flags(uid) == {"\\Seen", "\\Answered"}
        assert (account.numbers("Drafts"), len(account.numbers("Sent"))) == ([], 1)
        runs = len(client.runs.list(thread_id))
        assert [look(), look()] == [{}, {}]
        assert (len(client.runs.list(thread_id)), len(sending.accepted)) == (runs, 1)


def test_from_nothing_to_a_card(tmp_path: Path, servers: tuple[ImapServer, Relay]) -> None:
    """`account add` on a terminal, which shows no password; then the mail comes in over what was written, and waits as a card."""
    account, sending = servers
    account.put(mail("Hi Robin,\n\nwhich oil do you use?\n\nAna"))
    data = tmp_path / ".email_assistant"
    user = Cli(tmp_path, data, OFFLINE)
    places = ("--imap", f"127.0.0.1:{account.port}", "--smtp", f"127.0.0.1:{sending.port}")
    own = ("--security", "none", "--login", account.user)
    with user.terminal("account", "add", ADDRESS, *places, *own) as terminal:
        terminal.until(f"Password of {ADDRESS}: ")
        terminal.type(f"{PASSWORD}\r")
        terminal.until("Your name [Robin]: ")
        terminal.type("\r")
        code, _ = terminal.end()
        assert (code, PASSWORD in terminal.text) == (0, False), terminal.text
    with forked_server(tmp_path, user.environment()) as server:
        done = user.run("ingest", "--json", "--url", server.url)
        assert (done.returncode, json.loads(done.stdout)["started"]) == (0, 1), done.stderr
        client = get_sync_client(url=server.url)
        (thread,) = [each for each in client.threads.search(limit=9) if each["metadata"].get("email_id")]
        for run in client.runs.list(thread["thread_id"]):
            client.runs.join(thread["thread_id"], run["run_id"])
        assert waiting(server)[0] == thread["thread_id"]

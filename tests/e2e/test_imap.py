"""An account over IMAP and SMTP from the first look to what was sent: command line, served graph, approval over HTTP."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import icalendar
import pytest
from langgraph_sdk import get_sync_client

from eval.accepting import accepting
from tests.e2e.cli_support import OFFLINE, Cli
from tests.support.calendar_servers import CaldavServer, radicale
from tests.support.desk import ME, mail
from tests.support.dev_server import DevServer, forked_server
from tests.support.mail_servers import PASSWORD, ImapServer, Relay, pymap, relay

pytestmark = pytest.mark.xdist_group("served")
BERLIN = ZoneInfo("Europe/Berlin")
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


@pytest.fixture
def dav() -> Iterator[CaldavServer]:
    """Where the account's calendar is."""
    with radicale({"robin": PASSWORD}) as server:
        server.make("work")
        yield server


def waiting(server: DevServer) -> tuple[str, dict[str, object]]:
    """The one thread that waits, and its card."""
    (thread,) = get_sync_client(url=server.url).threads.search(status="interrupted", limit=9)
    ((interrupt,),) = thread["interrupts"].values()
    (card,) = interrupt["value"]
    return str(thread["thread_id"]), card


def looked(cli: Cli, server: DevServer) -> dict[str, object]:
    """What a look at the mailbox has started, once that is done."""
    done = cli.run("ingest", "--json", "--url", server.url)
    assert done.returncode == 0, done.stderr
    client = get_sync_client(url=server.url)
    for thread in client.threads.search(limit=9):
        for run in client.runs.list(thread["thread_id"]):
            client.runs.join(thread["thread_id"], run["run_id"])
    told: dict[str, object] = json.loads(done.stdout)
    return told


def accept(server: DevServer) -> str:
    """Accept the one card that waits; its thread."""
    thread_id, card = waiting(server)
    body = {"assistant_id": "email_assistant", "command": {"resume": [accepting(card)]}}
    answer = httpx.post(f"{server.url}/threads/{thread_id}/runs/wait", json=body, timeout=60)
    assert "__error__" not in answer.raise_for_status().json(), answer.text
    return thread_id


def test_a_mail_is_answered_once(cli: Cli, servers: tuple[ImapServer, Relay], tmp_path: Path) -> None:
    """Given to the relay once and filed in Sent once, the mail answered and read, no draft left; looking again starts nothing."""
    account, sending = servers
    uid = account.put(mail("Hi Robin,\n\nwhich oil do you use?\n\nAna"))
    with forked_server(tmp_path, cli.settings) as server:
        assert looked(cli, server)["started"] == 1
        assert (len(account.numbers("Drafts")), account.flags(uid), sending.accepted) == (1, set(), [])
        thread_id = accept(server)
        ((people, raw),) = sending.accepted
        letter = message_from_bytes(raw, policy=default)
        assert (people, letter["From"], letter["In-Reply-To"]) == (
            ["ana@example.com"],
            ME,
            "<m1@example.com>",
        )
        assert account.flags(uid) == {"\\Seen", "\\Answered"}
        assert (account.numbers("Drafts"), len(account.numbers("Sent"))) == ([], 1)
        client = get_sync_client(url=server.url)
        runs = len(client.runs.list(thread_id))
        assert [looked(cli, server), looked(cli, server)] == [{}, {}]
        assert (len(client.runs.list(thread_id)), len(sending.accepted)) == (runs, 1)


def test_from_nothing_to_what_was_sent_and_made(
    tmp_path: Path, servers: tuple[ImapServer, Relay], dav: CaldavServer
) -> None:
    """`account add` on a terminal, which shows no password; then a mail that asks for a call and something else, and both cards accepted.

    The meeting is on the server once, at its time, its guest invited once; the reply went out once and is filed once, the mail is
    answered and read; two more looks start nothing.
    """
    account, sending = servers
    day = datetime.now(UTC).astimezone(BERLIN) + timedelta(days=8)
    day -= timedelta(days=max(0, day.weekday() - 4))
    call = (
        f"could we have a 45-minute call on {day:%A}, {day:%B} {day.day} at 11:00 am? Which oil do you use?"
    )
    asked = message_from_bytes(mail(f"Hi Robin,\n\n{call}\n\nAna"), policy=default)
    asked.replace_header("Date", datetime.now(UTC))
    uid = account.put(bytes(asked))
    user = Cli(
        tmp_path, tmp_path / ".email_assistant", OFFLINE | {"EMAIL_ASSISTANT_TIMEZONE": "Europe/Berlin"}
    )
    places = (
        "--imap",
        f"127.0.0.1:{account.port}",
        "--smtp",
        f"127.0.0.1:{sending.port}",
        "--calendar",
        dav.base,
    )
    with user.terminal(
        "account", "add", ADDRESS, *places, "--security", "none", "--login", account.user
    ) as terminal:
        terminal.until(f"Password of {ADDRESS}: ")
        terminal.type(f"{PASSWORD}\r")
        terminal.until("Your name [Robin]: ")
        terminal.type("\r")
        code, _ = terminal.end()
        assert (code, PASSWORD in terminal.text) == (0, False), terminal.text
    with forked_server(tmp_path, user.environment()) as server:
        assert looked(user, server)["started"] == 1
        assert (dav.texts("/robin/work/"), sending.accepted, account.flags(uid)) == ({}, [], set())
        accept(server)
        ((_, text),) = dav.texts("/robin/work/").items()
        (made,) = icalendar.Calendar.from_ical(text).walk("VEVENT")
        assert made["DTSTART"].dt == datetime(day.year, day.month, day.day, 11, tzinfo=BERLIN)
        assert made["ATTENDEE"] == "mailto:ana@example.com"
        thread_id = accept(server)
        runs = len(get_sync_client(url=server.url).runs.list(thread_id))
        assert [people for people, _ in sending.accepted] == [["ana@example.com"]] * 2
        letters = [message_from_bytes(raw) for _, raw in sending.accepted]
        (invitation,) = [
            p for each in letters for p in each.walk() if p.get_content_type() == "text/calendar"
        ]
        assert (invitation.get_param("method"), letters[1]["In-Reply-To"]) == ("REQUEST", "<m1@example.com>")
        assert account.flags(uid) == {"\\Seen", "\\Answered"}
        assert (account.numbers("Drafts"), len(account.numbers("Sent"))) == ([], 2)
        assert [looked(user, server), looked(user, server)] == [{}, {}]
        assert (len(dav.texts("/robin/work/")), len(sending.accepted)) == (1, 2)
        assert len(get_sync_client(url=server.url).runs.list(thread_id)) == runs

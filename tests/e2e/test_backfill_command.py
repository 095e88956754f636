"""`organize --backfill` as a person drives it: started, watched, broken off, begun once more."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest

from email_assistant.adapters.importer import deliver
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.clock import SystemClock
from tests.e2e.cli_support import OFFLINE, PERSON, Cli
from tests.e2e.test_cut_off_answers import until
from tests.support.dev_server import DevServer, forked_server

MAILS = 110
FIRST = datetime(2026, 11, 1, tzinfo=UTC)
KINDS = (
    (
        "Oriel Shop <news@oriel.example>",
        "20% off all lamps, week",
        "Only until Friday. Use the code LIGHT at checkout.",
    ),
    (
        "Oriel Shop <orders@oriel.example>",
        "Your order has shipped, order",
        "Your parcel is on its way. Total: 84.00 EUR.",
    ),
    (
        "Ana Ruiz <ana@office.example>",
        "Minutes of the project meeting",
        "Here are the minutes. Please look at the second point.",
    ),
    ("Mum <mum@home.example>", "Sunday lunch", "Are you coming on Sunday? Dad will cook. Love, Mum"),
)


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
    for number in range(MAILS):
        await deliver(mailbox, _mail(number))


def _mail(number: int) -> bytes:
    sender, subject, text = KINDS[number % len(KINDS)]
    message = EmailMessage()
    message["From"], message["To"] = sender, "robin@vale.example"
    message["Subject"], message["Message-ID"] = f"{subject} {number}", f"<{number}@mail.example>"
    message["Date"] = format_datetime(FIRST + timedelta(minutes=number))
    message.set_content(f"{text}\n")
    return bytes(message)


def settled(user: Cli) -> dict[str, int]:
    """The mail by its status."""
    found: dict[str, int] = json.loads(user.run("status", "--json").stdout)["mail"]
    return found


@pytest.mark.usefixtures("mails")
def test_a_whole_account_is_sorted(user: Cli, server: DevServer) -> None:
    """Broken off and begun once more, it goes on; in the end every mail is settled."""
    to = ("--url", server.url)
    with user.terminal("organize", "--backfill", *to) as first:
        while " 0/" in first.until("/1"):
            pass
        first.type("\x03")
        assert first.process.wait(60) == 130
    done = user.run("organize", "--backfill", "--json", *to)
    assert done.returncode == 0, done.stderr
    assert 0 < sum(json.loads(done.stdout).values()) < MAILS, "what the first had begun is known"
    # The server finishes what the first had begun, and begins what that had only put on record.
    until(lambda: set(settled(user)) <= {"done", "waiting_review"})
    assert sum(settled(user).values()) == MAILS
    assert user.run("organize", "--limit", "8", *to).stdout.startswith("Mail: nothing new.")

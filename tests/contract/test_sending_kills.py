"""Sending over SMTP, cut short at every moment by a kill, and raced for by processes: never twice by itself, never lost, always told."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from email_assistant.journal.database import Database
from email_assistant.mail.mailbox import MailQuery
from email_assistant.tools.tool import AskAgain, Done
from tests.contract.mailbox_contract import mail, reply
from tests.support.dev_server import ROOT
from tests.support.mail_sender import MOMENTS, TABLES, Sender, answer
from tests.support.mail_servers import DOVECOT, ImapServer, Relay, dovecot, relay

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(not DOVECOT.exists(), reason="there is no Dovecot: apt-get install dovecot-imapd"),
]
UNDECIDED = {"end on record", "end given"}
"""The end of the text may have been given, and no answer is on record."""
RACERS = 8


@dataclass(frozen=True)
class Place:
    """Where one sender's mail is, and what it sends over."""

    sender: Sender
    server: ImapServer
    relay: Relay

    def put(self, raw: bytes) -> None:
        """A mail comes in."""
        if not self.sender.maildir:
            self.server.put(raw)
            return
        for each in ("cur", "new", "tmp"):
            (Path(self.sender.maildir) / each).mkdir(parents=True, exist_ok=True)
        (Path(self.sender.maildir) / "new" / "1.mail").write_bytes(raw)

    def count(self) -> tuple[int, int, int]:
        """How many the relay has taken, how many are in Sent, and how many among the drafts."""
        if not self.sender.maildir:
            kept = [len(self.server.numbers(each)) for each in self.server.folders[1:]]
        else:
            root = Path(self.sender.maildir)
            kept = [len([*(root / each).glob("cur/*")]) for each in (".Sent", ".Drafts")]
        return len(self.relay.accepted), kept[0], kept[1]


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ImapServer, Relay]]:
    """One of each for all."""
    with dovecot() as server, relay() as sending:
        yield server, sending


@pytest.fixture(params=["imap", "maildir"])
def place(servers: tuple[ImapServer, Relay], tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    """With nothing in its folders, and nothing on record."""
    server, sending = servers
    server.empty()
    sending.accepted.clear()
    database = f"sqlite:///{tmp_path / 'journal.db'}"
    folder = str(tmp_path / "mail") if request.param == "maildir" else ""
    sender = Sender(server.account(sending.port), server.user, server.password, database, folder)
    return Place(sender, server, sending)


def start(place: Place, **more: str) -> "subprocess.Popen[bytes]":
    """A process that sends."""
    environment = os.environ | {"DRAFTS": place.server.folders[2]}
    command = [sys.executable, "-m", "tests.support.mail_sender", place.sender.as_json(**more)]
    return subprocess.Popen(command, cwd=ROOT, env=environment)


async def inbox_of(sender: Sender) -> list[str]:
    """Ids of what came in."""
    database = Database(sender.database, tables=TABLES)
    found = await sender.mailbox(database).inbox(MailQuery())
    await database.close()
    return found


@pytest.mark.parametrize("time", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 11))])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_whoever_is_killed_sends_it_once_or_asks(place: Place, moment: str, time: int) -> None:
    """Tried again it is sent once and filed once; where nobody can tell whether it is out, the person is asked and nothing is sent."""
    place.put(mail(1))
    (message,) = await inbox_of(place.sender)
    assert start(place, moment=moment, about=message).wait(60) == -9
    before, *_ = place.count()
    assert before == (0 if MOMENTS.index(moment) < MOMENTS.index("end given") else 1)
    found = await answer(place.sender, message)
    if moment in UNDECIDED:
        assert isinstance(found, AskAgain)
        assert found.problem.startswith("This may have been sent: ")
        assert place.count()[0] == before
    else:
        assert isinstance(found, Done), found
        assert place.count() == (1, 1, 0)


@pytest.mark.parametrize("time", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 11))])
async def test_of_processes_that_race_one_sends(place: Place, time: int) -> None:
    """The draft goes out once, whoever is first."""
    database = Database(place.sender.database, tables=TABLES)
    draft = await place.sender.mailbox(database).save_draft(reply())
    await database.close()
    racing = [start(place, how="send", about=draft.id) for _ in range(RACERS)]
    assert [await asyncio.to_thread(each.wait, 120) for each in racing] == [0] * RACERS
    assert place.count() == (1, 1, 0)

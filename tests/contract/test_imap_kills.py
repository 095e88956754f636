"""Sending over SMTP, cut short at every moment by a kill, and raced for by processes: never twice by itself, never lost, always told."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from email_assistant.adapters.imap import tables
from email_assistant.journal.database import Database
from email_assistant.mail.mailbox import MailQuery
from email_assistant.tools.tool import AskAgain, Done
from tests.contract.mailbox_contract import mail, reply
from tests.support.dev_server import ROOT
from tests.support.imap_sender import MOMENTS, Sender, answer
from tests.support.mail_servers import DOVECOT, ImapServer, Relay, dovecot, relay

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(not DOVECOT.exists(), reason="there is no Dovecot: apt-get install dovecot-imapd"),
]
UNDECIDED = {"end on record", "end given"}
"""The end of the text may have been given, and no answer is on record."""
RACERS = 8


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ImapServer, Relay]]:
    """One of each for all."""
    with dovecot() as server, relay() as sending:
        yield server, sending


@pytest.fixture
def sender(servers: tuple[ImapServer, Relay], tmp_path: Path) -> Sender:
    """With nothing in its folders, and nothing on record."""
    server, sending = servers
    server.empty()
    sending.accepted.clear()
    database = f"sqlite:///{tmp_path / 'journal.db'}"
    return Sender(server.account(sending.port), server.user, server.password, database)


def start(sender: Sender, server: ImapServer, **more: str) -> "subprocess.Popen[bytes]":
    """A process that sends."""
    environment = os.environ | {"DRAFTS": server.folders[2]}
    command = [sys.executable, "-m", "tests.support.imap_sender", sender.as_json(**more)]
    return subprocess.Popen(command, cwd=ROOT, env=environment)


async def inbox_of(sender: Sender) -> list[str]:
    """Ids of what came in."""
    database = Database(sender.database, tables=(tables.__name__,))
    found = await sender.mailbox(database).inbox(MailQuery())
    await database.close()
    return found


@pytest.mark.parametrize("time", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 11))])
@pytest.mark.parametrize("moment", MOMENTS)
async def test_whoever_is_killed_sends_it_once_or_asks(
    sender: Sender, servers: tuple[ImapServer, Relay], moment: str, time: int
) -> None:
    """Tried again it is sent once and filed once; where nobody can tell whether it is out, the person is asked and nothing is sent."""
    server, sending = servers
    server.put(mail(1))
    (message,) = await inbox_of(sender)
    assert start(sender, server, moment=moment, about=message).wait(60) == -9
    before = len(sending.accepted)
    assert before == (0 if MOMENTS.index(moment) < MOMENTS.index("end given") else 1)
    found = await answer(sender, message)
    if moment in UNDECIDED:
        assert isinstance(found, AskAgain)
        assert found.problem.startswith("This may have been sent: ")
        assert len(sending.accepted) == before
    else:
        assert isinstance(found, Done), found
        assert (
            len(sending.accepted),
            len(server.numbers(server.folders[1])),
            server.numbers(server.folders[2]),
        ) == (1, 1, [])


@pytest.mark.parametrize("time", [1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 11))])
async def test_of_processes_that_race_one_sends(
    sender: Sender, servers: tuple[ImapServer, Relay], time: int
) -> None:
    """The draft goes out once, whoever is first."""
    server, sending = servers
    database = Database(sender.database, tables=(tables.__name__,))
    draft = await sender.mailbox(database).save_draft(reply())
    await database.close()
    racing = [start(sender, server, how="send", about=draft.id) for _ in range(RACERS)]
    assert [await asyncio.to_thread(each.wait, 120) for each in racing] == [0] * RACERS
    assert (
        len(sending.accepted),
        len(server.numbers(server.folders[1])),
        server.numbers(server.folders[2]),
    ) == (1, 1, [])

"""A process that sends one letter over SMTP, from a mailbox over IMAP or a Maildir, and is killed at a moment of it.

`python -m tests.support.mail_sender` with JSON.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from email_assistant.adapter_registry import MAILBOXES
from email_assistant.adapters.imap.connection import Commands, Connection
from email_assistant.adapters.imap.mailbox import ImapMailbox
from email_assistant.adapters.maildir import MaildirMailbox
from email_assistant.adapters.relayed_maildir import RelayedMaildir
from email_assistant.adapters.sends import ACCEPTED, DONE, ENDED, Sends
from email_assistant.adapters.smtp import Relay, Submission
from email_assistant.clock import FixedClock
from email_assistant.errors import NotFoundError
from email_assistant.journal.database import Database
from email_assistant.mail_accounts import Account
from email_assistant.tools.mail_tools import SendEmailArguments
from email_assistant.tools.tool import AskAgain, Done
from tests.contract.mailbox_contract import sends_over, turn_on

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TABLES = MAILBOXES["imap"].tables
MOMENTS = (
    "claimed",
    "signed in",
    "readers told",
    "text given",
    "end on record",
    "end given",
    "answer on record",
    "filed",
    "done",
)


@dataclass(frozen=True)
class Sender:
    """Where the mail is, and where what is on record."""

    account: Account
    user: str
    password: str
    database: str
    maildir: str = ""
    """Where the mail is in place of the account."""

    def mailbox(self, database: Database) -> ImapMailbox | RelayedMaildir:
        """The account's, or the Maildir."""
        assert self.account.smtp is not None
        relay = Relay(self.account.smtp, self.user, lambda: self.password)
        if self.maildir:
            return RelayedMaildir(Path(self.maildir), FixedClock(NOW), relay, database)
        assert self.account.imap is not None
        connection = Connection(self.account.imap, self.user, lambda: self.password)
        return ImapMailbox(self.account, connection, database, FixedClock(NOW), relay)

    def as_json(self, **more: str) -> str:
        """For another process."""
        return json.dumps({**vars(self), "account": self.account.model_dump(), **more})


async def answer(sender: Sender, message_id: str) -> Done | AskAgain:
    """The message is answered, approved as it was shown."""
    database = Database(sender.database, tables=TABLES)
    mailbox = sender.mailbox(database)
    sends = sends_over(mailbox, database)
    action = await sends.prepare(
        SendEmailArguments(body="Tomorrow at ten."), turn_on(await mailbox.fetch(message_id))
    )
    # An earlier try is found out about before anybody is asked.
    found = action if isinstance(action, Done) else await sends.perform(action, acknowledged=frozenset())
    await database.close()
    return found


async def send(sender: Sender, draft: str) -> str:
    """The draft is sent; "" where another one does."""
    database = Database(sender.database, tables=TABLES)
    try:
        return await sender.mailbox(database).send_draft(draft)
    except NotFoundError:
        return ""
    finally:
        await database.close()


def die(*_: Any) -> None:
    """As at a power cut, but for what the system has in its hands."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(owner: Any, name: str, is_it: Callable[..., bool] = lambda *_: True) -> None:
    """Let the process die when this was done."""
    work = getattr(owner, name)

    async def awaited(*args: Any, **kwargs: Any) -> Any:
        done = await work(*args, **kwargs)
        if is_it(*args):
            die()
        return done

    def called(*args: Any, **kwargs: Any) -> Any:
        done = work(*args, **kwargs)
        if is_it(*args):
            die()
        return done

    setattr(owner, name, awaited if asyncio.iscoroutinefunction(work) else called)


def prepare(moment: str) -> None:
    """Let the process die at this moment."""
    states = {"end on record": ENDED, "answer on record": ACCEPTED, "done": DONE}
    if moment in states:
        dying_after(Sends, "go_on", lambda _, __, state, *___: state == states[moment])
    steps = {"claimed": (Sends, "claim"), "signed in": (Relay, "open"), "readers told": (Submission, "envelope"),
             "text given": (Submission, "text"), "end given": (Submission, "end")}  # fmt: skip
    if moment in steps:
        dying_after(*steps[moment])
    if moment == "filed":
        dying_after(MaildirMailbox, "send_draft")
        dying_after(Commands, "append", lambda _, name, *__: name != drafts_name())


def drafts_name() -> str:
    """The folder of drafts of the servers of tests."""
    return os.environ["DRAFTS"]


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    prepare(given.pop("moment", ""))
    about, how = given.pop("about"), given.pop("how", "answer")
    who = Sender(Account.model_validate(given.pop("account")), **given)
    asyncio.run(answer(who, about) if how == "answer" else send(who, about))

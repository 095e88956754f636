"""What could not be dealt with, by cause, and trying it again."""

import contextlib
from datetime import timedelta
from typing import Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.adapters.mailbox_id import FILE, gone
from email_assistant.app.container import Container
from email_assistant.app.replaying import replay_all
from email_assistant.checkpoints.savers import told_of_aside
from email_assistant.errors import NotFoundError, ProviderError
from email_assistant.journal.dead_letters import DeadLetters
from email_assistant.journal.failing import Cause, failing_now, mend_for

MAX_LETTERS = 1_000
ON_ITS_WAY = timedelta(seconds=3)
"""What was touched since is left alone: its run may be about to be made."""


async def failures(built: Container) -> dict[str, Any]:
    """{"number", "given_up", "everything", "causes": [{"number", "reason", "mend", "named", "given_up", "attempts"}]}.

    The same as the commands tell first; `number` 0 when nothing fails.
    """
    failing = await failing_now(built.database)
    return {
        "number": failing.number,
        "given_up": failing.given_up,
        "everything": failing.everything,
        "causes": [_told(cause) for cause in failing.causes],
    }


def disk_trouble(built: Container) -> str:
    """What is wrong with what is kept on disk, and what to do, in a line; "" when nothing is. Blocks."""
    mailbox = built.settings.maildir_path
    if mailbox and not (mailbox / FILE).exists():
        return str(gone(mailbox))
    return told_of_aside(built.settings.data_path)


def _told(cause: Cause) -> dict[str, Any]:
    return {
        "number": cause.number,
        "reason": cause.reason,
        "mend": mend_for(cause.reason),
        "named": list(cause.named),
        "given_up": cause.given_up,
        "attempts": cause.attempts,
    }


async def retry(built: Container, client: LangGraphClient) -> int:
    """Try all that fails again, at once, and what was given up with fresh attempts; the number of mails."""
    number = (await failures(built))["number"]
    letters = DeadLetters(built.database, built.clock)
    for letter in await letters.waiting(limit=MAX_LETTERS):
        record = await built.mail_log.get(letter.mailbox, letter.message_id, letter.graph)
        # Somebody else may be first, and the mailbox may have lost what the journal never had: that stays where it is.
        with contextlib.suppress(NotFoundError, ProviderError):
            if record is not None and record.email_input is None:
                await replay_all(built, client, [(letter, record)])
            elif record is not None:
                await letters.replay(letter.mailbox, letter.message_id, letter.graph)
    await built.recovery(client).recover(built.clock.now() - ON_ITS_WAY, after_start=True)
    return int(number)

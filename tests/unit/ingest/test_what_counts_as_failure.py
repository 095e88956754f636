"""Which errors of a run count against its mail, and which only have it wait."""

import pytest

from email_assistant.clock import FixedClock
from email_assistant.errors import AccessError, ConfigError, InputError, TransientError, UnsettledError
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.kit.conversations import MailStatusKeeper

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.mark.parametrize(
    ("error", "attempts", "status"),
    [
        (UnsettledError("not known before 09:35"), 0, MailStatus.needs_review),
        (AccessError("revoked"), 0, MailStatus.needs_review),
        (ConfigError("needs another package"), 0, MailStatus.needs_review),
        (TransientError("busy"), 3, MailStatus.dead_letter),
        (InputError("wrong"), 1, MailStatus.dead_letter),
    ],
)
async def test_what_counts_as_a_failure(
    database_url: str, clock: FixedClock, error: Exception, attempts: int, status: MailStatus
) -> None:
    """What has to wait is tried again for as long as it takes; the others are given up in the end."""
    log = MailLog(Database(database_url), clock)
    await log.claim(MailRecord("box", "m1", "claims_desk", "t1", "r1", email_input={}))
    keeper = MailStatusKeeper(log, "box")
    for _ in range(5):
        await keeper.failed("r1", "claims_desk", str(error), error)
    (record,) = await log.by_run_thread("r1")
    assert (record.attempts, record.status) == (attempts, status)

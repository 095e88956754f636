"""Runs are found by the mail that they are about."""

import pytest

from email_assistant.clock import FixedClock
from email_assistant.journal.database import Database
from email_assistant.journal.mail_log import MailLog
from email_assistant.journal.records import MailRecord, MailStatus
from email_assistant.journal.trace import Trace
from email_assistant.journal.traces import listed_runs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_each_run_names_the_mail_of_its_trace(database: Database, clock: FixedClock) -> None:
    """Also one that goes on with an answer; a run about no mail, or about one that is not on record, has no name."""
    log, trace = MailLog(database, clock), Trace(database, clock)
    mail = {"from": "Ana <ana@example.com>", "subject": "Oak", "body": "x" * 10_000}
    await log.claim(MailRecord("box", "m1", "email_assistant", "t", "thread", email_input=mail))
    await log.claim(MailRecord("box", "m2", "email_assistant", "t", "other", email_input={"author": "ben@example.com"}))  # fmt: skip
    await trace.run_started("a", run_thread_id="thread", graph="email_assistant", message_id="m1")
    await trace.run_started("b", run_thread_id="thread", graph="email_assistant", goes_on=True)
    await trace.run_started("c", run_thread_id="other", graph="email_assistant", message_id="m2")
    await trace.run_started("d", run_thread_id="else", graph="email_assistant", message_id="m3")
    await log.set_status("box", "m1", "email_assistant", MailStatus.done, outcome="replied")
    found = {each.run.run_id: each for each in await listed_runs(trace, limit=10)}
    assert {key: (each.name, each.status, each.outcome) for key, each in found.items()} == {
        "a": ("Ana: Oak", "done", "replied"),
        "b": ("Ana: Oak", "done", "replied"),
        "c": ("ben@example.com: (no subject)", "claimed", ""),
        "d": ("", "", ""),
    }
    assert len(await listed_runs(trace, limit=2)) == 2

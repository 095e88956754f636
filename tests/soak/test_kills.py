"""Killed at any moment, the assistant sends every approved mail exactly once."""

from pathlib import Path

import pytest

from tests.soak.harness import check, fill, run_with_chosen_kills, run_with_random_kills
from tests.soak.worker import Job

POINTS = [
    "MaildirMailbox.save_draft:before:2",
    "MaildirMailbox.save_draft:after:2",
    "MaildirMailbox.send_draft:before:1",
    "MaildirMailbox.send_draft:after:1",
    "Outbox.perform:before:3",
    "Outbox.perform:after:2",
    "MaildirMailbox.mark_read:before:1",
    "MaildirMailbox.mark_read:after:1",
]


@pytest.fixture(params=["sqlite", "postgres"])
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Job:
    """A folder with mail, and a database with its checkpointer."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    return Job(str(tmp_path), url)


def test_killed_at_chosen_points_every_approved_mail_is_sent_once(job: Job) -> None:
    """Before and after each effect, the next worker finishes the work without repeating it."""
    fill(Path(job.folder), 6)
    report = run_with_chosen_kills(job, POINTS)
    assert report.kills == len(POINTS)
    assert check(job) == (6, 6)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_killed_fifty_times_at_random_every_approved_mail_is_sent_once(
    job: Job, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """The long form: at least fifty kills with approvals under way."""
    report = run_with_random_kills(job, kills=50, seed=20261121)
    approved, sent = check(job)
    with capsys.disabled():
        kind = "PostgreSQL" if job.database_url else "SQLite"
        during = report.kills_during_approvals
        print(
            f"\n{kind}: {report.kills} kills, {during} of them between approval and Sent; {approved} approved, {sent} sent"
        )
    assert approved == sent

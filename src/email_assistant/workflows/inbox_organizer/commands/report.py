"""`report`: one page of what the journal says about sorting, statuses, cost and failures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.adapters.files import write_atomically
from email_assistant.app import Container
from email_assistant.cli.console import container, run_async, say
from email_assistant.errors import InputError
from email_assistant.journal.records import MailRecord
from email_assistant.workflows.inbox_organizer.commands.report_page import (
    FailedMail,
    OrganizerReport,
    cut,
    page,
)
from email_assistant.workflows.inbox_organizer.records.organizer_mail import organizer_mail
from email_assistant.workflows.inbox_organizer.records.sorting import Sorting
from email_assistant.workflows.inbox_organizer.services import OrganizerServices

FILE_NAME = "report.html"
MAX_FAILURES = 20


def report(
    output: Annotated[
        Path | None, typer.Option(help="The file to write; report.html in the data folder when left out.")
    ] = None,
) -> None:
    """Write one HTML page: who sorted the mail, where it is, what it cost, what failed. Needs no server."""
    built = container()
    path = (output or built.settings.data_path / FILE_NAME).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--output {path}: name a file in a folder that is there")
    text = page(run_async(_report(built)))
    write_atomically(path, text.encode("utf-8", "backslashreplace"))
    say(str(path))


async def _report(built: Container) -> OrganizerReport:
    hints = await OrganizerServices.of(built).category_hints.all(built.mailbox.name)
    counts = await built.mail_log.count_by_status()
    return OrganizerReport(
        at=built.clock.now(),
        sorted=await Sorting(built.database).counts(),
        hints=sum(hint.holds for hint in hints),
        organizer=await organizer_mail(built.database),
        mail={str(status): number for status, number in counts.items()},
        usage=await built.trace.usage_by_call(),
        failures=[_failure(record) for record in await built.mail_log.last_failed(limit=MAX_FAILURES)],
    )


def _failure(record: MailRecord) -> FailedMail:
    assert record.updated_at is not None  # noqa: S101  # What was read has its times.
    subject: Any = (record.email_input or {}).get("subject")
    return FailedMail(
        subject=cut(str(subject or "")),
        message_id=cut(record.message_id),
        graph=record.graph,
        status=record.status.value,
        attempts=record.attempts,
        reason=cut(record.reason),
        at=record.updated_at,
    )

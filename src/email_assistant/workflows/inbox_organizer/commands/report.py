"""`report`: one page of what the journal says about sorting, statuses, cost and failures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from email_assistant.adapters.files import write_atomically
from email_assistant.app import Container
from email_assistant.cli.console import check_target, container, count, run_async, say
from email_assistant.cli.html_page import bar, html_page
from email_assistant.journal.records import CallUsage, MailRecord
from email_assistant.workflows.inbox_organizer.records.organizer_mail import OrganizerMail, organizer_mail
from email_assistant.workflows.inbox_organizer.records.sorting import Sorted, Sorting
from email_assistant.workflows.inbox_organizer.services import OrganizerServices

FILE_NAME = "report.html"
MAX_FAILURES = 20
MAX_SHOWN = 300
"""Characters of a text from mail, or of an error, that are shown."""
WAYS = {
    "without_model": "Without a model",
    "fast": "Fast tier",
    "escalated": "Escalated to the strong tier",
    "strong": "Strong tier alone",
    "human": "You were asked",
}


@dataclass(frozen=True, slots=True)
class FailedMail:
    """A mail whose run failed."""

    subject: str
    message_id: str
    graph: str
    status: str
    attempts: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class OrganizerReport:
    """What the page tells; all of it from the journal."""

    at: datetime
    sorted: Sorted
    hints: int
    """How many hints hold."""
    organizer: OrganizerMail
    mail: Mapping[str, int]
    """The mail of all graphs by its status."""
    usage: Sequence[CallUsage]
    failures: Sequence[FailedMail]


def report(
    output: Annotated[
        Path | None, typer.Option(help="The file to write; report.html in the data folder when left out.")
    ] = None,
) -> None:
    """Write one HTML page: who sorted the mail, where it is, what it cost, what failed. Needs no server."""
    built = container()
    path = (output or built.settings.data_path / FILE_NAME).expanduser()
    check_target("--output", path)
    write_atomically(path, page(run_async(_report(built))))
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


def cut(text: str) -> str:
    """A text from outside as long as a page has room for."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def page(report: OrganizerReport) -> bytes:
    """The whole page."""
    found = report.sorted
    ways = {label: getattr(found, way) for way, label in WAYS.items()}
    places = {name: getattr(report.organizer, name) for name in OrganizerMail.__slots__}
    return html_page(
        __package__,
        "report.html",
        title="Email assistant: report",
        report=report,
        ways=[bar(name, found.share(n), f"{n:,} ({100 * found.share(n):.1f} %)") for name, n in ways.items()],
        organizer=[("all" if name == "mails" else name, number) for name, number in places.items()],
        count=count,
        dollars=lambda amount: f"{amount:,.4f} US dollars",
    )

"""The report as one HTML page: no script, no remote content; whatever came from mail is text and stays text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from xml.etree.ElementTree import Element

from email_assistant.charts import Bar, bar_chart
from email_assistant.cli.html_page import add, add_table, new_page, written
from email_assistant.journal.records import CallUsage
from email_assistant.workflows.inbox_organizer.records.organizer_mail import OrganizerMail
from email_assistant.workflows.inbox_organizer.records.sorting import Sorted

WAYS = {
    "without_model": "Without a model",
    "fast": "Fast tier",
    "escalated": "Escalated to the strong tier",
    "strong": "Strong tier alone",
    "human": "You were asked",
}
NOTHING = "Nothing is on record yet: `email-assistant organize` sorts the inbox, `email-assistant ingest` takes mail up."
MAX_SHOWN = 300
"""Characters of a text from mail, or of an error, that are shown."""


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


def page(report: OrganizerReport) -> str:
    """The whole page."""
    html, main = new_page("Email assistant: report", "report.css")
    add(main, "h1", "Email assistant: report")
    add(main, "p", f"From the journal, as of {report.at:%Y-%m-%d %H:%M} UTC.", "soft")
    if not (report.mail or report.sorted.mails or report.usage):
        add(main, "p", NOTHING)
    else:
        _sorting(main, report)
        _statuses(main, report)
        _costs(main, report.usage)
        _failures(main, report.failures)
    return written(html).decode()


def _sorting(main: Element, report: OrganizerReport) -> None:
    found = report.sorted
    add(main, "h2", "How the mail was sorted")
    if not found.mails:
        add(main, "p", "No mail was sorted yet.")
        return
    counts = {label: getattr(found, way) for way, label in WAYS.items()}
    bars = [Bar(name, found.share(n), f"{n:,} ({100 * found.share(n):.1f} %)") for name, n in counts.items()]
    main.append(bar_chart(bars, identifier="sorted", title=f"Who sorted {found.mails:,} mails"))
    add(
        main,
        "p",
        "The first four add up to all; where you were asked for the label is counted besides.",
        "soft",
    )
    if found.rules:
        add(
            main,
            "p",
            f"Offline rules, not a language model, spoke for the tiers in {found.rules:,} of these.",
        )
    told = f"{found.mails:,} mails; {_count(found.corrections, 'correction')} learned from; "
    add(main, "p", f"{told}{_count(report.hints, 'hint')} in force; sorting cost {_dollars(found.cost_usd)}.")


def _statuses(main: Element, report: OrganizerReport) -> None:
    names = {name: "all" if name == "mails" else name for name in OrganizerMail.__slots__}
    organizer = [(told, getattr(report.organizer, name)) for name, told in names.items()]
    for heading, counts in (
        ("Where the organizer's mail is", organizer if report.organizer.mails else []),
        ("All mail by status", sorted(report.mail.items())),
    ):
        if counts:
            add(main, "h2", heading)
            rows = [(name.replace("_", " "), f"{number:,}") for name, number in counts]
            add_table(main, ("Status", "Mails"), rows, numbers=(1,))


def _costs(main: Element, usage: Sequence[CallUsage]) -> None:
    add(main, "h2", "What the model calls cost")
    if not usage:
        add(main, "p", "No call was made yet.")
        return
    rows = [
        (each.call, f"{each.calls:,}", f"{each.rules:,}", f"{each.failed:,}",
         f"{each.prompt_tokens + each.completion_tokens:,}", f"{each.cost_usd:,.4f}")
        for each in usage
    ]  # fmt: skip
    head = ("Call", "Calls", "By rules", "Failed", "Tokens", "US dollars")
    add_table(main, head, rows, numbers=range(1, 6))
    total = sum((each.cost_usd for each in usage), Decimal(0))
    add(main, "p", f"All together {_dollars(total)}.")
    if any(each.rules for each in usage):
        told = "By rules: answered by the built-in offline rules, not by a language model; their tokens are estimated."
        add(main, "p", f"{told} They cost nothing.", "soft")
    if unpriced := sum(each.unpriced for each in usage):
        add(main, "p", f"{_count(unpriced, 'call')} of unknown price counted 0.")


def _failures(main: Element, failures: Sequence[FailedMail]) -> None:
    add(main, "h2", "The last failures")
    if not failures:
        add(main, "p", "No mail waits after a failure.")
        return
    rows = [
        (f"{each.at:%Y-%m-%d %H:%M}", f"{each.subject or '(no subject)'} [{each.message_id}]",
         f"{each.graph}: {each.status.replace('_', ' ')} after {_count(each.attempts, 'failure')}: {each.reason}")
        for each in failures
    ]  # fmt: skip
    add_table(main, ("When (UTC)", "Mail", "What failed"), rows)


def cut(text: str) -> str:
    """A text from outside as long as a page has room for."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _dollars(amount: Decimal) -> str:
    return f"{amount:,.4f} US dollars"

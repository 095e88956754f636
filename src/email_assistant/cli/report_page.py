"""The report as one HTML page: no script, no remote content; whatever came from mail is text and stays text."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from importlib import resources
from xml.etree.ElementTree import Element, SubElement, tostring

from email_assistant.charts.bars import Bar, bar_chart
from email_assistant.cli.console import visible
from email_assistant.journal.organizer_mail import OrganizerMail
from email_assistant.journal.records import CallUsage
from email_assistant.journal.sorting import Sorted

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
class Failure:
    """A mail whose run failed."""

    subject: str
    message_id: str
    graph: str
    status: str
    attempts: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Report:
    """What the page tells; all of it from the journal."""

    at: datetime
    sorted: Sorted
    hints: int
    """How many hints hold."""
    organizer: OrganizerMail
    mail: Mapping[str, int]
    """The mail of all graphs by its status."""
    usage: Sequence[CallUsage]
    failures: Sequence[Failure]


def page(report: Report) -> str:
    """The whole page."""
    html = Element("html", {"lang": "en"})
    _head(SubElement(html, "head"))
    main = SubElement(SubElement(html, "body"), "main")
    _text(main, "h1", "Email assistant: report")
    _text(main, "p", f"From the journal, as of {report.at:%Y-%m-%d %H:%M} UTC.", "soft")
    if not (report.mail or report.sorted.mails or report.usage):
        _text(main, "p", NOTHING)
    else:
        _sorting(main, report)
        _statuses(main, report)
        _costs(main, report.usage)
        _failures(main, report.failures)
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _head(head: Element) -> None:
    style = resources.files("email_assistant.cli").joinpath("report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    SubElement(head, "meta", {"name": "referrer", "content": "no-referrer"})
    SubElement(head, "title").text = "Email assistant: report"
    SubElement(head, "style").text = style


def _sorting(main: Element, report: Report) -> None:
    found = report.sorted
    _text(main, "h2", "How the mail was sorted")
    if not found.mails:
        _text(main, "p", "No mail was sorted yet.")
        return
    counts = {label: getattr(found, way) for way, label in WAYS.items()}
    bars = [Bar(name, found.share(n), f"{n:,} ({100 * found.share(n):.1f} %)") for name, n in counts.items()]
    main.append(bar_chart(bars, identifier="sorted", title=f"Who sorted {found.mails:,} mails"))
    _text(
        main,
        "p",
        "The first four add up to all; where you were asked for the label is counted besides.",
        "soft",
    )
    if found.rules:
        _text(
            main,
            "p",
            f"Offline rules, not a language model, spoke for the tiers in {found.rules:,} of these.",
        )
    told = f"{found.mails:,} mails; {_count(found.corrections, 'correction')} learned from; "
    _text(
        main, "p", f"{told}{_count(report.hints, 'hint')} in force; sorting cost {_dollars(found.cost_usd)}."
    )


def _statuses(main: Element, report: Report) -> None:
    names = {name: "all" if name == "mails" else name for name in OrganizerMail.__slots__}
    organizer = [(told, getattr(report.organizer, name)) for name, told in names.items()]
    for heading, counts in (
        ("Where the organizer's mail is", organizer if report.organizer.mails else []),
        ("All mail by status", sorted(report.mail.items())),
    ):
        if counts:
            _text(main, "h2", heading)
            rows = [(name.replace("_", " "), f"{number:,}") for name, number in counts]
            _table(main, ("Status", "Mails"), rows, numbers=(1,))


def _costs(main: Element, usage: Sequence[CallUsage]) -> None:
    _text(main, "h2", "What the model calls cost")
    if not usage:
        _text(main, "p", "No call was made yet.")
        return
    rows = [
        (each.call, f"{each.calls:,}", f"{each.rules:,}", f"{each.failed:,}",
         f"{each.prompt_tokens + each.completion_tokens:,}", f"{each.cost_usd:,.4f}")
        for each in usage
    ]  # fmt: skip
    head = ("Call", "Calls", "By rules", "Failed", "Tokens", "US dollars")
    _table(main, head, rows, numbers=range(1, 6))
    total = sum((each.cost_usd for each in usage), Decimal(0))
    _text(main, "p", f"All together {_dollars(total)}.")
    if any(each.rules for each in usage):
        told = "By rules: answered by the built-in offline rules, not by a language model; their tokens are estimated."
        _text(main, "p", f"{told} They cost nothing.", "soft")
    if unpriced := sum(each.unpriced for each in usage):
        _text(main, "p", f"{_count(unpriced, 'call')} of unknown price counted 0.")


def _failures(main: Element, failures: Sequence[Failure]) -> None:
    _text(main, "h2", "The last failures")
    if not failures:
        _text(main, "p", "No mail waits after a failure.")
        return
    rows = [
        (f"{each.at:%Y-%m-%d %H:%M}", f"{each.subject or '(no subject)'} [{each.message_id}]",
         f"{each.graph}: {each.status.replace('_', ' ')} after {_count(each.attempts, 'failure')}: {each.reason}")
        for each in failures
    ]  # fmt: skip
    _table(main, ("When (UTC)", "Mail", "What failed"), rows)


def _table(
    main: Element, head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()
) -> None:
    right, table = set(numbers), SubElement(main, "table")
    heading = SubElement(SubElement(table, "thead"), "tr")
    for column, name in enumerate(head):
        _text(heading, "th", name, "number" if column in right else "").set("scope", "col")
    body = SubElement(table, "tbody")
    for row in rows:
        line = SubElement(body, "tr")
        for column, value in enumerate(row):
            _text(line, "td", value, "number" if column in right else "")


def _text(parent: Element, tag: str, text: str, kind: str = "") -> Element:
    """An element with a text in which nothing acts: neither markup nor direction marks and controls."""
    made = SubElement(parent, tag, {"class": kind} if kind else {})
    made.text = visible(" ".join(text.split()))
    return made


def cut(text: str) -> str:
    """A text from outside as long as a page has room for."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _dollars(amount: Decimal) -> str:
    return f"{amount:,.4f} US dollars"

"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2 (130 for Ctrl-C)."""

import logging
import sys
import warnings
from collections.abc import MutableMapping
from io import TextIOWrapper
from typing import Any

import structlog
import typer

from email_assistant.cli import (
    catalog,
    contacts,
    cron,
    customers,
    dead_letters,
    doctor,
    evaluate,
    gmail,
    hints,
    incidents,
    ingest,
    journal,
    knowledge,
    mailings,
    memory,
    orders,
    organize,
    refunds,
    report,
    review,
    serving,
    status,
    tickets,
)
from email_assistant.cli.console import complain, visible
from email_assistant.errors import EmailAssistantError
from email_assistant.library_logs import quiet_libraries
from email_assistant.private_files import be_private

app = typer.Typer(
    help="A human-in-the-loop email assistant: it reads, prepares and asks; nothing leaves without your approval.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run", short_help="Start the server, take in mail, show what waits; with samples at first.")(
    serving.run
)
app.command("serve", short_help="Start the server only.")(serving.serve)
app.command("ingest", short_help="Bring mail in, from the mailbox or from files.")(ingest.ingest)
app.add_typer(organize.app, name="organize", short_help="Sort the inbox: a label for each mail.")
app.command("review", short_help="Answer the cards that wait.")(review.review)
app.command("status", short_help="Last processed, waiting, failed, cost.")(status.status)
app.command("report", short_help="One page: who sorted the mail, its status, cost, failures.")(report.report)
app.command("doctor", short_help="Check every setting and how to mend it.")(doctor.doctor)
app.add_typer(cron.app, name="cron", short_help="Look for mail on a schedule: install, list, remove.")
app.add_typer(gmail.app, name="gmail", short_help="Sign in to Google; have new mail announced.")
app.add_typer(memory.app, name="memory", short_help="What it has learned: show, history, edit, restore.")
app.add_typer(
    contacts.app, name="contacts", short_help="People and their details: import, list, show, set, remove."
)
app.add_typer(catalog.app, name="catalog", short_help="What the shop sells: import, show.")
app.add_typer(orders.app, name="orders", short_help="What was taken for orders: list, show.")
app.add_typer(customers.app, name="customers", short_help="Customers and their policies: import, list, show.")
app.add_typer(evaluate.app, name="eval", short_help="The scorecard: how good, how safe, how costly.")
app.add_typer(tickets.app, name="tickets", short_help="Tickets of claims: list, show, close.")
app.add_typer(incidents.app, name="incidents", short_help="What was decided on claims: list.")
app.add_typer(refunds.app, name="refunds", short_help="What was paid back, or is to be: list.")
app.add_typer(knowledge.app, name="knowledge", short_help="What past mail can tell: index, search, forget.")
app.add_typer(mailings.app, name="mailings", short_help="Newsletters: left, asked, failed, kept.")
app.add_typer(hints.app, name="hints", short_help="What you taught about categories: list, forget.")
app.add_typer(
    dead_letters.app, name="dead-letters", short_help="Messages that were given up: list, show, replay."
)
app.add_typer(journal.app, name="journal", short_help="What happened in the runs.")


def main() -> None:
    """Entry point: domain errors and the operating system's become one line on stderr and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # A terminal that lacks a character is no failure.
    # Google's libraries tell every user which versions they will want in years to come.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"google\.")
    # The server's client tells of each connection that it makes again.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"langgraph_sdk\.")
    _log_to_stderr()
    quiet_libraries()
    be_private()
    try:
        app()
    except EmailAssistantError as error:
        complain(str(error))
        sys.exit(1)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)


def _log_to_stderr() -> None:
    """Warnings only, and not among what a command prints: `--json` stays JSON."""
    structlog.configure(
        processors=[_as_line],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        # Asked for at each line: whoever runs a command within a program may change the stream.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _as_line(logger: object, method: str, event: MutableMapping[str, Any]) -> str:
    """A log entry as the commands speak: `email-assistant: waiting for google (seconds 4.0, reason …)`."""
    what = str(event.pop("event")).replace("_", " ")
    told = ", ".join(f"{name} {value}" for name, value in event.items())
    return " ".join(
        visible(f"email-assistant: {what} ({told})" if told else f"email-assistant: {what}").split()
    )

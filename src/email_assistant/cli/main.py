"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2 (130 for Ctrl-C)."""

import sys
from io import TextIOWrapper

import typer

from email_assistant.cli import doctor, ingest, journal, memory, review, serving, status
from email_assistant.cli.console import complain
from email_assistant.errors import EmailAssistantError

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
app.command("review", short_help="Answer the cards that wait.")(review.review)
app.command("status", short_help="Last processed, waiting, failed, cost.")(status.status)
app.command("doctor", short_help="Check every setting and how to mend it.")(doctor.doctor)
app.add_typer(memory.app, name="memory", short_help="What it has learned: show, history, edit, restore.")
app.add_typer(journal.app, name="journal", short_help="What happened in the runs.")


def main() -> None:
    """Entry point: domain errors and the operating system's become one line on stderr and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # A terminal that lacks a character is no failure.
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

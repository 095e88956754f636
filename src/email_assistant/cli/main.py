"""The command line: one small file a command, errors as one line, exit codes 0, 1 and 2."""

import sys

import typer
from rich.console import Console

from email_assistant.cli import doctor, ingest, journal, memory, review, serving, status
from email_assistant.errors import EmailAssistantError

app = typer.Typer(
    help="A human-in-the-loop email assistant: it reads, prepares and asks; nothing leaves without your approval.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(serving.run)
app.command("serve")(serving.serve)
app.command("ingest")(ingest.ingest)
app.command("review")(review.review)
app.command("status")(status.status)
app.command("doctor")(doctor.doctor)
app.add_typer(memory.app, name="memory")
app.add_typer(journal.app, name="journal")


def main() -> None:
    """Entry point: domain errors become one line on stderr and exit code 1."""
    try:
        app()
    except EmailAssistantError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"email-assistant: {error}", markup=False)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

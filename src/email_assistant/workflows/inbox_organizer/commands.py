"""Commands that tell what is on record: `mailings`, `hints`."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.cli.console import JsonOption, container, count, print_list, run_async, say
from email_assistant.errors import InputError
from email_assistant.workflows.inbox_organizer.records.hints import NEEDED, Hint
from email_assistant.workflows.inbox_organizer.services import OrganizerServices
from email_assistant.workflows.inbox_organizer.unsubscribing.requests import Mailing

mailings = typer.Typer(help="Mailings that come in, and what became of leaving them.", no_args_is_help=True)


@mailings.callback()
def _group() -> None:
    """Mailings that come in, and what became of leaving them."""


@mailings.command("list")
def list_mailings(as_json: JsonOption = False) -> None:
    """List each mailing: left, asked to stop, failed (with the reason), kept, or merely coming in; most mail first."""
    found = run_async(OrganizerServices.of(container()).mailings.all())
    nothing = "No mailing is on record: `email-assistant organize` counts them."
    print_list(found, mailing_line, nothing, as_json=as_json)


def mailing_line(mailing: Mailing) -> str:
    """The mailing's state and name, and what is left to the user."""
    number = count(mailing.messages, "mail")
    state = f"{mailing.state.ljust(10)}  {mailing.name} ({mailing.key}): {number}, last {mailing.last_at:%Y-%m-%d}"
    why = f"; {mailing.reason}" if mailing.reason else ""
    return f"{state}{why}{f'; {mailing.next}' if mailing.next else ''}"


hints = typer.Typer(help="What you taught about where mail belongs: list, forget.", no_args_is_help=True)


@hints.command("list")
def list_hints(as_json: JsonOption = False) -> None:
    """List each list or sender whose mail you have sorted yourself; three times in a row make a hint."""
    built = container()
    print_list(
        run_async(OrganizerServices.of(built).category_hints.all(built.mailbox.name)),
        _hint_line,
        "Nothing was taught yet: correct a label's card, and it counts.",
        as_json=as_json,
        plain=lambda hint: asdict(hint) | {"holds": hint.holds},
    )


@hints.command()
def forget(
    key: Annotated[str, typer.Argument(help="As `hints list` shows it, like list:news.example.com.")],
) -> None:
    """Undo what was taught about one list or sender."""
    built = container()
    if not run_async(OrganizerServices.of(built).category_hints.forget(built.mailbox.name, key.strip())):
        raise InputError(f"nothing was taught about {key!r}; `email-assistant hints list` shows what was")
    say(f"Forgotten: {key}")


def _hint_line(hint: Hint) -> str:
    state = "decides" if hint.holds else f"{hint.agreeing} of {NEEDED}"
    return f"{hint.key}  {hint.category}  {state}, since {hint.since:%Y-%m-%d}"

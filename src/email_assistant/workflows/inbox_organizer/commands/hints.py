"""`hints`: what was taught about where mail belongs."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.app import Container
from email_assistant.cli.console import JsonOption, container, print_list, run_async, say
from email_assistant.errors import InputError
from email_assistant.workflows.inbox_organizer.records.hints import NEEDED, Hint
from email_assistant.workflows.inbox_organizer.services import OrganizerServices

app = typer.Typer(help="What you taught about where mail belongs: list, forget.", no_args_is_help=True)


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List each list or sender whose mail you have sorted yourself; three times in a row make a hint."""
    print_list(
        run_async(_hints(container())),
        _line,
        "Nothing was taught yet: correct a label's card, and it counts.",
        as_json=as_json,
        plain=lambda hint: asdict(hint) | {"holds": hint.holds},
    )


@app.command()
def forget(
    key: Annotated[str, typer.Argument(help="As `hints list` shows it, like list:news.example.com.")],
) -> None:
    """Undo what was taught about one list or sender."""
    if not run_async(_forget(container(), key)):
        raise InputError(f"nothing was taught about {key!r}; `email-assistant hints list` shows what was")
    say(f"Forgotten: {key}")


def _line(hint: Hint) -> str:
    state = "decides" if hint.holds else f"{hint.agreeing} of {NEEDED}"
    return f"{hint.key}  {hint.category}  {state}, since {hint.since:%Y-%m-%d}"


async def _hints(built: Container) -> list[Hint]:
    return await OrganizerServices.of(built).category_hints.all(built.mailbox.name)


async def _forget(built: Container, key: str) -> bool:
    return await OrganizerServices.of(built).category_hints.forget(built.mailbox.name, key.strip())

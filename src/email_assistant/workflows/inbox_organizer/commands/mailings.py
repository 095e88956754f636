"""`mailings`: which mailings come in, and what became of leaving them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer

from email_assistant.cli.console import JsonOption, container, count, print_list, run_async

if TYPE_CHECKING:  # Slow to import; each is imported where it is built.
    from email_assistant.app import Container
    from email_assistant.workflows.inbox_organizer.unsubscribing.mailings import Mailing

app = typer.Typer(help="Mailings that come in, and what became of leaving them.", no_args_is_help=True)
OF_INTEREST = ("left", "asked", "failed", "kept")


@app.callback()
def mailings() -> None:
    """Mailings that come in, and what became of leaving them."""


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List each mailing: left, asked to stop, failed (with the reason), kept, or merely coming in; most mail first."""
    from email_assistant.workflows.inbox_organizer.services import OrganizerServices

    found = run_async(OrganizerServices.of(container()).mailings.all())
    nothing = "No mailing is on record: `email-assistant organize` counts them."
    print_list(found, in_a_line, nothing, as_json=as_json)


def in_a_line(mailing: Mailing) -> str:
    """Its state, its name, and what is left to the user."""
    number = count(mailing.messages, "mail")
    told = f"{mailing.state.ljust(10)}  {mailing.name} ({mailing.key}): {number}, last {mailing.last_at:%Y-%m-%d}"
    why = f"; {mailing.reason}" if mailing.reason else ""
    return f"{told}{why}{f'; {mailing.next}' if mailing.next else ''}"


async def mailing_facts(built: Container) -> dict[str, object]:
    """How many were left, asked, failed and kept; those that failed with the reason."""
    from email_assistant.workflows.inbox_organizer.services import OrganizerServices

    found = await OrganizerServices.of(built).mailings.all()
    counts = Counter[str](each.state for each in found)
    failed = [{"name": each.name, "key": each.key, "reason": each.reason, "next": each.next}
              for each in found if each.state == "failed"]  # fmt: skip
    return {**{state: counts[state] for state in OF_INTEREST}, "failures": failed}

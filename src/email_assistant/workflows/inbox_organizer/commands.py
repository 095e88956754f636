"""Commands: `organize`, and what is on record, `mailings` and `hints`."""

from dataclasses import asdict
from typing import Annotated

import typer

from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    account_deps,
    count,
    group,
    print_json,
    print_list,
    run_async,
    say,
)
from email_assistant.cli.ingest import instant_of, take_in
from email_assistant.errors import InputError
from email_assistant.ingest.look import parse_look
from email_assistant.workflows.inbox_organizer.records.hints import NEEDED, CategoryHints, Hint
from email_assistant.workflows.inbox_organizer.status import GRAPH
from email_assistant.workflows.inbox_organizer.unsubscribing.requests import Mailing, Mailings

BATCH = 100


def organize(
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"At most this many new messages; {BATCH} when left out, or all with --backfill."
        ),
    ] = None,
    backfill: Annotated[
        bool,
        typer.Option(
            "--backfill", help="The whole inbox, read mail included; goes on where it was broken off."
        ),
    ] = False,
    after: Annotated[
        str | None, typer.Option(help="Only mail received at or after this day or time.")
    ] = None,
    before: Annotated[str | None, typer.Option(help="Only mail received before this day or time.")] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give each unread mail of the inbox its category's label, oldest first; a card asks where that is not certain.

    What is known is skipped, so the command can be repeated, and broken off, at any time.
    """
    deps = account_deps()
    look = parse_look({
        "after": instant_of("--after", after, deps),
        # With an end the whole inbox is looked at, not only what came in since the last time.
        "before": instant_of("--before", before, deps) or deps.clock.now(),
        "limit": limit if limit or backfill else BATCH,
        "backfill": backfill,
    })  # fmt: skip
    counts, _ = run_async(take_in(deps, None, url, look, GRAPH, as_json))
    if as_json:
        print_json(counts)


mailings = group("Mailings that come in, and what became of leaving them.")


@mailings.command("list")
def list_mailings(as_json: JsonOption = False) -> None:
    """List each mailing: left, asked to stop, failed (with the reason), kept, or merely coming in; most mail first."""
    found = run_async(Mailings.of(account_deps()).all())
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
    deps = account_deps()
    print_list(
        run_async(CategoryHints(deps.database, deps.clock).all(deps.mailbox.name)),
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
    deps = account_deps()
    if not run_async(CategoryHints(deps.database, deps.clock).forget(deps.mailbox.name, key.strip())):
        raise InputError(f"nothing was taught about {key!r}; `email-assistant hints list` shows what was")
    say(f"Forgotten: {key}")


def _hint_line(hint: Hint) -> str:
    state = "decides" if hint.holds else f"{hint.agreeing} of {NEEDED}"
    return f"{hint.key}  {hint.category}  {state}, since {hint.since:%Y-%m-%d}"

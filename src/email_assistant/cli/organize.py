"""`organize`: sort the inbox."""

from datetime import datetime
from typing import Annotated

import typer

from email_assistant.bootstrap import House
from email_assistant.cli.console import JsonOption, UrlOption, client_for, house, print_json, run_async
from email_assistant.cli.ingest import ingest_inbox, instant_of
from email_assistant.graphs.ingest.look import Look

GRAPH = "inbox_organizer"
BATCH = 100


def organize(
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"At most this many new messages; {BATCH} when left out, all with --backfill."
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
    built = house()
    look = _look(
        built, limit, backfill, instant_of("--after", after, built), instant_of("--before", before, built)
    )
    counts = run_async(ingest_inbox(built, client_for(built, url), look, graph=GRAPH, quiet=as_json))
    if as_json:
        print_json({str(name): number for name, number in counts.items()})


def _look(
    built: House, limit: int | None, backfill: bool, after: datetime | None, before: datetime | None
) -> Look:
    if backfill:
        return Look(backfill=True, after=after, before=before, limit=limit)
    # With an end the whole inbox is looked at, not only what came in since the last time.
    return Look(after=after, before=before or built.clock.now(), limit=limit or BATCH)

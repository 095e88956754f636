"""`organize`: sort the inbox."""

from typing import Annotated

import typer

from email_assistant.cli.console import JsonOption, UrlOption, container, print_json, run_async
from email_assistant.cli.ingest import instant_of, take_in
from email_assistant.ingest.look import parse_look
from email_assistant.workflows.inbox_organizer.records.sorting import GRAPH

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
    built = container()
    look = parse_look({
        "after": instant_of("--after", after, built),
        # With an end the whole inbox is looked at, not only what came in since the last time.
        "before": instant_of("--before", before, built) or built.clock.now(),
        "limit": limit if limit or backfill else BATCH,
        "backfill": backfill,
    })  # fmt: skip
    counts, _ = run_async(take_in(built, None, url, look, GRAPH, as_json))
    if as_json:
        print_json(counts)

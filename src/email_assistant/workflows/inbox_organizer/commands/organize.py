"""`organize`: sort the inbox."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer
from langgraph_sdk.client import LangGraphClient

from email_assistant.app import Container
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    container,
    print_json,
    run_async,
    say,
)
from email_assistant.cli.dead_letters import tell_failing
from email_assistant.cli.ingest import RECENTLY, instant_of, journaled_look, look_told
from email_assistant.cli.progress import Pace, shown_pace
from email_assistant.ingest.budget import LIMIT_OPTION, Budget
from email_assistant.ingest.ingestion import Tally
from email_assistant.ingest.look import Look
from email_assistant.ingest.window import plenty
from email_assistant.journal.failing import failing_since
from email_assistant.workflows.inbox_organizer.commands import backfill as backfills
from email_assistant.workflows.inbox_organizer.records.organizer_mail import GRAPH

BATCH = 100

app = typer.Typer(invoke_without_command=True)


def _dollars(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(0)
    if not amount.is_finite() or not 0 < amount < 10**9:
        raise typer.BadParameter(f"{text!r} is no amount of US dollars above 0, like 2.50")
    return text


CostLimitOption = Annotated[
    str | None,
    typer.Option(
        LIMIT_OPTION,
        help="Stop when the models have cost so many US dollars; mail in work is finished.",
        metavar="DOLLARS",
        callback=_dollars,
    ),
]


@app.callback()
def organize(
    context: typer.Context,
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"At most this many new messages; {BATCH} when left out.")
    ] = None,
    backfill: Annotated[
        bool,
        typer.Option(
            "--backfill",
            help="The whole inbox, read mail included, in chunks; run it in several terminals to share the work.",
        ),
    ] = False,
    after: Annotated[
        str | None, typer.Option(help="Only mail received at or after this day or time.")
    ] = None,
    before: Annotated[str | None, typer.Option(help="Only mail received before this day or time.")] = None,
    cost_limit: CostLimitOption = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give each unread mail of the inbox its category's label, oldest first; a card asks where that is not certain.

    What is known is skipped, so the command can be repeated, and broken off, at any time. A backfill goes on where it
    was broken off; `pause`, `resume`, `cancel` and `progress` are about the one that is under way.
    """
    if context.invoked_subcommand:
        return
    if backfill and limit is not None:
        raise typer.BadParameter("--limit does not go with --backfill: choose one, or use --cost-limit")
    built = container()
    since, until = instant_of("--after", after, built), instant_of("--before", before, built)
    limit_usd = None if cost_limit is None else Decimal(cost_limit)
    client = client_for(built, url)
    if backfill:
        run_async(backfills.start(built, client, since, until, limit_usd, quiet=as_json))
        return
    look = _look(built, limit, since, until)
    tally = run_async(_organize(built, client, look, limit_usd, quiet=as_json))
    if as_json:
        print_json({str(name): number for name, number in tally.counts.items()})


@app.command()
def pause() -> None:
    """Let every worker of the backfill stop after the mail it has in work."""
    run_async(backfills.pause(container()))


@app.command()
def resume(cost_limit: CostLimitOption = None, url: UrlOption = None, as_json: JsonOption = False) -> None:
    """Go on with the backfill, and work on it here."""
    built = container()
    limit_usd = None if cost_limit is None else Decimal(cost_limit)
    run_async(backfills.resume(built, client_for(built, url), limit_usd, quiet=as_json))


@app.command()
def cancel() -> None:
    """End the backfill where it is; what was sorted stays sorted."""
    run_async(backfills.cancel(container()))


@app.command()
def progress(as_json: JsonOption = False) -> None:
    """Show how far the backfill has come, and what it has cost."""
    run_async(backfills.show(container(), as_json=as_json))


async def _organize(
    built: Container, client: LangGraphClient, look: Look, limit_usd: Decimal | None, *, quiet: bool
) -> Tally:
    began = built.clock.now()
    await built.recovery(client).recover(built.clock.now() - RECENTLY)
    budget = Budget(built.spending(GRAPH), built.clock.now(), limit_usd)
    with shown_pace("Sorting mail", quiet) as show:
        pace = Pace()

        def settled(ids: Sequence[str]) -> None:
            budget.settled(ids)
            show(pace.at(len(budget.ids), cost_usd=budget.spent.cost_usd if limit_usd else None))

        room = plenty if limit_usd is None else budget.room
        tally = await journaled_look(built, client, look, GRAPH, settled, room)
    if not quiet:
        tell_failing(await failing_since(built.database, began))
        say(await look_told(built, tally, began))
        cost = (await budget.spending.on(budget.ids, budget.since)).cost_usd
        if tally.no_room:
            say(
                f"Stopped: {cost:.4f} of {limit_usd} US dollars are used up; the rest comes with the next run."
            )
    await built.database.close()
    return tally


def _look(built: Container, limit: int | None, after: datetime | None, before: datetime | None) -> Look:
    # With an end the whole inbox is looked at, not only what came in since the last time.
    return Look(after=after, before=before or built.clock.now(), limit=limit or BATCH)

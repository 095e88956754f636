"""`ingest`: bring mail in."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.bootstrap import House
from email_assistant.cli.console import client_for, err, house, out, print_json, run_async
from email_assistant.graphs.ingest.starter import Result, Starter
from email_assistant.mail.mailbox import MailQuery

UrlOption = Annotated[str | None, typer.Option(help="The server; http://127.0.0.1:2024 when left out.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

WORDS: dict[Result, str] = {
    "started": "taken up",
    "known": "known already",
    "own": "answered by you already",
    "superseded": "older than another of the same conversation",
    "failed": "failed (see `email-assistant status`)",
}


def ingest(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="An mbox file, an .eml file, a folder of .eml files, or a Maildir to import first."
        ),
    ] = None,
    url: UrlOption = None,
    include_read: Annotated[
        bool, typer.Option("--include-read", help="Also messages that are read already.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many messages.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Import PATH into the local mailbox, if given, then start a run for each new conversation; known mail is skipped."""
    built = house()
    counts = run_async(_ingest(built, path, url, include_read, limit, as_json))
    if as_json:
        print_json(counts)
    if counts.get("failed"):
        raise typer.Exit(1)


async def _ingest(
    built: House, path: Path | None, url: str | None, include_read: bool, limit: int | None, quiet: bool
) -> dict[str, int]:
    imported: dict[str, int] = {}
    if path is not None:
        results = [(await deliver(built.local_mailbox, raw))[1] for raw in read_source(path)]
        imported = {"imported": sum(results), "already_there": len(results) - sum(results)}
        if not quiet:
            out.print(
                f"Imported {imported['imported']} messages; {imported['already_there']} were there already."
            )
    counts = await ingest_inbox(built, url, include_read=include_read, limit=limit, quiet=quiet)
    return imported | {str(name): number for name, number in counts.items()}


async def ingest_inbox(
    built: House, url: str | None, *, include_read: bool, limit: int | None, quiet: bool
) -> dict[Result, int]:
    """Start runs for what is new in the inbox, with a progress bar, and say what became of it."""
    client = client_for(built, url)
    await client.assistants.search(
        graph_id="email_assistant", limit=1
    )  # Is the server there, and is the key right?
    starter = Starter(
        client, built.mailbox, built.mail_log, "email_assistant", built.settings.own_addresses, built.clock
    )
    ids = await starter.new_messages(MailQuery(unread_only=not include_read, limit=limit))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as progress:
        task = progress.add_task("Reading mail", total=len(ids))
        counts = await starter.start_all(ids, lambda _: progress.advance(task))
    if not quiet:
        told = ", ".join(f"{number} {WORDS[name]}" for name, number in counts.items()) or "nothing new"
        out.print(f"Mail: {told}.")
    await built.database.close()
    return counts

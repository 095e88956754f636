"""`ingest`: bring mail in."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.bootstrap import House
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    err,
    house,
    print_json,
    run_async,
    say,
)
from email_assistant.errors import ProviderError
from email_assistant.graphs.ingest.starter import Result, Starter
from email_assistant.mail.mailbox import MailQuery

WORDS: dict[Result, str] = {
    "started": "taken up",
    "known": "known already",
    "own": "answered by you already",
    "superseded": "older than another of the same conversation",
    "failed": "failed",
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
    counts = run_async(_ingest(house(), path, url, include_read, limit, as_json))
    if as_json:
        print_json(counts)
    if failed := counts.get("failed"):
        raise ProviderError(
            f"{failed} failed: `email-assistant status` says why, `ingest` tries nothing twice"
        )


async def _ingest(
    built: House, path: Path | None, url: str | None, include_read: bool, limit: int | None, quiet: bool
) -> dict[str, int]:
    source = read_source(path) if path is not None else None
    await _check_server(built, url)  # Before anything is imported: a command that fails has done nothing.
    imported = await _import(built, source, quiet) if source is not None else {}
    counts = await ingest_inbox(built, url, include_read=include_read, limit=limit, quiet=quiet)
    return imported | {str(name): number for name, number in counts.items()}


async def _check_server(built: House, url: str | None) -> None:
    await client_for(built, url).assistants.search(graph_id="email_assistant", limit=1)


async def _import(built: House, source: Iterator[bytes], quiet: bool) -> dict[str, int]:
    new = there = 0
    with _progress(quiet) as progress:
        task = progress.add_task("Importing", total=None)
        for raw in source:
            _, is_new = await deliver(built.local_mailbox, raw)
            new, there = new + is_new, there + (not is_new)
            progress.advance(task)
    if not quiet:
        say(f"Imported {new} {'message' if new == 1 else 'messages'}; {there} were there already.")
    return {"imported": new, "already_there": there}


async def ingest_inbox(
    built: House, url: str | None, *, include_read: bool, limit: int | None, quiet: bool
) -> dict[Result, int]:
    """Start runs for what is new in the inbox, with a progress bar, and say what became of it."""
    client = client_for(built, url)
    await _check_server(built, url)
    starter = Starter(
        client, built.mailbox, built.mail_log, "email_assistant", built.settings.own_addresses, built.clock
    )
    ids = await starter.new_messages(MailQuery(unread_only=not include_read, limit=limit))
    with _progress(quiet) as progress:
        task = progress.add_task("Reading mail", total=len(ids))
        counts = await starter.start_all(ids, lambda _: progress.advance(task))
    counts = {name: number for name, number in counts.items() if number}
    if not quiet:
        told = ", ".join(f"{number} {WORDS[name]}" for name, number in counts.items()) or "nothing new"
        say(f"Mail: {told}.")
    await built.database.close()
    return counts


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    """A bar on stderr, on a terminal only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, disable=quiet or not err.is_terminal, transient=True) as progress:
        yield progress

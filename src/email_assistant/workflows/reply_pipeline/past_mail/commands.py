"""`knowledge index`, `search` and `forget`: past mail that answers are drawn from."""

from collections import Counter
from typing import Annotated

import typer

from email_assistant.app.assistant import AppDeps
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    app_deps,
    client_for,
    count,
    print_json,
    run_async,
    say,
)
from email_assistant.cli.ingest import instant_of
from email_assistant.cli.progress import shown_progress
from email_assistant.errors import InputError
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.knowledge.similarity import THRESHOLD, words_of
from email_assistant.mail.mailbox import MailQuery
from email_assistant.workflows.reply_pipeline.past_mail.item import Item
from email_assistant.workflows.reply_pipeline.past_mail.knowledge import Indexing, Knowledge

app = typer.Typer(help="What past mail can tell: index, search, forget.", no_args_is_help=True)
SHOWN = 10
_EXCERPT = 160
_WORDS = {
    "added": "new",
    "unchanged": "known already",
    "in_doubt": "left out because their sender is in doubt",
    "list_mail": "left out as mail of lists and programs",
    "no_words": "without words",
    "unreadable": "unreadable conversations",
}


@app.command()
def index(
    after: Annotated[
        str | None, typer.Option(help="Only conversations with mail received at or after this day or time.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(help="Only conversations with mail received before this day or time.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many mails of the inbox.")] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the past into the server's store: the inbox's conversations, with the answers you sent.

    What is known is skipped, so the command can be repeated, and broken off, at any time.
    """
    deps = app_deps()
    query = MailQuery(
        after=instant_of("--after", after, deps), before=instant_of("--before", before, deps), limit=limit
    )
    counts = run_async(_index(deps, url, query, quiet=as_json))
    if as_json:
        print_json({name: counts[name] for name in _WORDS})
        return
    summary = ", ".join(f"{counts[name]:,} {words}" for name, words in _WORDS.items() if counts[name])
    say(f"Past mail: {summary or 'there is none'}.")


@app.command()
def search(
    words: Annotated[str, typer.Argument(help="What a mail could be about.")],
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what would be found for these words, with scores and sources; what lies below the threshold is not used."""
    if not words_of(words):
        raise InputError(f"words: {words!r} has no words to look for")
    deps = app_deps()
    store = ServedStore(client_for(deps, url))
    found = run_async(Knowledge.of(deps).find(store, words, limit=SHOWN, least=0.0))
    if as_json:
        print_json([one.as_json() | {"used": one.score >= THRESHOLD} for one in found])
        return
    for one in found:
        used = "" if one.score >= THRESHOLD else f"  (below {THRESHOLD}: not used)"
        say(f"{one.score:.2f}  {_described(one.source)}{used}", "bold")
        for item in (one.mail, one.answer):
            if item:
                say(f"      {'you' if item.role == 'ours' else 'they'} wrote: {_excerpt(item)}")
    if not found:
        say("Nothing was found. `email-assistant knowledge index` brings past mail in.")


@app.command()
def forget(url: UrlOption = None) -> None:
    """Empty the store of this mailbox's past mail; the mailbox itself is not touched."""
    deps = app_deps()
    number = run_async(Knowledge.of(deps).forget(ServedStore(client_for(deps, url))))
    say(f"Forgotten: {count(number, 'message')}.")


async def _index(deps: AppDeps, url: str | None, query: MailQuery, *, quiet: bool) -> Counter[str]:
    client = client_for(deps, url)
    # Before the mailbox is read: a command that fails has done nothing.
    await client.assistants.search(limit=1)
    counts: Counter[str] = Counter()
    with shown_progress("Reading past mail", quiet) as show:
        async for some in Indexing.of(deps, client).run(ServedStore(client), query):
            counts += some
            show(counts.total())
    await deps.database.close()
    return counts


def _described(item: Item) -> str:
    when = item.date[:10] or "no date"
    return f"{when}  {item.sender or 'unknown sender'}  {item.subject or '(no subject)'}"


def _excerpt(item: Item) -> str:
    line = " ".join(item.text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]} …"

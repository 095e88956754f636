"""`knowledge`: past mail, and documents of a company, that answers are drawn from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from email_assistant.adapters.document_folder import DocumentFolder, read_folder
from email_assistant.app import Container
from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    container,
    count,
    print_json,
    print_list,
    run_async,
    say,
)
from email_assistant.cli.ingest import instant_of
from email_assistant.cli.progress import Pace, shown_pace
from email_assistant.errors import InputError
from email_assistant.knowledge.document_import import ImportedDocuments, ListedDocument
from email_assistant.knowledge.item import Item
from email_assistant.knowledge.knowledge import FoundMail
from email_assistant.knowledge.lexical import words_of
from email_assistant.knowledge.score import THRESHOLD
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.knowledge.visibility import Space, public_space, role_space
from email_assistant.mail.mailbox import MailQuery

app = typer.Typer(
    help="What answers are drawn from: past mail (index, search, forget), and documents of a company (import, documents, "
    "forget-documents).",
    no_args_is_help=True,
)
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
TOLD = 20
"""Files that are told by name; the others are counted."""

TenantOption = Annotated[str, typer.Option(metavar="TENANT", help="Whose documents: a-z, 0-9 and -.")]
RoleOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE", help="The role that alone may see them; everybody of the tenant when left out."
    ),
]


@app.command("import")
def import_(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder with Markdown, HTML and PDF files.")
    ],
    tenant: TenantOption,
    role: RoleOption = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out files that cannot be read, and import the others.")
    ] = False,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the documents of a folder those of a tenant, or of one of its roles, instead of the ones before.

    What did not change is not embedded again; what is no longer in the folder is removed. All of it counts at once, at the end.
    """
    space = _space(tenant, role)
    built = container()
    found = read_folder(folder.expanduser())
    if found.flaws and not skip_bad:
        raise InputError(_refusal(found.flaws))
    if not found.documents:
        raise InputError(
            f"{folder}: holds no document; `knowledge forget-documents` removes those that are known"
        )
    done = run_async(_import(built, url, space, found))
    if as_json:
        left_out = {"left_out": [*found.flaws, *found.others]}
        print_json({"tenant": tenant, "visibility": space[3]} | asdict(done) | left_out)
        return
    say(
        f"{tenant}, {space[3]}: {done.new:,} new, {done.changed:,} changed, {done.same:,} unchanged, "
        f"{done.removed:,} removed; {count(done.chunks, 'chunk')} embedded."
    )
    _say_some("Left out, as they cannot be read:", found.flaws)
    _say_some("Left out, as they are neither Markdown nor HTML nor PDF:", found.others)


@app.command("documents")
def list_documents(
    tenant: Annotated[str | None, typer.Option(metavar="TENANT", help="Only this tenant's.")] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents that are known."""
    if tenant is not None:
        public_space(tenant)
    found = run_async(_list_documents(container(), url, tenant))
    print_list(
        found,
        lambda one: f"{one.tenant}  {one.visibility}  {one.name}  {count(one.chunks, 'chunk')}",
        "There are no documents: `knowledge import DIR --tenant TENANT`.",
        as_json=as_json,
    )


@app.command("forget-documents")
def forget_documents(tenant: TenantOption, role: RoleOption = None, url: UrlOption = None) -> None:
    """Remove a tenant's public documents, or those of one of its roles; the files are not touched."""
    space = _space(tenant, role)
    number = run_async(_forget_documents(container(), url, space))
    say(f"{tenant}, {space[3]}: {count(number, 'document')} removed.")


def _space(tenant: str, role: str | None) -> Space:
    # An empty --role, as of a variable that is not set, is a wrong name: it makes nothing public.
    return public_space(tenant) if role is None else role_space(tenant, role)


async def _import(
    built: Container, url: str | None, space: Space, found: DocumentFolder
) -> ImportedDocuments:
    store = ServedStore(client_for(built, url))
    return await built.document_import.replace(store, space, found.documents)


async def _list_documents(built: Container, url: str | None, tenant: str | None) -> list[ListedDocument]:
    return await built.document_import.listed(ServedStore(client_for(built, url)), tenant)


async def _forget_documents(built: Container, url: str | None, space: Space) -> int:
    return await built.document_import.forget(ServedStore(client_for(built, url)), space)


def _refusal(flaws: Sequence[str]) -> str:
    told = "; ".join(flaws[:3])
    more = f"; and {len(flaws) - 3} more" if len(flaws) > 3 else ""
    return f"nothing was imported: {told}{more} (--skip-bad leaves them out)"


def _say_some(title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    say(title)
    for line in lines[:TOLD]:
        say(f"  {line}")
    if len(lines) > TOLD:
        say(f"  and {len(lines) - TOLD} more")


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
    built = container()
    query = MailQuery(
        after=instant_of("--after", after, built), before=instant_of("--before", before, built), limit=limit
    )
    counts = run_async(_index(built, url, query, quiet=as_json))
    if as_json:
        print_json({name: counts[name] for name in _WORDS})
        return
    told = ", ".join(f"{counts[name]:,} {words}" for name, words in _WORDS.items() if counts[name])
    say(f"Past mail: {told or 'there is none'}.")


@app.command()
def search(
    words: Annotated[str, typer.Argument(help="What a mail could be about.")],
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what would be found for these words, with scores and sources; what lies below the threshold is not used."""
    if not words_of(words):
        raise InputError(f"words: {words!r} has no words to look for")
    found = run_async(_search(container(), url, words))
    if as_json:
        print_json([one.as_json() | {"used": one.score >= THRESHOLD} for one in found])
        return
    for one in found:
        used = "" if one.score >= THRESHOLD else f"  (below {THRESHOLD}: not used)"
        say(f"{one.score:.2f}  {_told(one.source)}{used}", "bold")
        for item in (one.mail, one.answer):
            if item:
                say(f"      {'you' if item.role == 'ours' else 'they'} wrote: {_excerpt(item)}")
    if not found:
        say("Nothing was found. `email-assistant knowledge index` brings past mail in.")


@app.command()
def forget(url: UrlOption = None) -> None:
    """Empty the store of this mailbox's past mail; the mailbox itself is not touched."""
    number = run_async(_forget(container(), url))
    say(f"Forgotten: {count(number, 'message')}.")


async def _index(built: Container, url: str | None, query: MailQuery, *, quiet: bool) -> Counter[str]:
    client = client_for(built, url)
    # Before the mailbox is read: a command that fails has done nothing.
    await client.assistants.search(limit=1)
    counts: Counter[str] = Counter()
    with shown_pace("Reading past mail", quiet) as show:
        pace = Pace()
        async for some in built.indexing(client).run(ServedStore(client), query):
            counts += some
            show(pace.at(counts.total()))
    await built.database.close()
    return counts


async def _search(built: Container, url: str | None, words: str) -> list[FoundMail]:
    return await built.knowledge.find(ServedStore(client_for(built, url)), words, limit=SHOWN, least=0.0)


async def _forget(built: Container, url: str | None) -> int:
    return await built.knowledge.forget(ServedStore(client_for(built, url)))


def _told(item: Item) -> str:
    when = item.date[:10] or "no date"
    return f"{when}  {item.sender or 'unknown sender'}  {item.subject or '(no subject)'}"


def _excerpt(item: Item) -> str:
    line = " ".join(item.text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]} …"

"""`knowledge import`, `documents`, `forget-documents`: documents of a company that answers cite."""

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
    print_json,
    run_async,
    say,
)
from email_assistant.errors import InputError
from email_assistant.knowledge.document_import import ImportedDocuments, ListedDocument
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.knowledge.visibility import Space, public_space, role_space

TOLD = 20
"""Files that are told by name; the others are counted."""

TenantOption = Annotated[str, typer.Option(metavar="TENANT", help="Whose documents: a-z, 0-9 and -.")]
RoleOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE", help="The role that alone may see them; everybody of the tenant when left out."
    ),
]


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
    embedded = f"{done.chunks:,} {'chunk' if done.chunks == 1 else 'chunks'} embedded"
    say(
        f"{tenant}, {space[3]}: {done.new:,} new, {done.changed:,} changed, {done.same:,} unchanged, "
        f"{done.removed:,} removed; {embedded}."
    )
    _say_some("Left out, as they cannot be read:", found.flaws)
    _say_some("Left out, as they are neither Markdown nor HTML nor PDF:", found.others)


def list_(
    tenant: Annotated[str | None, typer.Option(metavar="TENANT", help="Only this tenant's.")] = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the documents that are known."""
    if tenant is not None:
        public_space(tenant)
    found = run_async(_list(container(), url, tenant))
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        chunks = f"{one.chunks:,} {'chunk' if one.chunks == 1 else 'chunks'}"
        say(f"{one.tenant}  {one.visibility}  {one.name}  {chunks}")
    if not found:
        say("There are no documents: `knowledge import DIR --tenant TENANT`.")


def forget(tenant: TenantOption, role: RoleOption = None, url: UrlOption = None) -> None:
    """Remove a tenant's public documents, or those of one of its roles; the files are not touched."""
    space = _space(tenant, role)
    number = run_async(_forget(container(), url, space))
    say(f"{tenant}, {space[3]}: {number:,} {'document' if number == 1 else 'documents'} removed.")


def _space(tenant: str, role: str | None) -> Space:
    # An empty --role, as of a variable that is not set, is a wrong name: it makes nothing public.
    return public_space(tenant) if role is None else role_space(tenant, role)


async def _import(
    built: Container, url: str | None, space: Space, found: DocumentFolder
) -> ImportedDocuments:
    store = ServedStore(client_for(built, url))
    return await built.document_import.replace(store, space, found.documents)


async def _list(built: Container, url: str | None, tenant: str | None) -> list[ListedDocument]:
    return await built.document_import.listed(ServedStore(client_for(built, url)), tenant)


async def _forget(built: Container, url: str | None, space: Space) -> int:
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

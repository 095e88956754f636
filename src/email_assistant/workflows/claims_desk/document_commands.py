"""`knowledge import`, `documents` and `forget-documents`: documents of a company that answers are drawn from."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from email_assistant.cli.console import (
    JsonOption,
    UrlOption,
    client_for,
    count,
    journal_deps,
    print_json,
    print_list,
    run_async,
    say,
)
from email_assistant.errors import InputError
from email_assistant.knowledge.embedding import Embedder
from email_assistant.knowledge.served_store import ServedStore
from email_assistant.workflows.claims_desk.document_import import DocumentImport
from email_assistant.workflows.claims_desk.document_store import Space, public_space, role_space
from email_assistant.workflows.claims_desk.documents.reading import read_folder

app = typer.Typer(help="Documents of a company that answers are drawn from.", no_args_is_help=True)
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
    deps = journal_deps()
    found = read_folder(folder.expanduser())
    if found.flaws and not skip_bad:
        raise InputError(_refusal(found.flaws))
    if not found.documents:
        raise InputError(
            f"{folder}: holds no document; `knowledge forget-documents` removes those that are known"
        )
    store = ServedStore(client_for(deps, url))
    done = run_async(
        DocumentImport(Embedder.of(deps.settings, embeds_here=False)).replace(store, space, found.documents)
    )
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
    deps = journal_deps()
    found = run_async(
        DocumentImport(Embedder.of(deps.settings, embeds_here=False)).listed(
            ServedStore(client_for(deps, url)), tenant
        )
    )
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
    deps = journal_deps()
    number = run_async(
        DocumentImport(Embedder.of(deps.settings, embeds_here=False)).forget(
            ServedStore(client_for(deps, url)), space
        )
    )
    say(f"{tenant}, {space[3]}: {count(number, 'document')} removed.")


def _space(tenant: str, role: str | None) -> Space:
    # An empty --role, as of a variable that is not set, is a wrong name: it makes nothing public.
    return public_space(tenant) if role is None else role_space(tenant, role)


def _refusal(flaws: Sequence[str]) -> str:
    some = "; ".join(flaws[:3])
    more = f"; and {len(flaws) - 3} more" if len(flaws) > 3 else ""
    return f"nothing was imported: {some}{more} (--skip-bad leaves them out)"


def _say_some(title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    say(title)
    for line in lines[:TOLD]:
        say(f"  {line}")
    if len(lines) > TOLD:
        say(f"  and {len(lines) - TOLD} more")

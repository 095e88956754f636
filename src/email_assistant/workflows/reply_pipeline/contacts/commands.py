"""`contacts`: people and their details."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, cast

import typer

from email_assistant.cli.console import (
    JsonOption,
    LimitOption,
    journal_deps,
    print_json,
    print_list,
    print_rows,
    run_async,
    say,
)
from email_assistant.errors import InputError
from email_assistant.mail.table import UTF8
from email_assistant.workflows.reply_pipeline.contacts.files import ContactFile
from email_assistant.workflows.reply_pipeline.records.contacts import (
    LIMITS,
    Contact,
    ContactFields,
    Contacts,
    contact_address,
)

PAGE = 100

app = typer.Typer(
    help="People and their details: import them from a file, list, show, set, remove.", no_args_is_help=True
)
AddressArgument = Annotated[str, typer.Argument(metavar="ADDRESS", help="Like ana@example.com.")]


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="CSV of Google, Outlook, Thunderbird, or your own."),
    ],
    encoding: Annotated[
        str, typer.Option(help="The file's encoding when it is not UTF-8, like cp1252.", show_default=False)
    ] = UTF8,
) -> None:
    """Bring contacts in from a file, all or none; what it leaves empty stays as it was."""
    source = ContactFile(file.expanduser(), encoding)
    found = run_async(_contacts().import_all(source.contacts()))
    say(f"{file.name}: {found.new} new, {found.changed} changed, {found.same} known already.")
    if source.without_address:
        say(f"Left out, as they have no email address: {source.without_address}.")


@app.command("list")
def list_(
    text: Annotated[
        str | None, typer.Argument(help="Only those in which these words stand, in any field.")
    ] = None,
    limit: LimitOption = PAGE,
    after: Annotated[str, typer.Option(help="Go on behind this address.", show_default=False)] = "",
    as_json: JsonOption = False,
) -> None:
    """List the contacts in the order of their addresses."""
    if text is not None and after:
        raise typer.BadParameter("--after goes on in the whole list; with words, give a higher --limit")
    contacts = _contacts()
    listed = contacts.list(limit + 1, after) if text is None else contacts.search(text, limit + 1)
    print_list(
        run_async(listed),
        _line,
        "No contact is found." if text or after else "There are no contacts: `contacts import FILE`.",
        as_json=as_json,
        limit=limit,
        more=lambda last: f"--after {last.address}" if text is None else "a higher --limit",
    )


@app.command()
def show(address: AddressArgument, as_json: JsonOption = False) -> None:
    """Show everything about one contact."""
    found = run_async(_contacts().get(address))
    if found is None:
        raise InputError(_nobody(address))
    if as_json:
        print_json(asdict(found))
        return
    rows = {"address": found.address} | {name: getattr(found, name) for name in LIMITS if name != "notes"}
    rows |= {"tags": ", ".join(found.tags), "source": found.source}
    print_rows(rows | {"updated": f"{found.updated_at:%Y-%m-%d %H:%M} UTC", "notes": found.notes})


@app.command("set")
def set_(
    address: AddressArgument,
    name: Annotated[str | None, typer.Option(help="The person's name.")] = None,
    organisation: Annotated[str | None, typer.Option(help="Where they work.")] = None,
    phone: Annotated[str | None, typer.Option(help="A telephone number.")] = None,
    role: Annotated[str | None, typer.Option(help="What they do there.")] = None,
    notes: Annotated[str | None, typer.Option(help="Anything else, of several lines if need be.")] = None,
    tags: Annotated[
        str | None, typer.Option(help="Separated by commas; they take the place of the old.")
    ] = None,
) -> None:
    """Change details of a contact, or make one; an empty text takes a detail away."""
    given = {"name": name, "organisation": organisation, "phone": phone, "role": role, "notes": notes}
    wanted = cast(ContactFields, {field: value for field, value in given.items() if value is not None})
    if tags is not None:
        wanted["tags"] = tags.split(",")
    if not wanted:
        raise typer.BadParameter("say what to set, like --name 'Ana Petrova'")
    say(_line(run_async(_contacts().upsert(address, wanted, source="by hand"))))


@app.command()
def remove(address: AddressArgument) -> None:
    """Forget a contact."""
    if not run_async(_contacts().remove(address)):
        raise InputError(_nobody(address))
    say(f"Removed: {contact_address(address)}")


def _contacts() -> Contacts:
    return Contacts(journal_deps().database, journal_deps().clock)


def _line(contact: Contact) -> str:
    details = (contact.name, contact.role, contact.organisation, contact.phone)
    about = ", ".join(filter(None, details))
    tags = f"  [{', '.join(contact.tags)}]" if contact.tags else ""
    return f"{contact.address}  {about}{tags}".rstrip()


def _nobody(address: str) -> str:
    return (
        f"no contact has the address {contact_address(address)}; `email-assistant contacts list` lists them"
    )

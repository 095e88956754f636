"""A contact: what is known about the person behind an address, checked and of bounded size."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict

from email_assistant.errors import InputError
from email_assistant.journal.statements import check_keys
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.cell import checked_cell, quoted
from email_assistant.mail.text import one_line

LIMITS = {"name": 200, "organisation": 200, "phone": 60, "role": 120, "notes": 4000}
"""Most characters of each field."""
MAX_TAGS = 20
MAX_TAG = 40
MAX_SOURCE = 120


class ContactFields(TypedDict, total=False):
    """The details that can be changed; "" or () takes one away."""

    name: str
    organisation: str
    phone: str
    role: str
    notes: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class Contact:
    """One person at one address. Times are aware and in UTC; None while the contact is not stored."""

    address: str
    """As `mail.address.Address.key` has it."""
    name: str = ""
    organisation: str = ""
    phone: str = ""
    role: str = ""
    notes: str = ""
    """The only field of several lines."""
    tags: tuple[str, ...] = ()
    source: str = ""
    """Where the latest change came from, like "import of friends.csv" or "by hand"."""
    created_at: datetime | None = None
    updated_at: datetime | None = None

    def fields(self) -> dict[str, Any]:
        """The details, by name."""
        return {name: getattr(self, name) for name in (*LIMITS, "tags")}

    def merged(self, other: "Contact") -> "Contact":
        """This contact with what `other` says besides: its text replaces ours unless it is empty, its tags are added.

        Raises `InputError` when that makes too many tags.
        """
        said = {name: value for name, value in other.fields().items() if value}
        said["tags"] = checked_tags((*self.tags, *other.tags))
        return replace(self, **said)


def contact_address(text: str) -> str:
    """The address to keep a contact by; raises `InputError` when the text is not one address."""
    address = Address(text.strip())
    if not is_email(address.email):
        raise InputError(f"address: not an email address: {quoted(text)}")
    check_keys(address=address.key)
    return address.key


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The details as they are kept: cleaned, tags once each.

    Raises `InputError` naming the field that is unknown, too long, or holds a control character or a formula.
    """
    unknown = next((name for name in fields if name not in LIMITS and name != "tags"), None)
    if unknown is not None:
        raise InputError(f"{unknown}: not a field of a contact; there is {', '.join((*LIMITS, 'tags'))}")
    return {
        name: checked_tags(value) if name == "tags" else _text(name, value, LIMITS[name])
        for name, value in fields.items()
    }


def checked_contact(contact: Contact) -> Contact:
    """The contact with address, details and source as they are kept; raises `InputError` like `checked`."""
    details = checked(contact.fields())
    source = one_line(contact.source, limit=MAX_SOURCE)
    return replace(contact, address=contact_address(contact.address), source=source, **details)


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags in order, each once in whatever case; raises `InputError` when one is wrong or there are too many."""
    found: dict[str, str] = {}
    for given in tags:
        tag = _text("tags", given, MAX_TAG)
        if "," in tag:
            raise InputError(f"tags: a comma separates tags, so none can be in {quoted(tag)}")
        if tag:
            found.setdefault(tag.casefold(), tag)
    if len(found) > MAX_TAGS:
        raise InputError(f"tags: more than {MAX_TAGS}")
    return tuple(found.values())


def folded(text: str) -> str:
    """The text as it is searched: without the differences of case and of the ways to write one character."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _text(field: str, value: str, limit: int) -> str:
    try:
        return checked_cell(value, limit, lines=field == "notes")
    except InputError as error:
        raise InputError(f"{field}: {error}") from None

"""What the folders are for: by what the server says of them (RFC 6154), else by their usual names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from email_assistant.adapters.folder_names import DRAFTS, JUNK, SENT, TRASH, last_name
from email_assistant.adapters.imap.connection import Commands

_CLOSED = frozenset({"\\noselect", "\\nonexistent"})
"""Attributes of what only holds other folders."""
MAX_LOOKED = 60
"""Folders in which a moved mail is looked for."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The names of the folders that are used, and of those in which mail is looked for that has left the inbox."""

    inbox: str
    sent: str
    drafts: str
    others: tuple[str, ...]
    junk: tuple[str, ...]
    trash: tuple[str, ...]
    is_all: bool
    """Whether none is left out."""

    def named(self, role: str) -> str:
        """The folder of this role."""
        return str(getattr(self, role))


def find_folders(commands: Commands) -> Folders:
    """Look which there are; what is missing is made, under its English name."""
    listed = commands.folders()
    prefix = commands.prefix()
    names = {name: attributes for attributes, _, name in listed}
    separators: Mapping[str, str] = {name: separator for _, separator, name in listed}

    def find(attribute: str, usual: Sequence[str], english: str) -> str:
        flagged = [name for name, attributes in names.items() if attribute in attributes]
        called = [name for name in names if last_name(name, separators[name]) in usual]
        found = next(
            iter((*flagged, *sorted(called, key=lambda name: (name.count(separators[name] or "/"), name)))),
            "",
        )
        if not found:
            found = f"{prefix}{english}"
            commands.create(found)
        return found

    sent, drafts = find("\\sent", SENT, "Sent"), find("\\drafts", DRAFTS, "Drafts")
    rest = [
        name
        for name, attributes in names.items()
        if name.upper() != "INBOX" and name not in {sent, drafts} and not attributes & _CLOSED
    ]

    def called(attribute: str, usual: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            name for name in rest if attribute in names[name] or last_name(name, separators[name]) in usual
        )

    junk, trash = called("\\junk", JUNK), called("\\trash", TRASH)
    others = [name for name in rest if name not in {*junk, *trash}]
    is_all = len(others) <= MAX_LOOKED
    return Folders("INBOX", sent, drafts, tuple(others[:MAX_LOOKED]), junk, trash, is_all)

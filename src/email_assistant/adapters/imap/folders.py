"""What the folders are for: by the settings, else by what the server says of them (RFC 6154), else by their usual names."""

from collections.abc import Sequence
from dataclasses import dataclass

from email_assistant.adapters.folder_names import DRAFTS, JUNK, SENT, TRASH, last_name
from email_assistant.adapters.imap.connection import Commands
from email_assistant.errors import AccessError
from email_assistant.mail_accounts import Account

_CLOSED = frozenset({"\\noselect", "\\nonexistent"})
"""Attributes of what only holds other folders."""
MAX_LOOKED = 60
"""Folders in which a moved mail is looked for."""
_MAX_TOLD = 8


@dataclass(frozen=True, slots=True)
class Folders:
    """The names of the folders that are used, and of those in which mail may be that has left the inbox."""

    inbox: str
    sent: str
    drafts: str
    others: tuple[str, ...]
    junk: tuple[str, ...]
    trash: tuple[str, ...]

    @property
    def looked(self) -> tuple[str, ...]:
        """The others in which a moved mail is looked for."""
        return self.others[:MAX_LOOKED]

    def named(self, role: str) -> str:
        """The folder of this role."""
        return str(getattr(self, role))


def find_folders(commands: Commands, account: Account, *, makes: bool = True) -> Folders:
    """Look which there are; what is missing is made, under its English name, or is "" where nothing is made.

    Raises `AccessError` for one that the settings name and that is not there.
    """
    listed = commands.folders()
    names = {name: attributes for attributes, _, name in listed}
    separators = {name: separator for _, separator, name in listed}
    own = [name for name in names if name.upper() != "INBOX" and not names[name] & _CLOSED]

    def find(role: str, usual: Sequence[str]) -> str:
        if named := str(getattr(account.imap, role, "")):
            if named not in own:
                there = ", ".join([*sorted(own)[:_MAX_TOLD], *("…" * bool(own[_MAX_TOLD:]))]) or "INBOX alone"
                raise AccessError(
                    f'imap.{role} of {account.email} is "{named[:100]}", and there is no such folder; there are: {there}'
                )
            return named
        flagged = [name for name, attributes in names.items() if f"\\{role}" in attributes]
        called = [name for name in names if last_name(name, separators[name]) in usual]
        found = next(
            iter((*flagged, *sorted(called, key=lambda name: (name.count(separators[name] or "/"), name)))),
            "",
        )
        if not found and makes:
            found = f"{commands.prefix()}{role.capitalize()}"
            commands.create(found)
        return found

    sent, drafts = find("sent", SENT), find("drafts", DRAFTS)
    rest = [name for name in own if name not in {sent, drafts}]

    def called(attribute: str, usual: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            name for name in rest if attribute in names[name] or last_name(name, separators[name]) in usual
        )

    junk, trash = called("\\junk", JUNK), called("\\trash", TRASH)
    others = tuple(name for name in rest if name not in {*junk, *trash})
    return Folders("INBOX", sent, drafts, others, junk, trash)

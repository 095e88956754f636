"""Which folders hold what was sent and what is drafted: by what the server says of them (RFC 6154), else by their usual names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from email_assistant.adapters.imap.connection import Commands
from email_assistant.word_files import WordFiles

WORDS = WordFiles((Path(__file__).with_name("words.toml"),), frozenset({"folders"}))
with WORDS.section("folders") as section:
    _SENT, _DRAFTS, _THROWN_AWAY = map(section.lines, ("sent", "drafts", "thrown_away"))
_ELSEWHERE = frozenset({"\\trash", "\\junk", "\\drafts", "\\noselect", "\\nonexistent"})
"""Attributes of folders in which no mail is looked for that has left the inbox."""
MAX_LOOKED = 60
"""Folders in which a moved mail is looked for."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The names of the folders that are used, and of those in which mail is looked for that has been moved."""

    inbox: str
    sent: str
    drafts: str
    others: tuple[str, ...]

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
        called = [name for name in names if _last(name, separators[name]) in usual]
        found = next(
            iter((*flagged, *sorted(called, key=lambda name: (name.count(separators[name] or "/"), name)))),
            "",
        )
        if not found:
            found = f"{prefix}{english}"
            commands.create(found)
        return found

    sent, drafts = find("\\sent", _SENT, "Sent"), find("\\drafts", _DRAFTS, "Drafts")
    others = [
        name
        for name, attributes in names.items()
        if name.upper() != "INBOX"
        and name not in {sent, drafts}
        and not attributes & _ELSEWHERE
        and _last(name, separators[name]) not in _THROWN_AWAY
    ]
    return Folders("INBOX", sent, drafts, tuple(others[:MAX_LOOKED]))


def _last(name: str, separator: str) -> str:
    return (name.rpartition(separator)[2] if separator else name).casefold()

"""Contacts from vCards (RFC 2426 for version 3.0, RFC 6350 for 4.0), any number in a file.

Of a card we read FN (or N), EMAIL, ORG, TITLE (or ROLE), TEL, NOTE and CATEGORIES; what else it holds, pictures of
megabytes included, is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from email_assistant.adapters.contact_entries import ContactEntry, ContactFlaw, FileLine
from email_assistant.journal.contact import ContactFields

VERSIONS = ("3.0", "4.0")
MAX_UNFOLDED = 64 * 1024
"""Characters of a content line that are kept: more than any of our fields may have."""
MAX_VALUES = 20

# [group "."] name *(";" parameter) ":" value (RFC 6350 §3.3)
_CONTENT_LINE = re.compile(
    r'(?:[A-Za-z0-9-]+\.)?(?P<name>[A-Za-z0-9-]+)(?P<parameters>(?:;[^:;"]*(?:"[^"]*"[^:;"]*)*)*):(?P<value>.*)',
    re.DOTALL,
)
_ENCODED = re.compile(r';(?:ENCODING=)?"?(?:QUOTED-PRINTABLE|BASE64|B)"?(?:;|$)', re.IGNORECASE)
_PIECE = re.compile(r"\\.|[^\\;,]+|.", re.DOTALL)
_EVERYONE = "myContacts"
"""The category that Google gives every contact."""
_READ = frozenset({"VERSION", "FN", "N", "EMAIL", "ORG", "TITLE", "ROLE", "TEL", "NOTE", "CATEGORIES"})


def read_cards(lines: Iterator[FileLine]) -> Iterator[ContactEntry | ContactFlaw]:
    """The entry of each card, or what is wrong with it; a card that is wrong does not spoil the next."""
    card: _Card | None = None
    for number, text in _unfolded(lines):
        match = _CONTENT_LINE.fullmatch(text)
        name = match["name"].upper() if match else ""
        if name == "BEGIN":
            if card:
                yield ContactFlaw(number, f"BEGIN: the card of line {card.line} has not ended yet")
            card = _Card(number)
            if match and match["value"].strip().upper() != "VCARD":
                card.spoil(number, "BEGIN: not a VCARD")
        elif card is None:
            yield ContactFlaw(number, f"{name or 'line'}: stands outside of a card; BEGIN:VCARD is missing")
        elif name == "END":
            yield card.result()
            card = None
        elif match is None:
            card.spoil(number, "line: not of the form NAME:VALUE")
        elif name in _READ:
            card.add(number, name, match["parameters"], match["value"])
    if card:
        yield ContactFlaw(card.line, "END: the card does not end")


def _unfolded(lines: Iterator[FileLine]) -> Iterator[tuple[int, str]]:
    """The content lines, each with the number of its first line (RFC 6350 §3.2); empty ones are left out."""
    number, parts, size = 0, [""], 0
    for line in lines:
        text = line.text.rstrip("\r\n")
        if text[:1] in (" ", "\t") and number:
            text = text[1:]
        else:
            if "".join(parts).strip():
                yield number, "".join(parts)
            number, parts, size = line.number, [], 0
        if text and size < MAX_UNFOLDED:
            parts.append(text[: MAX_UNFOLDED - size])
            size += len(text)
    if "".join(parts).strip():
        yield number, "".join(parts)


@dataclass
class _Card:
    """A card that is being read."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    flaw: ContactFlaw | None = None

    def spoil(self, line: int, text: str) -> None:
        """Note the first thing that is wrong."""
        self.flaw = self.flaw or ContactFlaw(line, text)

    def add(self, line: int, name: str, parameters: str, value: str) -> None:
        """Take a property's value."""
        values = self.values.setdefault(name, [])
        if len(values) == MAX_VALUES:
            self.spoil(line, f"{name}: more than {MAX_VALUES} in one card")
        elif name != "VERSION" and _ENCODED.search(parameters):
            self.spoil(line, f"{name}: encoded as in version 2.1; export the contacts as vCard 3.0 or 4.0")
        else:
            values.append(value)

    def result(self) -> ContactEntry | ContactFlaw:
        """The entry, or the first thing that is wrong."""
        version = self._first("VERSION")
        if version not in VERSIONS:
            told = f"is {version[:10]!r}" if version else "is missing"
            return ContactFlaw(self.line, f"VERSION: {told}; export the contacts as vCard 3.0 or 4.0")
        if self.flaw:
            return self.flaw
        family, given = [*_split(self._raw("N"), ";"), "", ""][:2]
        fields: ContactFields = {
            "name": self._first("FN") or f"{given} {family}".strip(),
            "organisation": _split(self._raw("ORG"), ";")[0],
            "role": self._first("TITLE") or self._first("ROLE"),
            "phone": re.sub(r"^tel:", "", self._first("TEL"), flags=re.IGNORECASE),
            "notes": self._first("NOTE"),
            "tags": [
                tag
                for line in self.values.get("CATEGORIES", [])
                for tag in _split(line, ",")
                if tag != _EVERYONE
            ],
        }
        addresses = [_unescaped(value).strip() for value in self.values.get("EMAIL", [])]
        return ContactEntry(self.line, tuple(filter(None, addresses)), fields)

    def _raw(self, name: str) -> str:
        return next((value for value in self.values.get(name, []) if value.strip()), "")

    def _first(self, name: str) -> str:
        return _unescaped(self._raw(name)).strip()


def _split(value: str, separator: str) -> list[str]:
    """The components between separators that are not escaped, each without its escapes (RFC 6350 §3.4)."""
    if "\\" not in value:
        return value.split(separator)
    parts = [""]
    for piece in _PIECE.findall(value):
        if piece == separator:
            parts.append("")
        else:
            parts[-1] += piece
    return [_unescaped(part) for part in parts]


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value, flags=re.DOTALL)

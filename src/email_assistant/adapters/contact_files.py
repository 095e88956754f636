"""Contacts from files: CSV tables and vCards, as address books export them. One entry at a time is in memory."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TextIO

from email_assistant.adapters.contact_csv import read_table
from email_assistant.adapters.contact_entries import ContactEntry, ContactFlaw, FileLine
from email_assistant.adapters.contact_vcard import read_cards
from email_assistant.errors import InputError
from email_assistant.journal.contact import MAX_SOURCE, Contact, checked, contact_address
from email_assistant.mail.text import one_line

UTF8 = "utf-8-sig"
MAX_LINE = 1024 * 1024
"""Characters; what is behind them in a line is not read."""
MAX_KEPT = 20
"""Flaws that are told; the others are counted."""
_TOLD = 3
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass
class ContactFile:
    """One import of a file. The counts are right when `contacts` has come to its end."""

    path: Path
    encoding: str = UTF8
    skip_bad: bool = False
    """Whether entries that are wrong are left out, instead of stopping the import."""
    bad: int = 0
    flaws: list[ContactFlaw] = field(default_factory=list)
    """The first of what is wrong."""
    without_address: int = 0
    """Entries that are left out because they have no email address."""

    def contacts(self) -> Iterator[Contact]:
        """The contacts of the file, checked; an entry with several addresses gives one for each.

        Raises `InputError` when the file cannot be read, and, unless `skip_bad`, at the end of a file with wrong
        entries; once there was one, no contact is given any more. An address that was in an earlier entry is wrong.
        """
        source = one_line(f"import of {self.path.name}", limit=MAX_SOURCE)
        seen: dict[str, int] = {}
        for each in self._entries():
            found = each if isinstance(each, ContactFlaw) else _contacts(each, source, seen)
            if isinstance(found, ContactFlaw):
                self.bad += 1
                self.flaws += [found] if len(self.flaws) < MAX_KEPT else []
            elif not found:
                self.without_address += 1
            elif not self.bad or self.skip_bad:
                yield from found
        if self.bad and not self.skip_bad:
            raise InputError(self._refusal())

    def _entries(self) -> Iterator[ContactEntry | ContactFlaw]:
        head = self._head()
        with self.path.open(encoding=self.encoding, errors="surrogateescape", newline="") as file:
            lines = _lines(file, self.path, self.encoding)
            named = self.path.suffix.lower() in {".vcf", ".vcard"}
            is_card = named or head.lstrip().upper().startswith("BEGIN:VCARD")
            yield from read_cards(lines) if is_card else read_table(lines, str(self.path))

    def _head(self) -> str:
        """The beginning of the file; raises `InputError` when it is no text in this encoding."""
        if not self.path.exists():
            raise InputError(f"{self.path}: no such file")
        if not self.path.is_file():
            raise InputError(f"{self.path}: not a file")
        with self.path.open("rb") as file:
            raw = file.read(4096)
        try:
            "".encode(self.encoding)
        except (LookupError, ValueError):
            raise InputError(
                f"--encoding: there is no text encoding {self.encoding!r}; one is cp1252"
            ) from None
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and self.encoding == UTF8:
            raise InputError(f"{self.path}: is written in UTF-16, not in UTF-8: add --encoding utf-16")
        try:
            head = codecs.getincrementaldecoder(self.encoding)("replace").decode(raw)
        except UnicodeError:  # Without the mark at its beginning that the encoding asks for.
            raise InputError(_undecoded(self.path, 1, self.encoding)) from None
        if "\0" in head or raw.startswith(b"PK\x03\x04"):
            raise InputError(f"{self.path}: not a text file: export the contacts as CSV (UTF-8) or as vCard")
        return head

    def _refusal(self) -> str:
        told = "; ".join(map(str, self.flaws[:_TOLD]))
        more = f"; and {self.bad - _TOLD} more" if self.bad > _TOLD else ""
        entries = "1 entry is wrong" if self.bad == 1 else f"{self.bad} entries are wrong"
        return f"{self.path}: nothing was imported, {entries}: {told}{more}. Mend them, or leave them out with --skip-bad"


def _lines(file: TextIO, path: Path, encoding: str) -> Iterator[FileLine]:
    """The lines with their ends, each of bounded length; raises `InputError` at bytes that are not in the encoding."""
    for number in count(1):
        try:
            text = end = file.readline(MAX_LINE)
            while len(end) == MAX_LINE and end[-1] not in "\r\n":
                end = file.readline(MAX_LINE)
        except UnicodeError:  # Some codecs cannot go on.
            raise InputError(_undecoded(path, number, encoding)) from None
        if not text:
            return
        if not text.isascii() and _UNDECODED.search(text):
            raise InputError(_undecoded(path, number, encoding))
        yield FileLine(number, text, whole=end is text)


def _undecoded(path: Path, number: int, encoding: str) -> str:
    name = "UTF-8" if encoding == UTF8 else encoding
    way = "save the file as UTF-8, or name its encoding, like --encoding cp1252 for older Windows programs"
    return f"{path}: line {number} is not written in {name}: {way}"


def _contacts(entry: ContactEntry, source: str, seen: dict[str, int]) -> list[Contact] | ContactFlaw:
    """The contacts of an entry; their addresses are `seen` from then on."""
    try:
        addresses = list(dict.fromkeys(contact_address(each) for each in entry.addresses))
        details = checked(entry.fields)
    except InputError as error:
        return ContactFlaw(entry.line, str(error))
    for address in addresses:
        if address in seen:
            return ContactFlaw(entry.line, f"address: {address} is in line {seen[address]} already")
    seen.update(dict.fromkeys(addresses, entry.line))
    return [Contact(address, **details, source=source) for address in addresses]

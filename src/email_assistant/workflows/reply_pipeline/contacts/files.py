"""Contacts from files: CSV tables and vCards, as address books export them."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from email_assistant.errors import InputError
from email_assistant.mail.text import one_line
from email_assistant.workflows.reply_pipeline.contacts.formats import (
    ContactEntry,
    ContactFlaw,
    read_cards,
    read_table,
)
from email_assistant.workflows.reply_pipeline.records.contacts import (
    MAX_SOURCE,
    Contact,
    checked,
    contact_address,
)

UTF8 = "utf-8-sig"
MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file that is read."""
MAX_KEPT = 20
"""Flaws that are told; the others are counted."""
_TOLD = 3
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
        text = self._text()
        named = self.path.suffix.lower() in {".vcf", ".vcard"}
        is_card = named or text.lstrip()[:11].upper() == "BEGIN:VCARD"
        return read_cards(text) if is_card else read_table(text, str(self.path))

    def _text(self) -> str:
        """What is in the file, lines ended by "\\n"; raises `InputError` when it is no text in this encoding."""
        if not self.path.is_file():
            raise InputError(f"{self.path}: {'not a file' if self.path.exists() else 'no such file'}")
        if self.path.stat().st_size > MAX_FILE:
            raise InputError(f"{self.path}: larger than {MAX_FILE // 1024 // 1024} MB; split it")
        raw = self.path.read_bytes()
        if raw.startswith(_UTF16) and self.encoding == UTF8:
            raise InputError(f"{self.path}: is written in UTF-16, not in UTF-8: add --encoding utf-16")
        if raw.startswith(b"PK\x03\x04") or (b"\0" in raw and self.encoding == UTF8):
            raise InputError(f"{self.path}: not a text file: export the contacts as CSV (UTF-8) or as vCard")
        return self._decoded(raw).replace("\r\n", "\n").replace("\r", "\n")

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode(self.encoding)
        except UnicodeError as error:
            line = raw.count(b"\n", 0, getattr(error, "start", 0)) + 1
            name = "UTF-8" if self.encoding == UTF8 else self.encoding
            way = "save the file as UTF-8, or name its encoding, like --encoding cp1252 for older Windows programs"
            raise InputError(f"{self.path}: line {line} is not written in {name}: {way}") from None
        except (LookupError, ValueError):
            told = f"--encoding: there is no text encoding {self.encoding!r}; one is cp1252"
            raise InputError(told) from None

    def _refusal(self) -> str:
        told = "; ".join(map(str, self.flaws[:_TOLD]))
        more = f"; and {self.bad - _TOLD} more" if self.bad > _TOLD else ""
        entries = "1 entry is wrong" if self.bad == 1 else f"{self.bad} entries are wrong"
        return f"{self.path}: nothing was imported, {entries}: {told}{more}. Mend them, or leave them out with --skip-bad"


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

"""Email addresses (RFC 5322 §3.4, with the international forms of RFC 6532)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from email_assistant.errors import InputError
from email_assistant.mail.mime_parts import decode_header, decode_surrogates
from email_assistant.mail.text import one_line

_MAX_ADDRESS = 254
_MAX_LOCAL = 64
_QUOTE_SHOWN = 80

_DOT_ATOM = re.compile(r"[^\s()<>\[\]:;@\\,.\"]+(?:\.[^\s()<>\[\]:;@\\,.\"]+)*")
_QUOTED_LOCAL = re.compile(r'"(?:[^"\\]|\\.)+"')
_LITERAL = re.compile(r"\[(?:ipv6:)?[0-9a-f.:]{2,45}\]")
_ANGLE_AT_END = re.compile(r"^(?P<name>.*)<(?P<email>[^<>]*)>\s*$", re.DOTALL)
_RUNS = re.compile(r'[^\\"()<>,;:]+|.', re.DOTALL)
_BARE = re.compile(r"[^\s<>,;:\"()\[\]]{1,64}@[^\s<>,;:\"()\[\]@]{1,253}")
_PLAIN_NAME = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Address:
    """One mailbox: `email` is the addr-spec (domain in lower case), `name` the decoded display name or ""."""

    email: str
    name: str = ""

    @property
    def key(self) -> str:
        """The form to compare addresses by: lower case throughout."""
        return self.email.lower()

    @property
    def domain(self) -> str:
        """The part behind the last "@", in lower case; "" when there is none."""
        return self.email.rpartition("@")[2].lower() if "@" in self.email else ""


def parse_addresses(value: str) -> tuple[Address, ...]:
    """Every address that can be read in a header's raw value, in order; junk is skipped, nothing is raised.

    Groups give their members, comments are dropped, encoded words of names are decoded (after the splitting,
    so that an encoded comma cannot make a second address).
    """
    found: list[Address] = []
    for piece in _split(decode_surrogates(value), lenient=True):
        address = _read(piece, decode=True)
        found.extend([address] if address else _salvage(piece))
    return tuple(found)


def parse_recipients(text: str) -> tuple[Address, ...]:
    """The addresses a person typed, separated by commas: `ana@example.com, "Lee, Bo" <bo@example.org>`.

    Empty text gives (). Raises `InputError` that quotes the first piece that is not an address.
    """
    bad = next((c for c in text if _unprintable(c)), None)
    if bad is not None:
        raise InputError(f"control character U+{ord(bad):04X} is not allowed in addresses: {_shown(text)}")
    found = []
    for piece in _split(text, lenient=False):
        address = _read(piece, decode=False)
        if address is None:
            raise InputError(f"not an email address: {_shown(piece)}")
        found.append(address)
    return tuple(found)


def format_addresses(addresses: Iterable[Address]) -> str:
    """The addresses in one line that `parse_recipients` reads back to the same addresses."""
    return ", ".join(_format(address) for address in addresses)


def unique(addresses: Iterable[Address]) -> tuple[Address, ...]:
    """The addresses in order, each mailbox once."""
    found: dict[str, Address] = {}
    for address in addresses:
        found.setdefault(address.key, address)
    return tuple(found.values())


def is_email(text: str) -> bool:
    """Whether the text is one addr-spec: dot-atom or quoted local part, domain name or address literal."""
    local, at, domain = text.rpartition("@")
    if not at or len(text) > _MAX_ADDRESS or len(local) > _MAX_LOCAL:
        return False
    if not text.isprintable() and any(map(_invisible, text)):
        return False
    if not (_DOT_ATOM.fullmatch(local) or _QUOTED_LOCAL.fullmatch(local)):
        return False
    return bool(_LITERAL.fullmatch(domain.lower())) or all(map(_is_label, domain.split(".")))


def _is_label(label: str) -> bool:
    if not 0 < len(label) <= 63 or label[0] == "-" or label[-1] == "-":
        return False
    # Letters, their marks and digits of any script: an internationalised domain name, or its ASCII form.
    return (label.isascii() and label.isalnum()) or all(
        c in "-_" or unicodedata.category(c)[0] in "LMN" for c in label
    )


def _unprintable(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _BIDI


def _invisible(char: str) -> bool:
    return _unprintable(char) or unicodedata.category(char) == "Cf"


def _shown(piece: str) -> str:
    short = piece if len(piece) <= _QUOTE_SHOWN else piece[: _QUOTE_SHOWN - 1] + "…"
    return '"' + "".join("\ufffd" if _unprintable(c) else c for c in short) + '"'


def _address(email: str, name: str) -> Address | None:
    local, _, domain = email.rpartition("@")
    email = f"{local}@{domain.removesuffix('.').lower()}"
    return Address(email, name) if is_email(email) else None


def _read(piece: str, *, decode: bool) -> Address | None:
    """One address out of one piece between commas, or None."""
    angle = _ANGLE_AT_END.match(piece)
    if not angle:
        return _address(piece.strip(), "")
    name = _unquote(angle["name"].strip())
    if name is None:
        return None
    if decode:
        name = one_line(decode_header(name))
    email = angle["email"].strip()
    if email.startswith("@"):  # an obsolete route (RFC 5322 §4.4)
        email = email.rpartition(":")[2]
    return _address(email, name)


def _unquote(name: str) -> str | None:
    """A display name without its quotes; None when a bracket or quote shows that it is not one."""
    if not any(c in name for c in '<>"'):
        return " ".join(name.split())
    if len(name) >= 2 and name[0] == name[-1] == '"':
        inner = name[1:-1]
        if re.search(r'(?<!\\)(?:\\\\)*"', inner) is None and not re.search(r"(?<!\\)(?:\\\\)*\\$", inner):
            return re.sub(r"\\(.)", r"\1", inner)
    if any(c in '<>"' for c in re.sub(r"\\.", "", re.sub(r'"(?:[^"\\]|\\.)*"', "", name))):
        return None
    return " ".join(re.sub(r'"((?:[^"\\]|\\.)*)"', lambda m: re.sub(r"\\(.)", r"\1", m[1]), name).split())


def _salvage(piece: str) -> Iterator[Address]:
    """Addresses that stand anywhere in a broken piece, by their look alone."""
    for match in _BARE.finditer(piece):
        address = _address(match.group().strip(".'"), "")
        if address:
            yield address


def _format(address: Address) -> str:
    name = "".join(c for c in address.name if not _unprintable(c))
    if not name:
        return address.email
    if _PLAIN_NAME.fullmatch(name):
        return f"{name} <{address.email}>"
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}" <{address.email}>'


def _split(value: str, *, lenient: bool) -> list[str]:
    """The pieces between top-level commas and semicolons; when lenient, without comments and group names."""
    pieces: list[str] = []
    current: list[str] = []
    quoted = angle = escaped = False
    depth = 0
    for char in _RUNS.findall(value):
        if escaped:
            escaped = False
        elif char == "\\" and (quoted or depth):
            escaped = True
        elif depth:
            depth += (char == "(") - (char == ")")
            continue
        elif char == '"':
            quoted = not quoted
        elif quoted:
            pass
        elif char == "(" and lenient:
            depth = 1
            continue
        elif char in "<>":
            angle = char == "<"
        elif char in ",;" and not angle:
            pieces.append("".join(current))
            current = []
            continue
        elif char == ":" and lenient and not angle:
            current = []
            continue
        if not depth:
            current.append(char)
    pieces.append("".join(current))
    return [piece.strip() for piece in pieces if piece.strip()]

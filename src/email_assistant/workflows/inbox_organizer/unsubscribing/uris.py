"""Web addresses (RFC 3986) and mail addresses by which a mailing can be left (RFC 2369), as they came in mail, read strictly.

What is not plainly one host and one path, or one plain address, is refused.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from email_assistant.errors import InputError
from email_assistant.mail.address import is_email

MAX_URL = 2_000
"""Characters of the longest address that is taken; it is longer than what web servers promise to read."""

PORTS = {"https": 443, "http": 80}

_CHARS = re.compile(r"[!#-;=?-\[\]^_a-~]+")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
MAX_ADDRESS = 100
"""Characters of the longest address of a mailing that is shown: a card shows all of it."""

# No quotes, and no "%" or "!", by which old mail servers pass a mail on to somebody else.
_LOCAL = re.compile(r"[A-Za-z0-9_=][A-Za-z0-9._+=~/-]*")
_TOP = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]+")
# Names that mean something in private networks only (RFC 6761, RFC 6762, RFC 7686, RFC 9476 and what routers use).
_PRIVATE = frozenset(
    ["alt", "arpa", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
     "onion", "private"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WebAddress:
    """The parts of an https or http address; there is no user name in it, and its fragment is left out."""

    scheme: str
    host: str
    """In lower case; an IPv6 address without its brackets."""
    port: int
    target: str
    """Path and query, exactly as they were written; at least "/"."""

    @property
    def netloc(self) -> str:
        """Host and port, always with the port: "list.example:443", "[::1]:8080"."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_web_address(url: str) -> WebAddress:
    """The parts of the address; raises `InputError` saying why for anything that programs might read in two ways.

    That is: white space, controls, characters beyond ASCII (their form in a host name is xn--…), backslashes, a user
    name, a host that is no name and no address in its usual form (such as a number for an IPv4 address).
    """
    if len(url) > MAX_URL:
        raise InputError(f"the address is longer than {MAX_URL} characters")
    if not _CHARS.fullmatch(url):
        raise InputError("the address has characters that are not allowed in one")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InputError("the address is not a web address") from None
    if parts.scheme not in PORTS:
        raise InputError("the address is neither https nor http")
    if "@" in parts.netloc:
        raise InputError("the address has a user name in it")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(parts.scheme, _host(parts.netloc), _port(parts.scheme, port), target)


def _host(netloc: str) -> str:
    literal = re.fullmatch(r"\[([0-9a-f:.]+)\](?::[0-9]*)?", netloc.lower())
    if literal:
        try:
            return str(ipaddress.IPv6Address(literal[1]))
        except ValueError:
            raise InputError("the address has a host that is no IPv6 address") from None
    host = netloc.partition(":")[0].lower()
    labels = host.split(".")
    if len(host) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise InputError("the address has no valid host name")
    if _NUMBER.fullmatch(labels[-1]):
        # Resolvers take 2130706433, 0x7f.1 and 0177.0.0.1 for addresses, too (WHATWG URL §3.5).
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise InputError("the address has an IPv4 address in an unusual form") from None
    return host


def _port(scheme: str, port: int | None) -> int:
    if port == 0:
        raise InputError("the address has port 0")
    return port or PORTS[scheme]


def mail_address(uri: str) -> str:
    """The address of a mailto URI, for a person to write to; "" when it is no plain one of the public internet.

    Its subject, text and other recipients (RFC 6068) are the sender's words, and left out.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "mailto":
        return ""
    try:
        address = unquote(rest.partition("#")[0].partition("?")[0], errors="strict")
    except UnicodeDecodeError:
        return ""
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}" if _is_plain(address) else ""


def _is_plain(address: str) -> bool:
    """Whether it is an address in a public-looking domain: of no private network, no host by its number, ASCII only."""
    local, _, domain = address.rpartition("@")
    top = domain.lower().rpartition(".")
    return (
        len(address) <= MAX_ADDRESS
        and is_email(address)
        and address.isascii()
        and _LOCAL.fullmatch(local) is not None
        and bool(top[0])
        and _TOP.fullmatch(top[2]) is not None
        and top[2] not in _PRIVATE
    )

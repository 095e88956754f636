"""Web addresses (RFC 3986) and the mail by which a mailing can be left (RFC 2369, RFC 6068), as they came in mail, read strictly.

What is not plainly one host and one path is refused. Where a mail of a mailto address goes is the sender's word, and the user is the one
who sends it: what is not plainly one command to the list's own machine is refused, too.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, is_email
from email_assistant.mail.domains import (
    FREE_MAIL,
    IMITATED,
    imitated,
    is_disguised,
    registered,
)
from email_assistant.mail.headers import list_domains
from email_assistant.mail.message import Message
from email_assistant.mail.text import clean

MAX_URL = 2_000
"""Characters of the longest address that is taken; it is longer than what web servers promise to read."""

PORTS = {"https": 443, "http": 80}

_CHARS = re.compile(r"[!#-;=?-\[\]^_a-~]+")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
DEFAULT_SUBJECT = "unsubscribe"
"""For a mailto address that names neither subject nor body; some lists want to read this word."""

MAX_MAIL = 200
"""Characters of address, subject and body together: a card shows all of them. A longer mail is refused, not cut."""

_FIELDS = frozenset(["subject", "body"])
# No quotes, and no "%" or "!", by which old mail servers pass a mail on to somebody else.
_LOCAL = re.compile(r"[A-Za-z0-9_=][A-Za-z0-9._+=~/-]*")
_TOP = re.compile(r"[a-z]{2,63}|xn--[a-z0-9-]+")
# Names that mean something in private networks only (RFC 6761, RFC 6762, RFC 7686, RFC 9476 and what routers use).
_PRIVATE = frozenset(
    ["alt", "arpa", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
     "onion", "private"]
)  # fmt: skip
_COMMAND = re.compile(
    r"unsub|leave|signoff|opt-?out|remove|-request$|listserv|majordomo|sympa|bounce", re.IGNORECASE
)


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


@dataclass(frozen=True, slots=True)
class Mailto:
    """A mail that asks to be taken off the list: one recipient, a subject, a body, and nothing else."""

    address: str
    subject: str = DEFAULT_SUBJECT
    body: str = ""


def read_mailto(uri: str) -> Mailto | None:
    """The mail that a mailto address describes, or None when it is none that may be sent.

    Refused are several recipients (also by `?to=`), every field but subject and body (RFC 6068 §4 would let a program
    leave them out; who asks for copies gets nothing), a field that is there twice, line breaks and invisible characters
    where there should be none, addresses that are no plain ones of the public internet, and what is too long.
    """
    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "mailto":
        return None
    to, _, query = rest.partition("#")[0].partition("?")
    try:
        address, fields = _decoded(to), _fields(query)
    except UnicodeDecodeError:
        return None
    if fields is None or not _is_plain(address):
        return None
    subject, body = fields.get("subject", ""), fields.get("body", "").replace("\r\n", "\n").rstrip()
    if len(address) + len(subject) + len(body) > MAX_MAIL or "\n" in subject or "\r" in subject:
        return None
    if clean(subject)[0] != subject or clean(body)[0] != body:
        return None
    local, _, domain = address.rpartition("@")
    subject = " ".join(subject.split())
    return Mailto(f"{local}@{domain.lower()}", subject or ("" if body else DEFAULT_SUBJECT), body)


def not_the_lists(address: str, message: Message, *, own: frozenset[str], signers: Iterable[str] = ()) -> str:
    """Why a mail to the address might reach somebody other than the message's list: a clause, or "".

    The address must be in the domain of the sender or of one of the `signers` (those whose signature the receiving
    host has found valid). List-Id is a mere claim: in its domain the address must look like a list's command. At a
    provider where everybody can have an address it must be the sender's. `own` holds the user's addresses as
    `Address.key`s. May read a file: call it in a thread.
    """
    one = Address(address)
    mine, homes = registered(one.domain), sorted({Address(each).domain for each in own if "@" in each})
    if without_tag(one.key) in map(without_tag, own):
        return "the address is your own"
    if mine in FREE_MAIL:
        same = without_tag(one.key) == without_tag(message.sender.key)
        return "" if same else "the address is somebody else's at a provider open to all"
    if mine in map(registered, homes):
        return "the address is in your own domain"
    if is_disguised(one.domain) or (mine not in IMITATED and imitated(one.domain, [*homes, *IMITATED])):
        return "its domain looks like another one"
    vouched = {registered(domain) for domain in (message.sender.domain, *signers) if domain}
    listed = mine in map(registered, list_domains(message)) and _COMMAND.search(one.key.rpartition("@")[0])
    return "" if mine in vouched or listed else "the address belongs neither to the sender nor to the list"


def without_tag(key: str) -> str:
    """The address whose mailbox this one shares: without what follows "+" (RFC 5233 §1)."""
    local, _, domain = key.rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _is_plain(address: str) -> bool:
    """Whether it is an address in a public-looking domain: of no private network, no host by its number, ASCII only."""
    local, _, domain = address.rpartition("@")
    top = domain.lower().rpartition(".")
    return (
        is_email(address)
        and address.isascii()
        and _LOCAL.fullmatch(local) is not None
        and bool(top[0])
        and _TOP.fullmatch(top[2]) is not None
        and top[2] not in _PRIVATE
    )


def _fields(query: str) -> dict[str, str] | None:
    """Subject and body of a mailto address; None when there is another field, or one twice."""
    fields: dict[str, str] = {}
    for pair in filter(None, query.replace("&amp;", "&").split("&")):
        name, _, value = pair.partition("=")
        name = _decoded(name).lower()
        if name in fields or name not in _FIELDS:
            return None
        fields[name] = _decoded(value)
    return fields


def _decoded(text: str) -> str:
    """Percent-decoded; "+" stays what it is (RFC 6068 §5). Raises `UnicodeDecodeError`."""
    return unquote(text, errors="strict")

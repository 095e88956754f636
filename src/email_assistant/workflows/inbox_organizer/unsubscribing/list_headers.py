"""How a mailing says one can leave it (RFC 2369, RFC 8058), and what tells one mailing from another (RFC 2919).

Nothing here is fetched or sent. All of it comes from the sender and is data: it is checked and bounded, and shown to a
person before anything is done with it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from email_assistant.errors import InputError
from email_assistant.mail.headers import failed_methods, host_results
from email_assistant.mail.message import Message
from email_assistant.mail.mime_parts import decode_header
from email_assistant.mail.text import one_line
from email_assistant.workflows.inbox_organizer.unsubscribing.uris import (
    PORTS,
    WebAddress,
    mail_address,
    read_web_address,
)

ONE_CLICK = "List-Unsubscribe=One-Click"
"""The value of List-Unsubscribe-Post, and the body of the request it asks for (RFC 8058 §3.1)."""

BY_CLICK, BY_MAIL = "one_click", "mail"
"""Ways out of a mailing: the program takes the first after approval, the second it names."""

MAX_KEY = 255
"""Characters of the longest List-Id (RFC 2919 §3) and so of a list's key."""

MAX_NAME = 80

_MAX_HEADER = 8_000
_MAX_URIS = 10
_LIST_ID = re.compile(r"[^\s<>\"(),;:\\]+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """The ways out of a mailing that a message offers; at least one is there."""

    one_click: str = ""
    """The https address to POST to; "" when there is none or it is withheld."""
    mail: str = ""
    """An address to write to, which is the person's to do."""
    link: str = ""
    """A web page for the person to open; the program never fetches it."""
    withheld: str = ""
    """Why `one_click` and `mail` are empty though the message has such an address: a clause, or ""."""
    verified: bool = False
    """Whether the receiving host said that the message has a valid DKIM signature (RFC 8058 §4)."""
    signers: tuple[str, ...] = ()
    """The domains of its valid signatures; () when the receiving host is not known by name: anybody could say so."""

    @property
    def method(self) -> str:
        """The best way: "one_click" or, for the person to do, "mail" or "link"."""
        return BY_CLICK if self.one_click else BY_MAIL if self.mail else "link"

    @property
    def place(self) -> str:
        """Where the best way leads, for a person to judge: a host name (with a port that is not the usual one) or an address."""
        if self.mail and not self.one_click:
            return self.mail
        address = read_web_address(self.one_click or self.link)
        usual = address.port == PORTS[address.scheme]
        return address.netloc.removesuffix(f":{address.port}") if usual else address.netloc


class Unsubscriber(Protocol):
    """Leaves a mailing by its one-click address."""

    async def post(self, url: str) -> None:
        """Ask to be taken off the list; safe to repeat (RFC 8058 §3.1).

        Raises `InputError` when the address is refused before anything was sent, `TransientError` when trying again
        may help, `ProviderError` when the list's host says no or wants to lead somewhere else.
        """


def unsubscribe_of(
    message: Message, *, host: str = "", allow: frozenset[str] = frozenset()
) -> Unsubscribe | None:
    """The ways out that the message's List-Unsubscribe header offers, or None.

    `host` is the authserv-id of the receiving host (see `failed_methods`). `allow` are the "host:port" that one-click
    may be used with though they are not https on port 443.
    A header without angle brackets, which RFC 2369 §2 would have ignored, is read, but gives no one-click address.
    """
    uris, bracketed = _uris(message.headers.get("list-unsubscribe", "")[:_MAX_HEADER])
    mail = next(filter(None, map(mail_address, uris)), "")
    pages = [uri for uri in uris if _fits(uri, read_web_address)]
    pages.sort(key=lambda uri: not uri[:6].lower().startswith("https:"))
    verified, doubt, signers = _signature(message, host)
    asked = bracketed and message.headers.get("list-unsubscribe-post", "").strip() == ONE_CLICK
    fitting = partial(one_click_address, allow=allow)
    one_click = next((uri for uri in pages if _fits(uri, fitting)), "") if asked else ""
    withheld = doubt if one_click or mail else ""
    if doubt:
        one_click, mail = "", ""
    if not (one_click or mail or pages):
        return None
    return Unsubscribe(one_click, mail, pages[0] if pages else "", withheld, verified, signers)


def one_click_address(url: str, *, allow: frozenset[str] = frozenset()) -> WebAddress:
    """The parts of a one-click address; raises `InputError` unless it is https on port 443 (RFC 8058 §3.1) or allowed."""
    address = read_web_address(url)
    if address.netloc in allow:
        return address
    if address.scheme != "https":
        raise InputError("the address is not https")
    if address.port != PORTS["https"]:
        raise InputError(f"the address has port {address.port}, which is not the usual one of https")
    return address


def is_list_mail(message: Message) -> bool:
    """Whether the message says that it comes from a list or another mailing."""
    return any(message.headers.get(name) for name in ("list-id", "list-unsubscribe"))


def list_key(message: Message) -> str:
    """What tells the message's list from others: its List-Id (RFC 2919), else the sender's address; in lower case.

    "" when the message has neither.
    """
    return _list_id(message)[1] or message.sender.key[:MAX_KEY]


def list_name(message: Message) -> str:
    """What to call the list: its description in List-Id, else the sender's name or address; one line."""
    for name in (_list_id(message)[0], message.sender.name, message.sender.email, list_key(message)):
        line = one_line(name, limit=MAX_NAME)
        if line:
            return line
    return ""


def _list_id(message: Message) -> tuple[str, str]:
    """Description and identifier; both "" when the header is missing or makes no sense."""
    value = message.headers.get("list-id", "")[:_MAX_HEADER].strip()
    described, bracket, rest = value.rpartition("<")
    identifier = _SPACE.sub("", rest.partition(">")[0]) if bracket else value
    if not _LIST_ID.fullmatch(identifier) or len(identifier) > MAX_KEY or "." not in identifier:
        return "", ""
    return decode_header(described).strip().strip("\"'").strip(), one_line(identifier).lower()


def _uris(value: str) -> tuple[list[str], bool]:
    """The header's addresses in order, and whether they stood in angle brackets as they should (RFC 2369 §2)."""
    outside = []
    found = []
    for kind, text in _pieces(value):
        if kind == "uri":
            found.append(_SPACE.sub("", text))
        else:
            outside.append(text)
    if found:
        return found[:_MAX_URIS], True
    return "".join(outside).replace(",", " ").split()[:_MAX_URIS], False


def _pieces(value: str) -> Iterator[tuple[str, str]]:
    """What stands in angle brackets, and what stands outside of them and of comments; unclosed ones end the header."""
    position, depth = 0, 0
    for match in re.finditer(r"\\.|[()]|<([^<>]*)>|<|[^\\()<]+|\\", value, re.DOTALL):
        piece = match.group()
        if piece == "(":
            depth += 1
        elif depth:
            depth -= piece == ")"
        elif match[1] is not None:
            yield "uri", match[1]
        elif piece == "<" and ">" not in value[position:]:
            return
        else:
            yield "", piece.strip("<>")
        position = match.end()


def _fits(uri: str, read: Callable[[str], WebAddress]) -> bool:
    try:
        read(uri)
    except InputError:
        return False
    return True


def _signature(message: Message, host: str) -> tuple[bool, str, tuple[str, ...]]:
    """Whether the receiving host found a valid DKIM signature; if not, why the headers cannot be trusted; who signed.

    Which headers a signature covers only that host knows; when it says nothing at all, nothing is held against the mail.
    """
    failed = [name for name in failed_methods(message, host=host) if name in ("DKIM", "DMARC")]
    own = host_results(message, host)
    signatures = [result for result in (own[1] if own else ()) if result.method == "dkim"]
    valid = [signature for signature in signatures if signature.value == "pass"]
    if failed:
        return False, f"the message failed {' and '.join(failed)}, so the address may be forged", ()
    if signatures and not valid:
        return False, "the message has no valid DKIM signature, so the address may be forged", ()
    signers = dict.fromkeys(signature.domain for signature in valid if signature.domain)
    return bool(valid), "", tuple(signers) if host else ()

"""What a message's headers tell: the marks of lists and machines, and what the receiving host found out about its sender (RFC 8601,
RFC 7208 §9.1).

Whoever writes a mail may write results of checks into it, so only the host's own ones count: the topmost with the host's authserv-id
(RFC 8601 §5). ARC's copies (RFC 8617) are what others claim to have found out, and are not read.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from email_assistant.mail.address import Address, is_email, parse_addresses
from email_assistant.mail.domains import organisation, registered
from email_assistant.mail.message import Message

_NO_REPLY = re.compile(
    r"(?:no|do-?_?not|dont|ne-?pas|nicht)[._-]?(?:reply|respond|repondre|antworten)(?:[+._-].*)?"
    r"|no-?responder|noreply\w*|(?:notifications?|alerts?|mailer-daemon|postmaster|bounces?|automated|robot|monitor)(?:[+._-].*)?",
    re.IGNORECASE,
)
_BULK = frozenset(["bulk", "junk"])
_METHODS = {"spf": "SPF", "dkim": "DKIM", "dmarc": "DMARC"}
_ALIGNING = {"spf": {"smtp.mailfrom"}, "dkim": {"header.d", "header.i"}, "dmarc": {"header.from"}}
"""What names the domain that a check vouches for."""
_FAILED = frozenset(["fail", "hardfail"])
_PIECE = re.compile(r'\\.|[()";]|[^\\()";]+|\\', re.DOTALL)
_RESULT = re.compile(r"(spf|dkim|dmarc) ?(?:/ ?\d+ ?)?= ?([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(
    r"(?<!\S)(header ?\. ?(?:d|i|from)|smtp ?\. ?(?:mailfrom|helo)) ?= ?([^\s;]+)", re.IGNORECASE
)
_QUOTABLE = re.compile(r"[\w.@+=-]+")
_WRITER = re.compile(r"\breceiver ?= ?([\w.-]+)|\(\s*([\w.-]+):", re.IGNORECASE)
_PLUS = re.compile(r"\+[^@]*@")
_SPAM = ("x-spam-flag", "x-spam-status")
_SAYS_YES = re.compile(r"\s*yes\b", re.IGNORECASE)
_MAX_READ = 10
_MAX_HEADER = 8_000


@dataclass(frozen=True, slots=True)
class Bulk:
    """The marks of one message; senders set them as they like, so they say what mail is, never that it is honest."""

    is_list: bool
    """List-Id names the list it went to (RFC 2919)."""
    is_discussion: bool
    """Subscribers can write to the list: List-Post gives an address (RFC 2369 §3.4), or else Precedence is "list".

    Mailings that are left with one click (RFC 8058) go by List-Post alone: those who send them often say "list" too.
    """
    can_unsubscribe: bool
    """List-Unsubscribe says how to get no more of it (RFC 2369 §3.2)."""
    is_marked: bool
    """Precedence is "bulk" or "junk"."""
    is_automatic: bool
    """Auto-Submitted says that no person wrote it (RFC 3834 §5)."""
    is_no_reply: bool
    """The sender's address says that nobody reads answers."""

    @property
    def to_many(self) -> bool:
        """Whether it went to many people, whoever wrote it."""
        return self.is_list or self.can_unsubscribe or self.is_marked

    @property
    def one_way(self) -> bool:
        """Whether there is nobody to answer: a program's mail, or a mailing that is no discussion."""
        return not self.is_discussion and (self.to_many or self.is_automatic or self.is_no_reply)


def bulk_of(message: Message) -> Bulk:
    """The marks that the message's sender address and headers bear."""

    def header(name: str) -> str:
        return message.headers.get(name, "").strip().lower()

    says_list = header("precedence") == "list" and not header("list-unsubscribe-post")
    return Bulk(
        is_list=bool(header("list-id")),
        # "NO" marks a list that only announces; a web address is where a letter can be read.
        is_discussion="mailto:" in header("list-post") or says_list,
        can_unsubscribe=bool(header("list-unsubscribe")),
        is_marked=header("precedence") in _BULK,
        is_automatic=header("auto-submitted") not in {"", "no"},
        is_no_reply=is_no_reply(message.sender),
    )


def is_no_reply(address: Address) -> bool:
    """Whether an address says that nobody reads answers, or that a program writes under it."""
    return _NO_REPLY.fullmatch(address.email.rpartition("@")[0]) is not None


def is_put_to(message: Message, me: Collection[str]) -> bool:
    """Whether To, Cc or the receiving host's own header names one of these addresses or "@domain"s (lower case).

    A `+` form of an address is the address.

    Where a message tells no recipients at all, nothing follows: True.
    """
    told = (message.headers.get(name, "") for name in ("delivered-to", "x-original-to"))
    recipients = [*message.to, *message.cc, *(each for value in told for each in parse_addresses(value))]
    named = {form for each in recipients for form in (each.key, _PLUS.sub("@", each.key), f"@{each.domain}")}
    return not recipients or not named.isdisjoint(me)


def judged(message: Message, *, host: str) -> str:
    """What the mail system took the message for: "spam", "promotions", "social" or "forged"; "" when it said nothing.

    `host` as in `failed_methods`. Whoever writes such a mark into his own mail gets no drafted answer to it, and no more.
    """
    headers = message.headers
    labels = headers.get("x-gmail-labels", "").upper().replace(" ", "_").split(",")
    if {"SPAM", "JUNK"}.intersection(labels) or any(map(_SAYS_YES.match, map(headers.get, _SPAM, ("", "")))):
        return "spam"
    for name in ("promotions", "social"):
        if f"CATEGORY_{name.upper()}" in labels:
            return name
    return "forged" if host and "DMARC" in failed_methods(message, host=host) else ""


@dataclass(frozen=True, slots=True)
class Result:
    """One check: method "spf", "dkim" or "dmarc", its result in lower case, the domain it is about or ""."""

    method: str
    value: str
    domain: str = ""
    named: str = field(default="", compare=False)
    """The property that names the domain, like "header.d"."""


def failed_methods(message: Message, *, host: str = "") -> tuple[str, ...]:
    """The names of the checks that failed and matter, e.g. ("DKIM", "DMARC").

    `host` is the authserv-id of the receiving host. Without it the topmost header is taken for the host's, and as
    nobody vouches for that, what it says passed does not outweigh what another header says failed.
    """
    identity, results = host_results(message, host) or ("", ())
    received = _received_spf(message)
    if received is None:
        return _names(_weighed(results, message))
    writer, spf = received
    same = bool(writer and identity) and organisation(writer) == organisation(identity)
    if not results or (same and all(one.method != "spf" for one in results)):
        return _names(_weighed((*results, spf), message))
    apart = [spf.method] if not host and not same and spf.value in _FAILED else []
    return _names([*_weighed(results, message), *apart])


def vouched_by(message: Message, *, host: str) -> str:
    """The check by which the receiving host vouches for the address in From: "DMARC", "DKIM" or "SPF"; "" when nobody does.

    Only an aligned pass counts (RFC 7489 §3.1): one of the organisation of From's own domain, in the host's own header. A DMARC
    check that failed settles that nobody does. Without a `host` nobody is known who could.
    """
    found = host_results(message, host) if host and is_email(message.sender.email) else None
    results = found[1] if found else ()
    if any(one.method == "dmarc" and one.value in _FAILED for one in results):
        return ""
    mine, passed = registered(message.sender.domain), [one for one in results if one.value == "pass"]
    aligned = {
        one.method for one in passed if one.named in _ALIGNING[one.method] and registered(one.domain) == mine
    }
    return next((name for method, name in reversed(_METHODS.items()) if method in aligned), "")


def read_results(value: str) -> tuple[str, tuple[Result, ...]]:
    """An Authentication-Results header: its authserv-id in lower case, "" when it has none, and its results (§2.2)."""
    first, *rest = [" ".join(segment.split()) for segment in _segments(value)]
    if "=" in first:  # Some hosts leave their name out.
        return "", _results([first, *rest])
    return first.partition(" ")[0].lower(), _results(rest)


def _results(segments: Iterable[str]) -> tuple[Result, ...]:
    found = []
    for segment in segments:
        match = _RESULT.match(segment)
        if match:
            found.append(Result(match[1].lower(), match[2].lower(), *_domain(segment)))
    return tuple(found)


def _domain(segment: str) -> tuple[str, str]:
    """The domain that a check is about, and the property that names it; the greeting's counts only where nothing else does."""
    named = [(each[2], each[1].replace(" ", "").lower()) for each in _PROPERTY.finditer(segment)]
    written, by = next((one for one in named if one[1] != "smtp.helo"), named[0] if named else ("", ""))
    return written.rpartition("@")[2].strip("<>.").lower(), by


def _segments(value: str) -> list[str]:
    """The header between its semicolons, comments and quotes taken out (RFC 8601 §2.2).

    Hosts copy what senders write into comments. A bracket or quote that is left open would hide all that follows,
    so it is then read as nothing.
    """
    segments, unclosed = _split(value, "()", '"')
    if unclosed == "(":
        segments, unclosed = _split(value, ")", '"')
    if unclosed:
        segments, _ = _split(value, ")", "")
    return segments


def _split(value: str, nesting: str, quote: str) -> tuple[list[str], str]:
    """One try: with `nesting` "()" comments nest, with ")" the first bracket closes them."""
    segments, current = [], []  # type: tuple[list[str], list[str]]
    depth, quoted = 0, False
    for match in _PIECE.finditer(value):
        piece = match.group()
        if depth:
            depth += (piece == "(" and nesting == "()") - (piece == ")")
        elif piece == '"':
            quoted = bool(quote) and not quoted
        elif quoted:
            current.append(piece if _QUOTABLE.fullmatch(piece) else "")
        elif piece == "(":
            depth = 1
            current.append(" ")
        elif piece == ";":
            segments.append("".join(current))
            current = []
        elif piece != ")":
            current.append(piece)
    return [*segments, "".join(current)], "(" if depth else '"' if quoted else ""


def host_results(message: Message, host: str) -> tuple[str, tuple[Result, ...]] | None:
    """The receiving host's own header, read, or None."""
    for value in message.headers.get("authentication-results", "").split("\n")[:_MAX_READ]:
        identity, results = read_results(value[:_MAX_HEADER])
        if value.strip() and (not host or identity == host.lower()):
            return identity, results
    return None


def _received_spf(message: Message) -> tuple[str, Result] | None:
    """Who wrote the topmost Received-SPF header ("" when it does not say), and its result."""
    value = message.headers.get("received-spf", "")[:_MAX_HEADER]
    result = re.match(r"\s*([a-z]+)", value, re.IGNORECASE)
    writer = _WRITER.search(value)
    if not result:
        return None
    return (writer[1] or writer[2]).lower() if writer else "", Result("spf", result[1].lower())


def _weighed(results: Sequence[Result], message: Message) -> list[str]:
    """The methods that failed, less those whose failing says nothing.

    A DMARC pass settles it. A signature of the sender's own domain makes up for a broken one, any for a failed SPF
    (forwarding breaks SPF, signatures outlive it). A mailing list, which breaks them, vouches for its own posts.
    """
    passed = [one for one in results if one.value == "pass"]
    failed = {one.method for one in results if one.value in _FAILED}
    methods = {one.method for one in passed}
    if "dmarc" in failed:
        return [] if _vouched(passed, message) else list(failed - (methods - {"dmarc"}))
    if "dmarc" in methods or _vouched(passed, message):
        return []
    mine = organisation(message.sender.domain)
    if any(one.method == "dkim" and organisation(one.domain or mine) == mine for one in passed):
        failed.discard("dkim")
    return list(failed - {"spf"} if methods & {"dkim", "spf"} else failed)


def _vouched(passed: Iterable[Result], message: Message) -> bool:
    """Whether a mailing list's own domain passed a check (RFC 2919)."""
    if "list-id" not in message.headers:
        return False
    lists = list_domains(message)
    return any(not one.domain or organisation(one.domain) in lists for one in passed)


def list_domains(message: Message) -> set[str]:
    """The registered domains of the mailing list that a message came through (RFC 2919, RFC 2369)."""
    identity = message.headers.get("list-id", "")[:_MAX_HEADER].rpartition("<")[2].strip("> ")
    posts = (post.domain for post in list_posts(message))
    return {organisation(domain) for domain in (identity, *posts) if domain}


def list_posts(message: Message) -> tuple[Address, ...]:
    """Where its mailing list takes mail (RFC 2369 §3.4)."""
    return parse_addresses(message.headers.get("list-post", "")[:_MAX_HEADER].replace("mailto:", ""))


def _names(methods: Iterable[str]) -> tuple[str, ...]:
    found = set(methods)
    return tuple(name for method, name in _METHODS.items() if method in found)

"""`MailQuery` in Gmail's search syntax. Nothing a person or a model types can add an operator."""

import math
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from email_assistant.errors import InputError
from email_assistant.mail.mailbox import MailQuery

FIELDS = ("from", "to", "cc", "subject")
"""The operators for the places where the words of a query are looked for."""

MAX_WORDS_LENGTH = 1_500
"""Words beyond this are not looked for, in characters of the address that asks for them: there is a limit to those."""

_INSIDE = "@._'+-"
_CUT_WORD = 20
_EDGE_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` (inclusive) to `end` (exclusive), in whole seconds since 1970; None is open."""

    start: int | None = None
    end: int | None = None


def search(query: MailQuery, period: Period) -> str:
    """A search for the inbox messages of the query and the period, every word in one of the `FIELDS`.

    It finds a little more: Gmail does not document whether a message of the very second of `after:` or `before:` is
    found, so the period is wider by a second at each end. See `edges`.
    """
    found = ["in:inbox"]
    if query.unread_only:
        found.append("is:unread")
    if period.start is not None and period.start > 1:
        found.append(f"after:{period.start - 1}")
    if period.end is not None:
        found.append(f"before:{max(1, period.end + 1)}")
    return " ".join([*found, *map(_group, words(query.text))])


def period_of(query: MailQuery) -> Period:
    """The period of the query in whole seconds, widened; raises `InputError` for times without a zone."""
    after, before = _seconds("after", query.after), _seconds("before", query.before)
    return Period(None if after is None else math.floor(after), None if before is None else math.ceil(before))


def edges(query: MailQuery) -> list[str]:
    """Searches for the messages close to the ends of the query's period: what else is found is surely within."""
    instants = [
        seconds
        for seconds in (_seconds("after", query.after), _seconds("before", query.before))
        if seconds is not None
    ]
    widened = [Period(math.floor(s) - _EDGE_SECONDS, math.ceil(s) + _EDGE_SECONDS) for s in instants]
    return [search(query, period) for period in widened]


def is_within(query: MailQuery, milliseconds: int) -> bool:
    """Whether a message received at this time, in milliseconds since 1970, is of the query's period."""
    after, before = _seconds("after", query.after), _seconds("before", query.before)
    return (after is None or milliseconds >= after * 1000) and (
        before is None or milliseconds < before * 1000
    )


def sent_search(message_id: str) -> str | None:
    """A search for the sent message of this Message-ID header; None when the id cannot stand in a search."""
    found = draft_search(message_id)
    return f"in:sent {found}" if found else None


def draft_search(message_id: str) -> str | None:
    """A search for the message of this Message-ID header; None when the id cannot stand in a search."""
    bare = message_id.removeprefix("<").removesuffix(">")
    plain = bare.isascii() and bare.isprintable() and not set(bare) & set(" \"(){}<>:\\',|")
    return f"rfc822msgid:{bare}" if bare and plain and not bare.startswith("-") else None


def words(text: str) -> list[str]:
    """The words to search for: letters, digits and marks of any script, with `@._'+-` inside; each once."""
    kept = "".join(c if c in _INSIDE or unicodedata.category(c)[0] in "LMN" else " " for c in text)
    found: dict[str, str] = {}
    left = MAX_WORDS_LENGTH
    for word in (piece.strip(_INSIDE) for piece in kept.split()):
        length = len(quote(_group(word)))
        if length > MAX_WORDS_LENGTH:
            word = word[:_CUT_WORD]  # noqa: PLW2901 - nothing has such a word, and nothing is to be found
            length = len(quote(_group(word)))
        if word and word.casefold() not in found and length <= left:
            left -= length
            found[word.casefold()] = word
    return list(found.values())


def _group(word: str) -> str:
    """Any of the fields; braces are Gmail's OR."""
    return "{" + " ".join(f"{field}:{word}" for field in FIELDS) + "}"


def _seconds(field: str, instant: datetime | None) -> float | None:
    if instant is None:
        return None
    if instant.utcoffset() is None:
        raise InputError(f"'{field}' has no time zone: {instant.isoformat()}")
    return instant.timestamp()

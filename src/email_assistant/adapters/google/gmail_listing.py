"""Listing Gmail's inbox, oldest first, although Gmail lists newest first and tells no times; and `MailQuery` in Gmail's search syntax.

Nothing a person or a model types can add an operator to a search.
"""

import math
import unicodedata
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from email_assistant.adapters.google.api import Build, GoogleApi
from email_assistant.adapters.google.gmail_reading import ME, PAGE, record, records, text
from email_assistant.calendars.event import in_utc
from email_assistant.mail.mailbox import Listed, MailQuery

FIELDS = ("from", "to", "cc", "subject")
"""The operators for the places where the words of a query are looked for."""

MAX_WORDS_LENGTH = 1_500
"""Words beyond this are not looked for, in characters of the address that asks for them: there is a limit to those."""

_INSIDE = "@._'+-"
_CUT_WORD = 20


def search(query: MailQuery) -> str:
    """A search for the messages of the query, every word in one of the `FIELDS`; raises `InputError` for times without a zone.

    It finds a little more: Gmail searches by whole seconds, and does not document whether a message of the very second of `after:` or
    `before:` is found, so the period is wider by a second at each end.
    """
    after, before = _seconds("after", query.after), _seconds("before", query.before)
    found = ["in:sent" if query.sent else "in:inbox"]
    if query.unread_only:
        found.append("is:unread")
    if after is not None and after >= 2:
        found.append(f"after:{math.floor(after) - 1}")
    if before is not None:
        found.append(f"before:{max(1, math.ceil(before) + 1)}")
    return " ".join([*found, *map(_group, words(query.text))])


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
    return None if instant is None else in_utc(field, instant).timestamp()


class GmailListing:
    """The part of the `Mailbox` port that lists the inbox."""

    def __init__(self, api: GoogleApi, *, page: int = PAGE) -> None:
        self._api = api
        self._page_size = page

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the messages that match, oldest first; raises `InputError` for times without a zone.

        Words are found whole, as Gmail's search does, not as parts of words.
        """
        return [listed.id async for listed in self.scan(query)]

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The messages that match, oldest first, each once, and perhaps some of a second or two beside the period.

        All are listed before the first is given: two ids of each are in memory.
        """
        found = (await self._search(search(query)))[::-1]
        for listed in found if query.limit is None else found[: max(0, query.limit)]:
            yield listed

    async def _search(self, query: str) -> list[Listed]:
        """What a search finds, newest first, each once."""
        found: dict[str, Listed] = {}
        token: str | None = None
        while True:
            answer = await self._api.call("gmail", self._page(query, token))
            found.update((listed.id, listed) for listed in _listed(answer))
            following = record(answer).get("nextPageToken")
            if not following or following == token:
                return list(found.values())
            token = str(following)

    def _page(self, query: str, token: str | None) -> Build:
        size = self._page_size
        return lambda gmail: (
            gmail.users().messages().list(userId=ME, q=query, maxResults=size, pageToken=token)
        )


def _listed(answer: Any) -> list[Listed]:
    return [Listed(text(item, "id"), text(item, "threadId")) for item in records(answer, "messages")]

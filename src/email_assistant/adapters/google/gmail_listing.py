"""Listing Gmail's inbox, oldest first, although Gmail lists newest first and tells no times."""

from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from email_assistant.adapters.google.api import Build, GoogleApi
from email_assistant.adapters.google.gmail_answers import ME, get_message, number, record, records, text
from email_assistant.adapters.google.gmail_query import (
    Period,
    edges,
    is_within,
    period_of,
    search,
)
from email_assistant.clock import Clock
from email_assistant.errors import NotFoundError
from email_assistant.mail.mailbox import Listed, MailQuery

PAGE = 500
"""Messages on a page: Gmail's largest."""

WINDOW_PAGES = 10
"""A window of time that holds more pages than this is made smaller."""

GMAIL_BEGAN = 1_080_777_600
"""2004-04-01 in seconds since 1970. Older mail there was imported."""

_DAY = 86_400
# Searches of neighbouring windows overlap by two seconds.
_OVERLAP_SECONDS = 4


class Listing:
    """The inbox of one account."""

    def __init__(
        self, api: GoogleApi, clock: Clock, *, page: int = PAGE, window_pages: int = WINDOW_PAGES
    ) -> None:
        self._api = api
        self._clock = clock
        self._page_size = page
        self._window_pages = window_pages

    async def inbox(self, query: MailQuery) -> list[str]:
        """Ids of the messages that match, oldest first; raises `InputError` for times without a zone."""
        outside = await self._outside(query)
        found = await self._window(query, period_of(query), None) or []
        ids = [listed.id for listed in found if listed.id not in outside]
        return ids if query.limit is None else ids[: max(0, query.limit)]

    async def scan(self, query: MailQuery) -> AsyncIterator[Listed]:
        """The messages that match, oldest first, each once; memory holds a few windows, not the mailbox."""
        left = query.limit
        outside = await self._outside(query)
        recent: deque[tuple[int, frozenset[str]]] = deque()
        async for period, found in self._windows(query):
            while recent and recent[0][0] < (period.start or 0) - _OVERLAP_SECONDS:
                recent.popleft()
            known = outside.union(*(ids for _, ids in recent))
            if period.end is not None:
                recent.append((period.end, frozenset(listed.id for listed in found)))
            for listed in found:
                if listed.id in known:
                    continue
                if left is not None:
                    if left <= 0:
                        return
                    left -= 1
                yield listed

    async def _windows(self, query: MailQuery) -> AsyncIterator[tuple[Period, list[Listed]]]:
        """The query's period in windows that fit, oldest first. Mostly one does."""
        whole = period_of(query)
        found = await self._window(query, whole, self._window_pages)
        if found is not None:
            yield whole, found
            return
        for segment in self._segments(whole):
            async for window, messages in self._split(query, segment):
                yield window, messages

    async def _split(self, query: MailQuery, segment: Period) -> AsyncIterator[tuple[Period, list[Listed]]]:
        """A segment in windows that fit: made smaller where there is much mail, larger where there is little."""
        start = segment.start or 0
        last = segment.end or int(self._clock.now().timestamp()) + _DAY
        last = max(last, start + 1)
        span = last - start
        crowded = 0  # From `start` to here is too much for a window.
        while start < last:
            if start < crowded <= start + span:
                span = max(1, (crowded - start) // 2)
            stop = min(start + span, last)
            # The very first and last windows stay open: imported mail may bear any time.
            window = Period(start or None, segment.end if stop == last else stop)
            found = await self._window(query, window, self._window_pages if span > 1 else None)
            if found is None:
                crowded = stop
                continue
            yield window, found
            start, crowded = stop, 0 if found else crowded
            if 4 * len(found) <= self._page_size * self._window_pages:
                span *= 2

    def _segments(self, whole: Period) -> list[Period]:
        if whole.start is None and (whole.end is None or whole.end > GMAIL_BEGAN):
            return [Period(None, GMAIL_BEGAN), Period(GMAIL_BEGAN, whole.end)]
        return [whole]

    async def _window(self, query: MailQuery, period: Period, pages: int | None) -> list[Listed] | None:
        """The messages of the period, oldest first; None when there are more than that many pages."""
        found = await self._search(search(query, period), pages)
        return found and list(reversed(found))

    async def _search(self, query: str, pages: int | None) -> list[Listed] | None:
        """What a search finds, newest first, each once; None when it is more than that many pages."""
        found: dict[str, Listed] = {}
        read, token = 0, None
        while pages is None or read < pages:
            answer = await self._api.call("gmail", self._page(query, token))
            found.update((listed.id, listed) for listed in _listed(answer))
            following = record(answer).get("nextPageToken")
            if not following or following == token:
                return list(found.values())
            token, read = str(following), read + 1
        return None

    async def _outside(self, query: MailQuery) -> frozenset[str]:
        """Messages that the widened search finds, and that are not of the query's period."""
        close: dict[str, Listed] = {}
        for each in edges(query):
            close.update((listed.id, listed) for listed in await self._search(each, None) or [])
        builds = [get_message(message_id, "minimal") for message_id in close]
        messages = await self._api.batch("gmail", builds) if builds else []
        return frozenset(
            message_id
            for message_id, message in zip(close, messages, strict=True)
            if isinstance(message, NotFoundError)
            or not is_within(query, number(record(message), "internalDate"))
        )

    def _page(self, query: str, token: str | None = None) -> Build:
        size = self._page_size
        return lambda gmail: (
            gmail.users().messages().list(userId=ME, q=query, maxResults=size, pageToken=token)
        )


def _listed(answer: Any) -> list[Listed]:
    return [Listed(text(item, "id"), text(item, "threadId")) for item in records(answer, "messages")]

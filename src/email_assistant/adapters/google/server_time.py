"""The time by Google's clock, for finding out whether this machine's is wrong."""

import asyncio
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from email_assistant.adapters.google.places import Places
from email_assistant.clock import Clock
from email_assistant.errors import ProviderError, TransientError

SECONDS = 10.0


async def clock_error(places: Places, clock: Clock) -> float:
    """By how many seconds `clock` is ahead of Google's (negative: behind), to about a second.

    One small request without a token. Raises `TransientError` when no answer comes, `ProviderError` when the answer
    has no Date header (RFC 9110 §6.6.1).
    """
    before = clock.now()
    answer = await asyncio.to_thread(_head, places.certs_uri)
    after = clock.now()
    told = _date(answer.headers.get("date", ""))
    if told is None:
        raise ProviderError("Google's answer does not say what time it is")
    # The header was written somewhere between; it names the second that had begun.
    return ((before - told) + (after - before) / 2).total_seconds() - 0.5


def _head(url: str) -> httpx.Response:
    try:
        return httpx.head(url, timeout=SECONDS, follow_redirects=False)
    except httpx.HTTPError as error:
        raise TransientError(
            f"Google cannot be reached ({type(error).__name__}): check the connection"
        ) from None


def _date(value: str) -> datetime | None:
    try:
        told = parsedate_to_datetime(value)
    except ValueError:
        return None
    return told if told.tzinfo else told.replace(tzinfo=UTC)

"""Google's certificates, kept for as long as Google says, and asked for at most once at a time."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from email_assistant.errors import TransientError

FETCH_SECONDS = 5.0
"""From connecting to the end of the answer."""
MAX_BYTES = 200_000
KEPT_SECONDS = 300.0
"""Where Google does not say how long."""
LONGEST_SECONDS = 24 * 3600.0
PAUSE_SECONDS = 30.0
"""At least so long between two fetches: a stranger who names unknown keys, or an outage, makes no storm."""


@dataclass
class Certificates:
    """The certificates at one address, by the id of their key."""

    url: str
    monotonic: Callable[[], float] = time.monotonic
    """Seconds of a clock that is never set back."""
    _known: dict[str, str] = field(default_factory=dict, init=False)
    _good_until: float = field(default=float("-inf"), init=False)
    _asked: float = field(default=float("-inf"), init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def of(self, key_id: str) -> Mapping[str, str]:
        """The certificate of that key, {} when Google has none; raises `TransientError` when they cannot be had."""
        async with self._lock:
            now = self.monotonic()
            fresh = now < self._good_until
            if not (fresh and key_id in self._known) and now - self._asked >= PAUSE_SECONDS:
                self._asked = now
                await self._fetch(now)
                fresh = True
            if not fresh:
                raise TransientError("Google's keys cannot be had just now")
            return {key_id: self._known[key_id]} if key_id in self._known else {}

    async def _fetch(self, now: float) -> None:
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                # Reading the machine's own certificates would hold up everybody else on the event loop.
                trusted = await asyncio.to_thread(httpx.create_ssl_context)
                async with httpx.AsyncClient(verify=trusted, follow_redirects=False) as client:
                    kept, found = await _read(client, self.url)
        except (httpx.HTTPError, TimeoutError, ValueError, RecursionError):
            raise TransientError("Google's keys cannot be had just now") from None
        self._known, self._good_until = found, now + kept


async def _read(client: httpx.AsyncClient, url: str) -> tuple[float, dict[str, str]]:
    content = b""
    async with client.stream("GET", url, headers={"accept-encoding": "identity"}) as answer:
        if answer.status_code != 200:
            raise ValueError(f"status {answer.status_code}")
        async for part in answer.aiter_raw():
            content += part
            if len(content) > MAX_BYTES:
                raise ValueError("too long")
    found = json.loads(content)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return _kept(answer.headers), {str(k): v for k, v in found.items() if isinstance(v, str)}


def _kept(headers: httpx.Headers) -> float:
    """Seconds for which the answer may be kept (RFC 9111 §4.2.1), less those it has lain in other caches."""
    said = headers.get("cache-control", "").lower()
    if re.search(r"\bno-(?:store|cache)\b", said):
        return KEPT_SECONDS
    age = re.search(r"\bmax-age=(\d{1,9})\b", said)
    lain = headers.get("age", "")
    seconds = float(age[1]) if age else KEPT_SECONDS
    return min(seconds, LONGEST_SECONDS) - (float(lain) if re.fullmatch(r"\d{1,9}", lain) else 0.0)

"""The identity token that Cloud Pub/Sub shows with a push (OpenID Connect), checked with Google's certificates.

Certificates are kept for as long as Google says, and asked for at most once at a time.
"""

import asyncio
import json
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from google.auth import jwt

from email_assistant.adapters.google.places import Places
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import InputError, TransientError

MAX_TOKEN = 8_192
"""Characters; Google's tokens have about 1,000."""
_ISSUERS = frozenset({"accounts.google.com", "https://accounts.google.com"})
_SKEW_SECONDS = 30

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


@dataclass(frozen=True)
class PushIdentity:
    """Who may push: Google's signature, for our audience, by the one service account we expect.

    What the token says of itself is judged first: for a stranger's nothing is fetched.
    """

    places: Places
    audience: str
    account: str
    clock: Clock = field(default_factory=SystemClock)
    certificates: Certificates = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "certificates", Certificates(self.places.certs_uri))

    async def verify(self, token: str) -> None:
        """Raises `InputError` for a token that is not the expected one's, `TransientError` when Google's keys cannot be had."""
        if len(token) > MAX_TOKEN:
            raise InputError("the push's identity token is not valid")
        key_id = self._judged(token)
        known = await self.certificates.of(key_id)
        if not known:
            raise InputError("the push's identity token is not valid")
        await asyncio.to_thread(self._signed, token, known)

    def _judged(self, token: str) -> str:
        """The id of the key that the token says it is signed with, once all it claims is as it must be."""
        try:
            claims = jwt.decode(token, verify=False)
            key_id = jwt.decode_header(token).get("kid")
        except Exception:  # noqa: BLE001 - a stranger's bytes; whatever they upset, they are no token
            raise InputError("the push's identity token is not valid") from None
        self._check_time(claims)
        if claims.get("iss") not in _ISSUERS:
            raise InputError("the push's identity token is not Google's")
        if claims.get("aud") != self.audience:
            raise InputError(
                "the push's identity token is for another audience: check EMAIL_ASSISTANT_PUSH_AUDIENCE"
            )
        if claims.get("email") != self.account or claims.get("email_verified") is not True:
            raise InputError(
                "the push's identity token is another account's: check EMAIL_ASSISTANT_PUSH_ACCOUNT"
            )
        if not isinstance(key_id, str):
            raise InputError("the push's identity token is not valid")
        return key_id

    def _check_time(self, claims: Mapping[str, Any]) -> None:
        now = self.clock.now().timestamp()
        if not (_seconds(claims, "iat") - _SKEW_SECONDS <= now <= _seconds(claims, "exp") + _SKEW_SECONDS):
            raise InputError("the push's identity token is not valid at this time")

    def _signed(self, token: str, known: Mapping[str, str]) -> None:
        try:
            jwt.decode(token, certs=known, audience=self.audience, clock_skew_in_seconds=_SKEW_SECONDS)
        except Exception:  # noqa: BLE001 - as above; a certificate that cannot be read proves nothing either
            raise InputError("the push's identity token is not valid") from None


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    """The instant of a claim; NaN, which is neither before nor after anything, for what is none."""
    value = claims.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan

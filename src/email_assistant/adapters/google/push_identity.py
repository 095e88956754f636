"""The identity token that Cloud Pub/Sub shows with a push (OpenID Connect)."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from google.auth import jwt

from email_assistant.adapters.google.certificates import Certificates
from email_assistant.adapters.google.places import Places
from email_assistant.clock import Clock, SystemClock
from email_assistant.errors import InputError

MAX_TOKEN = 8_192
"""Characters; Google's tokens have about 1,000."""
_ISSUERS = frozenset({"accounts.google.com", "https://accounts.google.com"})
_SKEW_SECONDS = 30


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

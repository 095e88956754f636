"""The identity token that Cloud Pub/Sub shows with a push (OpenID Connect), checked with Google's certificates."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import google.auth.transport
import httpx
from google.auth.exceptions import TransportError
from google.oauth2 import id_token

from email_assistant.adapters.google.access import Places
from email_assistant.adapters.google.transport import AuthRequest, AuthResponse
from email_assistant.errors import InputError, TransientError

MAX_TOKEN = 8_192
"""Characters; Google's tokens have about 1,000."""
FETCH_SECONDS = 5.0
KEPT_SECONDS = 60.0
"""How long certificates are believed, and a failure: strangers' tokens, or an outage, make no storm. Google tells new keys days ahead."""
_ISSUERS = frozenset({"accounts.google.com", "https://accounts.google.com"})
_SKEW_SECONDS = 30


class Certificates(google.auth.transport.Request):
    """Fetches Google's certificates for google-auth, once in a while; safe to use from several threads."""

    def __init__(self) -> None:
        self.monotonic: Callable[[], float] = time.monotonic
        self._lock = threading.Lock()
        self._asked = float("-inf")
        self._answer = AuthResponse(0, {}, b"")

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: Any = None,
        headers: Any = None,
        timeout: Any = None,
        **_: Any,
    ) -> AuthResponse:
        """The answer of now or of the last minute; raises google-auth's `TransportError` when none came."""
        with self._lock:
            now = self.monotonic()
            if now - self._asked >= KEPT_SECONDS:
                self._asked, self._answer = now, AuthResponse(0, {}, b"")
                with httpx.Client(timeout=FETCH_SECONDS, follow_redirects=False) as client:
                    self._answer = AuthRequest(client)(url, timeout=FETCH_SECONDS)
            return self._answer


@dataclass(frozen=True)
class PushIdentity:
    """Who may push: Google's signature, for our audience, by the one service account we expect."""

    places: Places
    audience: str
    account: str
    certificates: Certificates = field(default_factory=Certificates, repr=False)

    async def verify(self, token: str) -> None:
        """Raises `InputError` for a token that is not the expected one's, `TransientError` when Google's keys cannot be had."""
        claims = await asyncio.to_thread(self._claims, token)
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

    def _claims(self, token: str) -> Mapping[str, Any]:
        """What a token claims that Google has signed and that is valid now."""
        try:
            if len(token) > MAX_TOKEN:
                raise ValueError("too long")
            claims: Mapping[str, Any] = id_token.verify_token(
                token, self.certificates, None, self.places.certs_uri, _SKEW_SECONDS
            )
        except TransportError:
            raise TransientError("Google's keys cannot be had just now") from None
        except Exception:  # noqa: BLE001 - a stranger's bytes; whatever they upset, they are no token
            raise InputError("the push's identity token is not valid") from None
        return claims

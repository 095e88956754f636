"""The identity token that Cloud Pub/Sub shows with a push (OpenID Connect)."""

import asyncio
from dataclasses import dataclass

import google.auth.exceptions
import httpx
from google.oauth2 import id_token

from email_assistant.adapters.google.places import Places
from email_assistant.adapters.google.transport import TIMEOUT_SECONDS, AuthRequest
from email_assistant.errors import InputError, TransientError

_ISSUERS = frozenset({"accounts.google.com", "https://accounts.google.com"})
_SKEW_SECONDS = 30


@dataclass(frozen=True)
class PushIdentity:
    """Who may push: Google's signature, for our audience, by the one service account we expect."""

    places: Places
    audience: str
    account: str

    async def verify(self, token: str) -> None:
        """Raises `InputError` for a token that is not the expected one's, `TransientError` when Google's keys cannot be had."""
        await asyncio.to_thread(self._verify, token)

    def _verify(self, token: str) -> None:
        try:
            with httpx.Client(timeout=TIMEOUT_SECONDS) as client:
                claims = id_token.verify_token(
                    token,
                    AuthRequest(client),
                    audience=self.audience,
                    certs_url=self.places.certs_uri,
                    clock_skew_in_seconds=_SKEW_SECONDS,
                )
        except google.auth.exceptions.TransportError:
            raise TransientError("Google's keys cannot be had just now") from None
        except (google.auth.exceptions.GoogleAuthError, ValueError):
            raise InputError("the push's identity token is not valid") from None
        if claims.get("iss") not in _ISSUERS:
            raise InputError("the push's identity token is not Google's")
        if claims.get("email") != self.account or claims.get("email_verified") is not True:
            raise InputError(
                "the push's identity token is another account's: check EMAIL_ASSISTANT_PUSH_ACCOUNT"
            )

"""Who is in: sessions of the review page, which a person begins with the API token or with a link that counts once.

They are kept in memory: a server that starts anew asks everybody to log in again.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from email_assistant.clock import Clock

COOKIE = "review_session"
KEY = "review-key"
"""The header of a session's other half (docs/adr/0051)."""
LASTS = timedelta(hours=12)
LINK_LASTS = timedelta(minutes=10)


class PageSession(NamedTuple):
    """Both halves are needed: a browser sends the cookie to every port of this machine, its script the key to us alone."""

    cookie: str
    key: str


@dataclass(frozen=True)
class Sessions:
    """Everybody is in while no token is set, because the server listens on loopback only."""

    token: str
    """The API token; "" when none is set."""
    clock: Clock
    _until: dict[str, datetime] = field(default_factory=dict)
    """When each session ends, by the digest of its halves."""
    _links: dict[str, datetime] = field(default_factory=dict)

    def is_in(self, session: PageSession, token: str = "") -> bool:
        """Whether the session is a valid one, or this is the API token."""
        if not self.token or self.is_token(token):
            return True
        until = self._until.get(_digest(*session))
        return until is not None and self.clock.now() < until

    def is_token(self, shown: str) -> bool:
        """Whether this is the API token; False when there is none."""
        return bool(self.token) and hmac.compare_digest(shown.encode(), self.token.encode())

    def by_token(self, shown: str) -> PageSession | None:
        """A new session, None for a wrong token."""
        return self._begun() if self.is_token(shown) else None

    def link(self) -> str:
        """A code that begins one session, once and soon."""
        code = secrets.token_urlsafe(32)
        self._forget_old()
        self._links[_digest(code)] = self.clock.now() + LINK_LASTS
        return code

    def by_link(self, code: str) -> PageSession | None:
        """A new session; None for a code that was used or is too old."""
        until = self._links.pop(_digest(code), None)
        return self._begun() if until is not None and self.clock.now() < until else None

    def end(self, session: PageSession) -> None:
        """This session is over."""
        self._until.pop(_digest(*session), None)

    def end_all(self) -> None:
        """Everybody is out, and no link counts any more."""
        self._until.clear()
        self._links.clear()

    def _begun(self) -> PageSession:
        session = PageSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        self._forget_old()
        self._until[_digest(*session)] = self.clock.now() + LASTS
        return session

    def _forget_old(self) -> None:
        now = self.clock.now()
        for kept in (self._until, self._links):
            for key in [key for key, until in kept.items() if until <= now]:
                del kept[key]


def _digest(*secret: str) -> str:
    """What is kept of a secret, and found by without comparing it character by character."""
    return hashlib.sha256("\n".join(secret).encode()).hexdigest()

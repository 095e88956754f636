"""Who is in: sessions of the review page, which a person begins with the API token or with a link that counts once.

They are kept in memory: a server that starts anew asks everybody to log in again.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from email_assistant.clock import Clock

COOKIE = "review_session"
LASTS = timedelta(hours=12)
LINK_LASTS = timedelta(minutes=10)
MAX_FAILURES = 10
"""Wrong tokens within `FAILURES_LAST`; then nobody is let in by token for a while."""
FAILURES_LAST = timedelta(minutes=1)


@dataclass(frozen=True)
class Sessions:
    """Everybody is in while no token is set, because the server listens on loopback only."""

    token: str
    """The API token; "" when none is set."""
    clock: Clock
    _until: dict[str, datetime] = field(default_factory=dict)
    """When each session ends, by the digest of its id."""
    _links: dict[str, datetime] = field(default_factory=dict)
    _failures: list[datetime] = field(default_factory=list)

    def is_in(self, session: str, key: str = "") -> bool:
        """Whether the session is a valid one, or the key is the API token."""
        if not self.token or self.is_token(key):
            return True
        until = self._until.get(_digest(session))
        return until is not None and self.clock.now() < until

    def is_token(self, shown: str) -> bool:
        """Whether this is the API token; False when there is none."""
        return bool(self.token) and hmac.compare_digest(shown.encode(), self.token.encode())

    def by_token(self, shown: str) -> str | None:
        """The id of a new session, None for a wrong token. Raises `PermissionError` after many of those."""
        now = self.clock.now()
        self._failures[:] = [each for each in self._failures if now - each < FAILURES_LAST]
        if len(self._failures) >= MAX_FAILURES:
            raise PermissionError("Too many wrong tokens: wait a minute.")
        if not self.is_token(shown):
            self._failures.append(now)
            return None
        return self._begun()

    def link(self) -> str:
        """A code that begins one session, once and soon."""
        code = secrets.token_urlsafe(32)
        self._forget_old()
        self._links[_digest(code)] = self.clock.now() + LINK_LASTS
        return code

    def by_link(self, code: str) -> str | None:
        """The id of a new session; None for a code that was used or is too old."""
        until = self._links.pop(_digest(code), None)
        return self._begun() if until is not None and self.clock.now() < until else None

    def end(self, session: str) -> None:
        """This session is over."""
        self._until.pop(_digest(session), None)

    def end_all(self) -> None:
        """Everybody is out, and no link counts any more."""
        self._until.clear()
        self._links.clear()

    def _begun(self) -> str:
        session = secrets.token_urlsafe(32)
        self._forget_old()
        self._until[_digest(session)] = self.clock.now() + LASTS
        return session

    def _forget_old(self) -> None:
        now = self.clock.now()
        for kept in (self._until, self._links):
            for key in [key for key, until in kept.items() if until <= now]:
                del kept[key]


def _digest(secret: str) -> str:
    """What is kept of a secret, and found by without comparing it character by character."""
    return hashlib.sha256(secret.encode()).hexdigest()

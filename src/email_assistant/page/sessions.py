"""Sessions of the review page, on record: every worker knows them, and so does a server that starts anew.

Only digests are kept, made with the API token: they open nothing, and another token ends every session.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import PrimaryKeyConstraint, Table, delete, insert, select

from email_assistant.clock import Clock
from email_assistant.journal.database import Database
from email_assistant.journal.engines import one_read, one_write
from email_assistant.journal.sql import METADATA, text_column, time_column

LASTS = timedelta(hours=12)
LINK_LASTS = timedelta(minutes=10)

# What lets somebody in, a session or a link that begins one, and until when.
SESSIONS = Table(
    "sessions", METADATA, text_column("digest"), time_column("until"), PrimaryKeyConstraint("digest")
)
_S = SESSIONS.c


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
    database: Database

    async def is_in(self, session: PageSession, token: str = "") -> bool:
        """Whether the session is a valid one, or this is the API token."""
        if not self.token or self.is_token(token):
            return True
        return all(session) and await self._counts(self._digest("session", *session))

    def is_token(self, shown: str) -> bool:
        """Whether this is the API token; False when there is none."""
        return bool(self.token) and hmac.compare_digest(shown.encode(), self.token.encode())

    async def by_token(self, shown: str) -> PageSession | None:
        """A new session, None for a wrong token."""
        return await self._begun() if self.is_token(shown) else None

    async def link(self) -> str:
        """A code that begins one session, once and soon."""
        code = secrets.token_urlsafe(32)
        await self._keep(self._digest("link", code), LINK_LASTS)
        return code

    async def by_link(self, code: str) -> PageSession | None:
        """A new session; None for a code that was used or is too old."""
        return await self._begun() if await self._take(self._digest("link", code)) else None

    async def end(self, session: PageSession) -> None:
        """This session is over."""
        await self._take(self._digest("session", *session))

    @one_write
    async def end_all(self) -> None:
        """Everybody is out, and no link counts any more."""
        async with self.database.begin() as connection:
            await connection.execute(delete(SESSIONS))

    async def _begun(self) -> PageSession:
        session = PageSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        await self._keep(self._digest("session", *session), LASTS)
        return session

    @one_read
    async def _counts(self, digest: str) -> bool:
        found = select(_S.digest).where(_S.digest == digest, _S.until > self.clock.now())
        async with self.database.read() as connection:
            return (await connection.execute(found)).first() is not None

    @one_write
    async def _keep(self, digest: str, lasts: timedelta) -> None:
        now = self.clock.now()
        async with self.database.begin() as connection:
            await connection.execute(delete(SESSIONS).where(_S.until <= now))
            await connection.execute(insert(SESSIONS).values(digest=digest, until=now + lasts))

    @one_write
    async def _take(self, digest: str) -> bool:
        """Whether it counted; it does no more."""
        mine = delete(SESSIONS).where(_S.digest == digest, _S.until > self.clock.now())
        async with self.database.begin() as connection:
            return bool((await connection.execute(mine)).rowcount)

    def _digest(self, *secret: str) -> str:
        """With the word for what it is first: a session counts as no link, nor a link as a session, whatever newlines are in them."""
        return hmac.digest(self.token.encode(), "\n".join(secret).encode(), "sha256").hex()

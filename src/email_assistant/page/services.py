"""Services of the page's routes: sessions, answers, and what tells a tab that something has changed."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from langgraph_sdk.client import LangGraphClient

from email_assistant.app.assistant import AppDeps
from email_assistant.journal.attention import failing_now
from email_assistant.journal.records import MailStatus
from email_assistant.page.answering import Answering
from email_assistant.page.sessions import Sessions
from email_assistant.review.waiting import all_threads

_IN_WORK = (MailStatus.claimed, MailStatus.processing)


@dataclass
class PageServices:
    """The server that the page is part of; nothing is opened before the first request."""

    deps: Callable[[], Awaitable[AppDeps]]
    client: Callable[[], Awaitable[LangGraphClient]]
    """A client of this very server, which needs no key."""
    answering: Answering = field(init=False)
    """The answers that are given to their cards."""
    _sessions: Sessions | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.answering = Answering(self.deps, self.client)

    async def sessions(self) -> Sessions:
        """Who is in."""
        if self._sessions is None:
            deps = await self.deps()
            token = deps.settings.api_token
            self._sessions = Sessions(token.get_secret_value() if token else "", deps.clock, deps.database)
        return self._sessions

    async def changes(self) -> dict[str, Any]:
        """{"digest": of what the list and the banner show, "reading": mails that are being worked on}; reads no card."""
        deps, client = await self.deps(), await self.client()
        fields = ("thread_id", "updated_at")
        waiting = await all_threads(client, "interrupted", sort_by="created_at", select=fields)
        threads = sorted((str(each["thread_id"]), str(each["updated_at"])) for each in waiting)
        deferred = await deps.trace.last_deferred()
        answered = await deps.trace.last_answered()
        failing = (await failing_now(deps.database)).number
        by_status = await deps.mail_log.count_by_status()
        seen = repr((threads, deferred, answered, failing)).encode()
        reading = sum(by_status.get(status, 0) for status in _IN_WORK)
        return {"digest": hashlib.sha256(seen).hexdigest()[:32], "reading": reading}

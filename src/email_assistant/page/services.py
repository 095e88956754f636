"""What the review page works with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from langgraph_sdk.client import LangGraphClient

from email_assistant.app.container import Container
from email_assistant.page.events import EventFeed
from email_assistant.page.releasing import AnswerRelease
from email_assistant.page.session import Sessions


@dataclass
class PageServices:
    """The server that the page is part of; nothing is opened before the first request."""

    container: Callable[[], Awaitable[Container]]
    client: Callable[[], Awaitable[LangGraphClient]]
    """A client of this very server, which needs no key."""
    releasing: AnswerRelease = field(init=False)
    """The answers that are held, and the task that gives them to their cards."""
    events: EventFeed = field(init=False)
    _sessions: Sessions | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.releasing = AnswerRelease(self.container, self.client)
        self.events = EventFeed(self.container, self.client)

    async def sessions(self) -> Sessions:
        """Who is in."""
        if self._sessions is None:
            built = await self.container()
            token = built.settings.api_token
            self._sessions = Sessions(token.get_secret_value() if token else "", built.clock)
        return self._sessions

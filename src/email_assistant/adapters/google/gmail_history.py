"""Gmail's history: what came into the inbox since a cursor."""

from dataclasses import dataclass, field
from typing import Any

from email_assistant.adapters.google.api import Build, GoogleApi
from email_assistant.adapters.google.gmail_answers import ME, get_message, label_ids, record, records, text
from email_assistant.errors import (
    AccessError,
    CursorExpiredError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.mail.mailbox import Changes, Listed

PAGE = 500
_NOT_RECEIVED = frozenset({"DRAFT", "SPAM", "TRASH", "CHAT"})
_MAX_CURSOR = 100


class History:
    """The history of one account. A cursor is a history id, which may be longer than 64 bits: it stays text."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def cursor(self) -> str:
        """Where the account's history stands now."""
        profile = await self._api.call("gmail", lambda gmail: gmail.users().getProfile(userId=ME))
        return text(record(profile), "historyId")

    async def changes(self, cursor: str, *, unread_only: bool) -> Changes:
        """What is in the inbox now and came in after the cursor; raises `CursorExpiredError`."""
        found = await self._read(cursor)
        messages = await self._now(list(found.candidates))
        listed = []
        for message_id, message in messages.items():
            labels = label_ids(message)
            mail_thread_id = text(message, "threadId")
            if "SENT" in labels and message_id in found.unlabelled:
                found.answered[mail_thread_id] = None
            if "INBOX" not in labels or labels & _NOT_RECEIVED or (unread_only and "UNREAD" not in labels):
                continue
            listed.append(Listed(message_id, mail_thread_id))
        return Changes(tuple(listed), found.cursor, tuple(found.answered))

    async def _read(self, cursor: str) -> "_Found":
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_CURSOR):
            raise CursorExpiredError("the cursor is not one of Gmail's")
        found = _Found()
        token: str | None = None
        while True:
            answer = record(await self._page(cursor, token))
            # The first page's: what happens while the others are read is told again the next time.
            found.cursor = found.cursor or text(answer, "historyId")
            for entry in records(answer, "history"):
                found.add(entry)
            following = answer.get("nextPageToken")
            if not following or following == token:
                return found
            token = str(following)

    async def _page(self, cursor: str, token: str | None) -> Any:
        try:
            return await self._api.call("gmail", _history(cursor, token))
        except (TransientError, AccessError):
            raise
        except (NotFoundError, ProviderError) as error:
            # Too old is a 404, unreadable a 400; if it was something else, listing anew will say so.
            raise CursorExpiredError(f"Gmail cannot tell what changed since the cursor: {error}") from error

    async def _now(self, message_ids: list[str]) -> dict[str, dict[str, Any]]:
        """The messages with their labels of now, in order; deleted ones are left out."""
        answers = await self._api.batch("gmail", [get_message(each, "minimal") for each in message_ids])
        return {
            message_id: record(answer)
            for message_id, answer in zip(message_ids, answers, strict=True)
            if not isinstance(answer, NotFoundError)
        }


@dataclass(slots=True)
class _Found:
    """What the history's entries say; dicts are sets that keep their order."""

    cursor: str = ""
    candidates: dict[str, None] = field(default_factory=dict)
    """Messages that may be in the inbox now, in the order in which they came."""
    unlabelled: set[str] = field(default_factory=set)
    """Those of which the history does not tell the labels."""
    answered: dict[str, None] = field(default_factory=dict)

    def add(self, entry: dict[str, Any]) -> None:
        for added in records(entry, "messagesAdded"):
            message = record(added.get("message"))
            labels = label_ids(message)
            if "SENT" in labels and "DRAFT" not in labels:
                self.answered[text(message, "threadId")] = None
            if "INBOX" in labels or not labels:
                self.candidates[text(message, "id")] = None
            if not labels:
                self.unlabelled.add(text(message, "id"))
        for moved in records(entry, "labelsAdded"):
            message = record(moved.get("message"))
            labels = label_ids(moved)
            if "SENT" in labels:
                self.answered[text(message, "threadId")] = None
            if "INBOX" in labels:
                self.candidates[text(message, "id")] = None


def _history(cursor: str, token: str | None) -> Build:
    return lambda gmail: (
        gmail.users()
        .history()
        .list(
            userId=ME,
            startHistoryId=cursor,
            historyTypes=["messageAdded", "labelAdded"],
            maxResults=PAGE,
            pageToken=token,
        )
    )

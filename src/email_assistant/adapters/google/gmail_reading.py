"""Reading Gmail: messages, conversations, and what came in since a cursor, a few calls at a time and in bounded memory.

Ids are checked before they are sent, answers before they count.
"""

import asyncio
import base64
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from email_assistant.adapters.google.api import Build, GoogleApi, together
from email_assistant.clock import at_seconds
from email_assistant.errors import (
    AccessError,
    CursorExpiredError,
    NotFoundError,
    ProviderError,
    TransientError,
)
from email_assistant.mail.conversation import in_order
from email_assistant.mail.mailbox import Changes, Listed, Whereabouts
from email_assistant.mail.message import Message
from email_assistant.mail.mime import attachment_content, parse_message

ME = "me"

_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")

MAX_IN_CONVERSATION = 100
"""Of a longer conversation the newest messages are read."""

_LEFT_OUT = frozenset({"DRAFT", "SPAM", "TRASH", "CHAT"})
_PLACES = frozenset({"INBOX", "SPAM", "TRASH"})

PAGE = 500
"""Messages on a page: Gmail's largest."""
_MAX_CURSOR = 100


def checked_id(value: str) -> str:
    """The id; raises `NotFoundError` for text that cannot be one of Gmail's."""
    if not is_id(value):
        raise NotFoundError(f"Gmail has no such item: {value[:100]!r}")
    return value


def is_id(value: str) -> bool:
    """Whether the text can be one of Gmail's ids."""
    return bool(_ID.fullmatch(value))


def get_message(message_id: str, form: Literal["minimal", "raw"]) -> Build:
    """The call for one message: its labels and times, with "raw" also its source."""
    return lambda gmail: gmail.users().messages().get(userId=ME, id=message_id, format=form)


def record(value: Any) -> dict[str, Any]:
    """The JSON object; raises `ProviderError` for anything else."""
    if not isinstance(value, dict):
        raise ProviderError("Gmail's answer cannot be understood: not a JSON object")
    return value


def records(value: Any, key: str) -> list[dict[str, Any]]:
    """The list of objects under this key; Gmail leaves empty lists out. Raises `ProviderError` for anything else."""
    found = record(value).get(key, [])
    if not isinstance(found, list):
        raise ProviderError(f"Gmail's answer cannot be understood: '{key}' is not a list")
    return [record(item) for item in found]


def text(value: dict[str, Any], key: str) -> str:
    """The text under this key; raises `ProviderError` when there is none."""
    found = value.get(key)
    if not isinstance(found, str) or not found:
        raise ProviderError(f"Gmail's answer cannot be understood: it has no '{key}'")
    return found


def number(value: dict[str, Any], key: str) -> int:
    """The whole number under this key, which Gmail writes as text when it may be long; 0 when there is none."""
    found = value.get(key, 0)
    try:
        return int(found)
    except (TypeError, ValueError):
        raise ProviderError(f"Gmail's answer cannot be understood: '{key}' is not a number") from None


def label_ids(message: dict[str, Any]) -> frozenset[str]:
    """The ids of the message's labels, the system's included; a message without any has no such list."""
    found = message.get("labelIds") or []
    if not isinstance(found, list):
        raise ProviderError("Gmail's answer cannot be understood: 'labelIds' is not a list")
    return frozenset(map(str, found))


def raw_bytes(message: dict[str, Any]) -> bytes:
    """The source of a message that was asked for with format=raw (base64url, RFC 4648 §5)."""
    coded = text(message, "raw")
    try:
        return base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
    except ValueError:  # not base64, or not even ASCII
        raise ProviderError("Gmail's answer cannot be understood: 'raw' is not base64") from None


def header_values(message: dict[str, Any]) -> dict[str, list[str]]:
    """The headers of a message that was asked for with format=metadata, names in lower case."""
    found: dict[str, list[str]] = {}
    for header in records(message.get("payload") or {}, "headers"):
        found.setdefault(str(header.get("name", "")).lower(), []).append(str(header.get("value", "")))
    return found


class GmailReading:
    """The part of the `Mailbox` port that reads messages, conversations and what has changed."""

    _api: GoogleApi

    async def labels_of(self, message_id: str) -> frozenset[str]:
        """Ids of the message's labels, the system's included; raises `NotFoundError`."""
        checked_id(message_id)
        answer = await self._api.call("gmail", get_message(message_id, "minimal"))
        return label_ids(record(answer))

    async def wait(self, seconds: float) -> None:
        """It says nothing by itself."""
        await asyncio.sleep(seconds)

    async def fetch(self, message_id: str) -> Message:
        """The message; raises `NotFoundError`."""
        checked_id(message_id)
        answer = await self._api.call("gmail", get_message(message_id, "raw"))
        return await asyncio.to_thread(_parsed, record(answer))

    async def in_place(self, message_ids: Collection[str]) -> frozenset[str]:
        """Those that are labelled as in the inbox or as sent, and not as trash or junk."""
        messages = await self._now([each for each in message_ids if is_id(each)])
        return frozenset(
            each for each, found in messages.items() if _where(label_ids(found)) is Whereabouts.IN_PLACE
        )

    async def where(self, message: Message) -> Whereabouts:
        """By its labels; what is deleted for good is thrown away."""
        try:
            return _where(await self.labels_of(message.id))
        except NotFoundError:
            return Whereabouts.THROWN_AWAY

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in one attachment; raises `NotFoundError`."""
        checked_id(message_id)
        raw = raw_bytes(record(await self._api.call("gmail", get_message(message_id, "raw"))))
        return await asyncio.to_thread(attachment_content, raw, index)

    async def thread(self, mail_thread_id: str) -> list[Message]:
        """Received and sent messages of the conversation, the newest 100, oldest first; [] when unknown."""
        return (await self.threads([mail_thread_id]))[mail_thread_id]

    async def threads(self, mail_thread_ids: Sequence[str]) -> dict[str, list[Message]]:
        """The messages of each conversation, oldest first (`in_order`); no drafts, no junk."""
        known = list(dict.fromkeys(each for each in mail_thread_ids if is_id(each)))
        answers = await together(self._api.call("gmail", _thread(each)) for each in known)
        conversations = dict(zip(known, map(_newest, answers), strict=True))
        wanted = [each for ids in conversations.values() for each in ids]
        found = await together(self.fetch(each) for each in wanted)
        messages = {each.id: each for each in found if not isinstance(each, NotFoundError)}
        return {
            each: in_order([messages[one] for one in conversations.get(each, ()) if one in messages])
            for each in mail_thread_ids
        }

    async def cursor(self) -> str:
        """The account's history id as it is now. It may be longer than 64 bits: it stays text."""
        profile = await self._api.call("gmail", lambda gmail: gmail.users().getProfile(userId=ME))
        return text(record(profile), "historyId")

    async def changes(self, cursor: str, *, unread_only: bool = False) -> Changes:
        """What is in the inbox now and came in after the cursor; raises `CursorExpiredError`."""
        found = await self._history_since(cursor)
        messages = await self._now(list(found.candidates))
        listed = []
        for message_id, message in messages.items():
            labels = label_ids(message)
            mail_thread_id = text(message, "threadId")
            if "SENT" in labels and message_id in found.unlabelled:
                found.answered[mail_thread_id] = None
            if "INBOX" not in labels or labels & _LEFT_OUT or (unread_only and "UNREAD" not in labels):
                continue
            listed.append(Listed(message_id, mail_thread_id))
        return Changes(tuple(listed), found.cursor, tuple(found.answered), tuple(found.moved))

    async def _history_since(self, cursor: str) -> "_Found":
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= _MAX_CURSOR):
            raise CursorExpiredError("the cursor is not one of Gmail's")
        found = _Found()
        token: str | None = None
        while True:
            answer = record(await self._history_page(cursor, token))
            # The first page's: what happens while the others are read is told again the next time.
            found.cursor = found.cursor or text(answer, "historyId")
            for entry in records(answer, "history"):
                found.add(entry)
            following = answer.get("nextPageToken")
            if not following or following == token:
                return found
            token = str(following)

    async def _history_page(self, cursor: str, token: str | None) -> Any:
        try:
            return await self._api.call("gmail", _history(cursor, token))
        except (TransientError, AccessError):
            raise
        except (NotFoundError, ProviderError) as error:
            # Too old is a 404, unreadable a 400; if it was something else, listing anew will say so.
            raise CursorExpiredError(f"Gmail cannot tell what changed since the cursor: {error}") from error

    async def _now(self, message_ids: list[str]) -> dict[str, dict[str, Any]]:
        """The messages with their labels of now, in order; deleted ones are left out."""
        answers = await together(
            self._api.call("gmail", get_message(each, "minimal")) for each in message_ids
        )
        return {
            message_id: record(answer)
            for message_id, answer in zip(message_ids, answers, strict=True)
            if not isinstance(answer, NotFoundError)
        }


def _newest(conversation: Any) -> list[str]:
    """Ids of a conversation's messages, the newest 100, oldest first; no drafts, no junk."""
    if isinstance(conversation, NotFoundError):
        return []
    kept = [m for m in records(conversation, "messages") if not label_ids(m) & _LEFT_OUT]
    received = sorted((number(m, "internalDate"), text(m, "id")) for m in kept)
    return [message_id for _, message_id in received[-MAX_IN_CONVERSATION:]]


def _where(labels: frozenset[str]) -> Whereabouts:
    if "TRASH" in labels:
        return Whereabouts.THROWN_AWAY
    if "SPAM" in labels:
        return Whereabouts.JUNK
    return Whereabouts.IN_PLACE if labels & {"INBOX", "SENT"} else Whereabouts.MOVED


def _parsed(message: dict[str, Any]) -> Message:
    found = parse_message(
        raw_bytes(message), id=text(message, "id"), mail_thread_id=text(message, "threadId")
    )
    labels = label_ids(message)
    headers = {**found.headers, "x-gmail-labels": ",".join(sorted(labels))}
    arrived = at_seconds(number(message, "internalDate") / 1000)
    return replace(found, sent="SENT" in labels, headers=headers, arrived=arrived)


def _thread(mail_thread_id: str) -> Build:
    return lambda gmail: gmail.users().threads().get(userId=ME, id=mail_thread_id, format="minimal")


@dataclass(slots=True)
class _Found:
    """What the history's entries say; dicts are sets that keep their order."""

    cursor: str = ""
    candidates: dict[str, None] = field(default_factory=dict)
    """Messages that may be in the inbox now, in the order in which they came."""
    unlabelled: set[str] = field(default_factory=set)
    """Those of which the history does not tell the labels."""
    answered: dict[str, None] = field(default_factory=dict)
    moved: dict[str, None] = field(default_factory=dict)

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
        for kind in ("messagesDeleted", "labelsAdded", "labelsRemoved"):
            for each in records(entry, kind):
                if kind == "messagesDeleted" or label_ids(each) & _PLACES:
                    self.moved[text(record(each.get("message")), "id")] = None
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
            historyTypes=["messageAdded", "messageDeleted", "labelAdded", "labelRemoved"],
            maxResults=PAGE,
            pageToken=token,
        )
    )

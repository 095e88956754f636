"""Reading Gmail's messages and conversations in few requests, and in bounded memory."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from email_assistant.adapters.google.api import BATCH, Build, GoogleApi
from email_assistant.adapters.google.gmail_answers import (
    ME,
    checked_id,
    get_message,
    is_id,
    label_ids,
    number,
    raw_bytes,
    record,
    records,
    text,
)
from email_assistant.errors import NotFoundError
from email_assistant.mail.message import Message
from email_assistant.mail.mime import attachment_content, parse_message
from email_assistant.mail.threading import in_order

MAX_MESSAGE = 32 * 1024 * 1024
"""No more than this of a message's source is taken apart, in bytes."""

MAX_IN_CONVERSATION = 100
"""Of a longer conversation the newest messages are read."""

CUT_NOTE = "The message is too large to be read whole; its end was left out."

_BATCH_BYTES = 16 * 1024 * 1024
_LEFT_OUT = frozenset({"DRAFT", "SPAM", "TRASH", "CHAT"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message of a conversation, not yet read."""

    id: str
    received: int
    """In milliseconds since 1970."""
    size: int
    """About how long its source is, in bytes."""


class GmailReading:
    """The messages of one account."""

    def __init__(self, api: GoogleApi) -> None:
        self._api = api

    async def labels_of(self, message_id: str) -> frozenset[str]:
        """Ids of the message's labels, the system's included; raises `NotFoundError`."""
        checked_id(message_id)
        answer = await self._api.call("gmail", get_message(message_id, "minimal"))
        return label_ids(record(answer))

    async def fetch(self, message_id: str) -> Message:
        """The message; raises `NotFoundError`."""
        checked_id(message_id)
        answer = await self._api.call("gmail", get_message(message_id, "raw"))
        return await asyncio.to_thread(_parsed, record(answer))

    async def attachment(self, message_id: str, index: int) -> bytes:
        """What is in one attachment; raises `NotFoundError`."""
        checked_id(message_id)
        raw = raw_bytes(record(await self._api.call("gmail", get_message(message_id, "raw"))))
        return await asyncio.to_thread(attachment_content, raw[:MAX_MESSAGE], index)

    async def threads(self, mail_thread_ids: Iterable[str]) -> dict[str, list[Message]]:
        """The messages of each conversation, oldest first (`in_order`); no drafts, no junk."""
        conversations = await self._entries(list(dict.fromkeys(mail_thread_ids)))
        wanted = [entry for entries in conversations.values() for entry in entries]
        messages: dict[str, Message] = {}
        for group in _groups(wanted):
            answers = await self._api.batch("gmail", [get_message(entry.id, "raw") for entry in group])
            there = [record(answer) for answer in answers if not isinstance(answer, NotFoundError)]
            for message in await asyncio.to_thread(_all_parsed, there):
                messages[message.id] = message
        return {
            mail_thread_id: in_order([messages[entry.id] for entry in entries if entry.id in messages])
            for mail_thread_id, entries in conversations.items()
        }

    async def _entries(self, mail_thread_ids: Sequence[str]) -> dict[str, list[_Entry]]:
        known = [each for each in mail_thread_ids if is_id(each)]
        answers = await self._api.batch("gmail", [_thread(each) for each in known])
        found: dict[str, list[_Entry]] = {each: [] for each in mail_thread_ids}
        for mail_thread_id, answer in zip(known, answers, strict=True):
            if not isinstance(answer, NotFoundError):
                entries = [_entry(m) for m in records(answer, "messages") if not label_ids(m) & _LEFT_OUT]
                entries.sort(key=lambda entry: (entry.received, entry.id))
                found[mail_thread_id] = entries[-MAX_IN_CONVERSATION:]
        return found


def _groups(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """The messages in groups that fit into one answer."""
    group: list[_Entry] = []
    size = 0
    for entry in entries:
        if group and (size + entry.size > _BATCH_BYTES or len(group) == BATCH):
            yield group
            group, size = [], 0
        group.append(entry)
        size += entry.size
    if group:
        yield group


def _entry(message: dict[str, Any]) -> _Entry:
    return _Entry(text(message, "id"), number(message, "internalDate"), number(message, "sizeEstimate"))


def _all_parsed(messages: list[dict[str, Any]]) -> list[Message]:
    return [_parsed(message) for message in messages]


def _parsed(message: dict[str, Any]) -> Message:
    raw = raw_bytes(message)
    found = parse_message(raw[:MAX_MESSAGE], id=text(message, "id"), mail_thread_id=text(message, "threadId"))
    notes = (*found.notes, CUT_NOTE) if len(raw) > MAX_MESSAGE else found.notes
    return replace(found, sent="SENT" in label_ids(message), notes=notes)


def _thread(mail_thread_id: str) -> Build:
    return lambda gmail: gmail.users().threads().get(userId=ME, id=mail_thread_id, format="minimal")

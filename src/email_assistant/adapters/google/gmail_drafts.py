"""Gmail's drafts, and finding again what was saved or sent.

Gmail may put a Message-ID of its own in place of ours when it saves or sends. So our id goes along in a header that
Gmail does not know, and what a search does not find is looked for among the newest messages; the search also lags
behind by some seconds.
"""

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from email_assistant.adapters.google.account import read_account
from email_assistant.adapters.google.api import Build, GoogleApi, together
from email_assistant.adapters.google.gmail_listing import draft_search, sent_search
from email_assistant.adapters.google.gmail_reading import (
    ME,
    checked_id,
    header_values,
    is_id,
    label_ids,
    raw_bytes,
    record,
    records,
    text,
)
from email_assistant.errors import AccessError, NotFoundError, ProviderError, TransientError
from email_assistant.mail import mime_parts
from email_assistant.mail.address import Address
from email_assistant.mail.conversation import message_ids
from email_assistant.mail.message import Draft, OutgoingMessage
from email_assistant.mail.wire import from_bytes, to_bytes

OWN_ID = "X-Email-Assistant-ID"
"""The header that holds the Message-ID we chose."""

LOOKED_AT = 50
"""Of the drafts and of the sent messages, so many of the newest are looked at when a search finds nothing."""

_ID_HEADERS = ("Message-ID", "X-Google-Original-Message-ID", OWN_ID)


@dataclass(frozen=True, slots=True)
class _Place:
    """A message to look at: a draft's, or a sent one."""

    id: str
    draft_id: str = ""


class GmailDrafts:
    """The part of the `Mailbox` port that saves drafts, sends them and finds what became of them."""

    _api: GoogleApi
    _address: str

    async def save_draft(self, message: OutgoingMessage, *, replaces: str | None = None) -> Draft:
        """Save a draft, with `replaces` in place of that one and under its id; when its conversation is gone, without.

        Its sender is the account's own address where the account may not send as the one given, which Gmail would replace unsaid.
        Raises `NotFoundError` when `replaces` names no draft, `InputError` when the message cannot be written.
        """
        # What would break out of its header is refused before anything is asked.
        to_bytes(message, date=None)
        if replaces is not None:
            checked_id(replaces)
        message = replace(message, sender=await self._sender(message.sender))
        # Without a Date: that of the draft would be days old when a person approves it, and Gmail dates what it sends.
        raw = f"{OWN_ID}: {message.message_id}\r\n".encode() + to_bytes(message, date=None)
        message_id = message.message_id
        try:
            saved = await self._put(raw, message_id, message.mail_thread_id, replaces)
        except (TransientError, AccessError):
            raise
        except (NotFoundError, ProviderError):
            # The conversation may be gone, or its id be one that Gmail does not know.
            if not message.mail_thread_id or (replaces is not None and await self._get(replaces) is None):
                raise
            saved = await self._put(raw, message_id, "", replaces)
        answer = record(saved)
        thread_id = text(record(answer.get("message")), "threadId")
        return Draft(text(answer, "id"), _in_thread(message, thread_id))

    async def _sender(self, wanted: Address) -> Address:
        if wanted.key == self._address.lower():
            return wanted
        account = await read_account(self._api)
        may = wanted.key in {each.lower() for each in account.aliases}
        return wanted if may else Address(self._address, wanted.name)

    async def _put(self, raw: bytes, message_id: str, mail_thread_id: str, replaces: str | None) -> Any:
        content = {"raw": base64.urlsafe_b64encode(raw).decode()}
        if mail_thread_id:
            content["threadId"] = mail_thread_id
        body: dict[str, Any] = {"message": content}
        if replaces is None:
            # An answer may have been lost on its way: a second draft would be sent or deleted beside the first.
            return await self._api.call(
                "gmail",
                lambda gmail: gmail.users().drafts().create(userId=ME, body=body),
                repeatable=False,
                already=lambda: self._find(message_id),
            )
        return await self._api.call(
            "gmail", lambda gmail: gmail.users().drafts().update(userId=ME, id=replaces, body=body)
        )

    async def draft(self, draft_id: str) -> Draft | None:
        """The draft as it is now, or None when it is gone."""
        found = await self._get(draft_id) if is_id(draft_id) else None
        return await asyncio.to_thread(_draft, found) if found else None

    async def find_draft(self, message_id_header: str) -> Draft | None:
        """The draft that we gave this Message-ID, or None."""
        found = await self._find(message_id_header)
        return await asyncio.to_thread(_draft, found) if found else None

    async def _find(self, message_id_header: str) -> dict[str, Any] | None:
        wanted = next(iter(message_ids(message_id_header)), "")
        query = draft_search(wanted) if wanted else None
        seen: set[str] = set()
        for search in [query, None] if query else [None] if wanted else []:
            places = [place for place in await self._places(search) if place.id not in seen]
            for place, ids in zip(places, await self._ids(places), strict=True):
                if wanted in ids and (found := await self._get(place.draft_id)):
                    return found
            seen.update(place.id for place in places)
        return None

    async def delete_draft(self, draft_id: str) -> None:
        """Delete the draft; no error when it is gone."""
        if not is_id(draft_id):
            return
        try:
            await self._api.call("gmail", lambda gmail: gmail.users().drafts().delete(userId=ME, id=draft_id))
        except NotFoundError:
            return

    async def send_draft(self, draft_id: str) -> str:
        """Send the draft as it is, once; returns the sent message's id. Raises `NotFoundError` when it is gone."""
        body = {"id": checked_id(draft_id)}
        answer = await self._api.call(
            "gmail", lambda gmail: gmail.users().drafts().send(userId=ME, body=body), repeatable=False
        )
        try:
            return text(record(answer), "id")
        except ProviderError as error:
            # Other than a refusal this leaves open whether the mail is out, which only a transient error says.
            raise TransientError(f"the draft was sent, or not: {error}") from error

    async def find_sent(self, message_id_header: str) -> str | None:
        """The id of the sent message that we gave this Message-ID, or None."""
        wanted = next(iter(message_ids(message_id_header)), "")
        if not wanted:
            return None
        for query in (sent_search(wanted), None):
            places = await self._sent(query)
            for place, ids in zip(places, await self._ids(places, label="SENT"), strict=True):
                if wanted in ids:
                    return place.id
        return None

    async def maybe_sent(self, message_id_header: str) -> str:
        """It is always known: sending takes the draft away."""
        return ""

    async def _get(self, draft_id: str) -> dict[str, Any] | None:
        try:
            answer = await self._api.call(
                "gmail", lambda gmail: gmail.users().drafts().get(userId=ME, id=draft_id, format="raw")
            )
        except NotFoundError:
            return None
        return record(answer)

    async def _places(self, query: str | None) -> list[_Place]:
        answer = await self._api.call(
            "gmail", lambda gmail: gmail.users().drafts().list(userId=ME, q=query, maxResults=LOOKED_AT)
        )
        return [
            _Place(text(record(draft.get("message")), "id"), text(draft, "id"))
            for draft in records(answer, "drafts")
        ]

    async def _sent(self, query: str | None) -> list[_Place]:
        # By its label a message is listed as soon as it is sent, by a search some time later.
        answer = await self._api.call(
            "gmail",
            lambda gmail: (
                gmail.users().messages().list(userId=ME, q=query, labelIds=["SENT"], maxResults=LOOKED_AT)
            ),
        )
        return [_Place(text(message, "id")) for message in records(answer, "messages")]

    async def _ids(self, places: Sequence[_Place], *, label: str = "DRAFT") -> list[frozenset[str]]:
        """For each message every id it bears; none when it is gone, or has not this label."""
        answers = await together(self._api.call("gmail", _metadata(place.id)) for place in places)
        return [
            frozenset()
            if isinstance(answer, NotFoundError) or label not in label_ids(record(answer))
            else _ids_in(record(answer))
            for answer in answers
        ]


def _metadata(message_id: str) -> Build:
    return lambda gmail: (
        gmail.users()
        .messages()
        .get(userId=ME, id=message_id, format="metadata", metadataHeaders=list(_ID_HEADERS))
    )


def _ids_in(message: dict[str, Any]) -> frozenset[str]:
    headers = header_values(message)
    return frozenset(
        found
        for name in _ID_HEADERS
        for value in headers.get(name.lower(), [])
        for found in message_ids(value)
    )


def _draft(answer: dict[str, Any]) -> Draft:
    message = record(answer.get("message"))
    raw = raw_bytes(message)
    found = from_bytes(raw)
    own = next(iter(message_ids(mime_parts.raw_header(mime_parts.parse(raw)[0], OWN_ID.lower()))), "")
    if own:
        found = replace(found, message_id=own)
    return Draft(text(answer, "id"), _in_thread(found, text(message, "threadId")))


def _in_thread(message: OutgoingMessage, thread_id: str) -> OutgoingMessage:
    """The message with the conversation it answers: a draft that answers nothing has one of its own in Gmail."""
    answers = message.in_reply_to or message.references
    return replace(message, mail_thread_id=thread_id if answers else "")

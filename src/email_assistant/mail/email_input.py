"""The `email_input` that starts a run: both of its forms to one `Conversation`, and back.

The Gmail form has `from, to, subject, body, id` and more; the Studio form `author, to, subject, email_thread`.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError
from typing_extensions import TypedDict

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, format_addresses, parse_addresses, parse_recipients
from email_assistant.mail.authenticity import by_form
from email_assistant.mail.conversation import first_id, message_ids
from email_assistant.mail.files import MAX_TEXT
from email_assistant.mail.html import visible_text
from email_assistant.mail.message import Attachment, Conversation, Message
from email_assistant.mail.mime import (
    CUT,
    KEPT_HEADERS,
    MAX_BODY,
    MAX_LINE,
    MAX_STACKED,
    STACKED_HEADERS,
    kept_calendars,
    parse_date,
)
from email_assistant.mail.text import ReplyParts, clean, one_line, split_reply

REOPENED = "reopened"
"""The field of a mail that a person wants to see although it was settled, with the status that it had; or true."""
FOLLOWS_UP = "follows_up"
"""The field of a letter of the user's own that nobody has answered: when it was written, in ISO 8601."""
OWN_STYLE = "own_style"
"""The field of a letter of the user's own that stands for all of them: what was counted, as `tools/own_style.py` takes it."""
MAX_EARLIER = 1_000
"""Most earlier messages a conversation may bring."""
MAX_ID = 800
"""Bytes of an id: it is a key in the journal, and a run that could not be put on record would only be noticed at its end."""
_MAX_RAW_BODY = 10_000_000
_MAX_ADDRESSES = 200_000
_MAX_RAW_VALUE = 10_000
_HTML_START = re.compile(
    r"\s*<(?:!doctype html|html|head|body|div|p|table|span|br|center)\b[^<>]{0,500}>", re.IGNORECASE
)
_HTML_TAG = re.compile(
    r"</(?:p|div|table|td|tr|body|html|span|a|ul|li|strong|b|em|h[1-6])>|<br\s?/?>", re.IGNORECASE
)
_HIDING = re.compile(
    r"<[a-z][^<>]{0,200}\bstyle\s?=\s?[\"'][^\"'<>]{0,200}(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0)",
    re.IGNORECASE,
)

Text = Annotated[str, Field(strict=True)]
Input = TypeVar("Input", bound=BaseModel)


class StudioInput(BaseModel):
    """The Studio form."""

    author: Text
    to: Text
    subject: Text
    email_thread: Text


class StudioForm(TypedDict, total=False):
    """The Studio form, as a form on a screen."""

    author: Annotated[str, Field(description="Who wrote it: an address, with a name or without.")]
    to: Annotated[str, Field(description="Your address, and others', separated by commas.")]
    subject: str
    email_thread: Annotated[str, Field(description="The text of the mail, or of its whole conversation.")]


EmailInput = Annotated[
    StudioForm,
    Field(
        description="One email in this form, or in Gmail's: from, to, subject, body, id.",
        examples=[
            {
                "author": "Ana Petrova <ana@petrova.example>",
                "to": "you@example.com",
                "subject": "Oak shelf",
                "email_thread": "Hello,\n\nwhat does the oak shelf cost?\n\nAna",
            }
        ],
    ),
]
"""The field of a graph's input, which is checked in `parse_email_input`."""


class AttachmentInput(BaseModel):
    """What is told of an attachment."""

    name: Text
    content_type: Text | None = None
    size: int = Field(0, strict=True, ge=0)
    text: Text | None = None
    unread: Text | None = None


class GmailInput(BaseModel):
    """One message in the Gmail form. With `quoted` it was written by `to_email_input`: history and signature are split off."""

    sender: Text = Field(alias="from")
    to: Text
    subject: Text
    body: Text
    id: Text
    thread_id: Text | None = None
    from_name: Text | None = None
    cc: Text | None = None
    reply_to: Text | None = None
    date: Text | None = None
    arrived: Text | None = None
    message_id: Text | None = None
    in_reply_to: Text | None = None
    references: list[Text] | None = None
    quoted: Text | None = None
    signature: Text | None = None
    headers: dict[Text, Text] | None = None
    attachments: list[AttachmentInput] | None = None
    calendars: list[Text] | None = None
    notes: list[Text] | None = None
    form: Text | None = None
    sent: Any = None


class ConversationInput(GmailInput):
    """A conversation in the Gmail form: the current message, and the earlier ones, oldest first."""

    thread: Annotated[list[GmailInput], Field(max_length=MAX_EARLIER)] | None = None


_PROBLEMS = {
    "missing": "is missing",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "too_long": f"has more than the {MAX_EARLIER} messages that are allowed",
}


def parse_email_input(value: object) -> Conversation:
    """The conversation that an `email_input` of either form describes.

    Raises `InputError` that names the field, e.g. "email_input.from is missing". Bodies may be HTML; hidden text
    is taken out, history and signature are split off.
    """
    if isinstance(value, Mapping) and "from" not in value and ("author" in value or "email_thread" in value):
        return Conversation(_studio_message(_checked(StudioInput, value)))
    fields = _checked(ConversationInput, value)
    earlier = enumerate(fields.thread or ())
    return Conversation(
        _gmail_message(fields, "email_input"),
        tuple(_gmail_message(each, f"email_input.thread[{index}]") for index, each in earlier),
    )


def _checked(form: type[Input], value: object) -> Input:
    """The fields of the form; raises `InputError` that names the first one that is wrong."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        places = (
            f"[{place}]" if isinstance(place, int) else f".{one_line(place[:200], limit=60)}"
            for place in first["loc"]
        )
        problem = _PROBLEMS.get(first["type"], "must be a number of bytes")
        raise InputError(f"email_input{''.join(places)} {problem}") from None


def is_own(email_input: Mapping[str, Any]) -> bool:
    """Whether it is a letter of the user's own that is worked on, of which nothing is learned about a sender."""
    return bool({FOLLOWS_UP, OWN_STYLE} & email_input.keys())


def to_email_input(conversation: Conversation) -> dict[str, Any]:
    """The conversation in Gmail form, JSON-serialisable; `parse_email_input` gives an equal conversation back."""
    fields = _message_fields(conversation.current)
    if conversation.earlier:
        fields["thread"] = [_message_fields(message) for message in conversation.earlier]
    return fields


def _message_fields(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "from": format_addresses([message.sender]) if message.sender.email else "",
        "to": format_addresses(message.to),
        "subject": message.subject,
        "body": message.text,
        "id": message.id,
        "thread_id": message.mail_thread_id,
        "quoted": message.quoted,
        "signature": message.signature,
        "message_id": message.message_id,
        "in_reply_to": message.in_reply_to,
        "references": list(message.references),
        "headers": dict(message.headers),
        "attachments": [_attachment(each) for each in message.attachments],
        "notes": list(message.notes),
    }
    optional: dict[str, Any] = {
        "from_name": "" if message.sender.email else message.sender.name,
        "cc": format_addresses(message.cc),
        "reply_to": format_addresses(message.reply_to),
        "date": message.date.isoformat() if message.date else "",
        "calendars": list(message.calendars),
        "form": format_addresses([message.form]) if message.form else "",
        "sent": message.sent,
        "arrived": message.arrived.isoformat() if message.arrived else "",
    }
    return fields | {name: value for name, value in optional.items() if value}


def _attachment(attachment: Attachment) -> dict[str, Any]:
    return {
        name: value for name, value in asdict(attachment).items() if name not in {"text", "unread"} or value
    }


def _studio_message(fields: StudioInput) -> Message:
    sender = _sender(fields.author, "email_input.author")
    to = _addresses(fields.to, "email_input.to")
    subject = one_line(fields.subject, limit=MAX_LINE)
    parts, notes = _read_body(fields.email_thread)
    return Message(
        id="",
        mail_thread_id=_digest(sender, subject, fields.email_thread),
        sender=sender,
        to=to,
        subject=subject,
        text=parts.text,
        quoted=parts.quoted,
        signature=parts.signature,
        notes=notes,
    )


def _gmail_message(fields: GmailInput, where: str) -> Message:
    ours = "quoted" in fields.model_fields_set
    if ours and not fields.sender:
        sender = Address("", one_line(fields.from_name or "", limit=MAX_LINE))
    else:
        sender = _sender(fields.sender, f"{where}.from", ours=ours)
    if not fields.id.strip() and not ours:
        raise InputError(f"{where}.id is empty")
    headers = _headers(fields.headers or {})
    parts, notes = _given_parts(fields) if ours else _read_body(fields.body)
    calendars, calendar_notes = kept_calendars(fields.calendars or [])
    reply_to = fields.reply_to or ("" if ours else headers.get("reply-to", ""))
    form = _addresses(fields.form or "", f"{where}.form", ours=True) if ours else ()
    attachments = [
        Attachment(
            one_line(each.name),
            each.content_type or "application/octet-stream",
            each.size,
            clean(each.text or "")[0][:MAX_TEXT],
            one_line(each.unread or ""),
        )
        for each in fields.attachments or ()
    ]
    message = Message(
        id=_id(fields.id, f"{where}.id"),
        mail_thread_id=_id(fields.thread_id or fields.id, f"{where}.thread_id"),
        sender=sender,
        subject=one_line(fields.subject, limit=MAX_LINE),
        text=parts.text,
        to=_addresses(fields.to, f"{where}.to", ours=ours),
        cc=_addresses(fields.cc or "", f"{where}.cc", ours=ours),
        reply_to=_addresses(reply_to, f"{where}.reply_to", ours=ours),
        date=_date(fields.date or headers.get("date", ""), f"{where}.date"),
        message_id=first_id(fields.message_id or headers.get("message-id", "")),
        in_reply_to=first_id(fields.in_reply_to or headers.get("in-reply-to", "")),
        references=message_ids(" ".join(fields.references or ()) or headers.get("references", "")),
        quoted=parts.quoted,
        signature=parts.signature,
        attachments=tuple(attachments),
        calendars=calendars,
        headers={name: value for name, value in headers.items() if name in KEPT_HEADERS},
        notes=tuple(dict.fromkeys([*map(one_line, fields.notes or ()), *notes, *calendar_notes])),
        form=next(iter(form), None),
        sent=fields.sent is True,
        arrived=_date(fields.arrived or "", f"{where}.arrived"),
    )
    return message if ours else by_form(message)


def _read_body(raw: str) -> tuple[ReplyParts, tuple[str, ...]]:
    """A body from outside, text or HTML, in its three parts; and notes."""
    notes: list[str] = []
    if len(raw) > _MAX_RAW_BODY:
        raw = raw[:_MAX_RAW_BODY]
        notes.append(CUT)
    if _is_html(raw):
        raw, found = visible_text(raw)
        notes.extend(found)
    text, found = clean(raw)
    if len(text) > MAX_BODY:
        text = clean(text[:MAX_BODY])[0]
        notes.append(CUT)
    return split_reply(text), tuple(dict.fromkeys([*notes, *found]))


def _given_parts(fields: GmailInput) -> tuple[ReplyParts, tuple[str, ...]]:
    """A body whose history and signature were split off before; it is cleaned all the same."""
    values = [fields.body, fields.quoted or "", fields.signature or ""]
    notes = [CUT] if any(len(value) > MAX_BODY for value in values) else []
    cleaned = [clean(value[:MAX_BODY]) for value in values]
    text, quoted, signature = (text for text, _ in cleaned)
    return ReplyParts(text, quoted, signature), tuple(
        notes + [note for _, found in cleaned for note in found]
    )


def _is_html(text: str) -> bool:
    """Whether a body is HTML: it begins with a tag and closes one, has several tags all through, or one that hides."""
    if "<" not in text:
        return False
    if _HIDING.search(text[:200_000]):
        return True
    tags = len(set(_HTML_TAG.findall(text[:200_000])))
    if re.match(r"\s*(?:<!--|<!doctype|<html|<body|<head|<style)", text, re.IGNORECASE):
        return True
    return tags >= 1 if _HTML_START.match(text) else tags >= 2 or len(_HTML_TAG.findall(text[:200_000])) >= 4


def _id(value: str, where: str) -> str:
    if len(value.encode(errors="replace")) > MAX_ID:
        raise InputError(f"{where} is longer than {MAX_ID} bytes")
    return value


def _sender(raw: str, where: str, *, ours: bool = False) -> Address:
    addresses = _addresses(raw, where, ours=ours)
    if addresses:
        return addresses[0]
    raise InputError(f'{where} is not an email address: "{one_line(raw, limit=80)}"')


def _addresses(value: str, where: str, *, ours: bool = False) -> tuple[Address, ...]:
    """Addresses as mail headers write them; `ours` were written by `to_email_input` and hold no encoded words."""
    if not ours:
        return parse_addresses(value[:_MAX_ADDRESSES])
    try:
        return parse_recipients(value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text in given.items():
        key = name.strip().lower()
        read = _stacked(text) if key in STACKED_HEADERS else one_line(text, limit=MAX_LINE)
        found.setdefault(key, read)
    return found


def _stacked(text: str) -> str:
    """The values of a header that may occur more than once; a line that begins with a blank goes on with the last."""
    values = re.split(r"(?:\r\n|[\r\n])(?![ \t\r\n])", text[: MAX_STACKED * _MAX_RAW_VALUE])
    lines = [one_line(value, limit=MAX_LINE) for value in values]
    return "\n".join([line for line in lines if line][:MAX_STACKED])


def _date(value: str, where: str) -> datetime | None:
    """An instant in UTC from an RFC 5322 or ISO 8601 date; no zone means UTC."""
    value = value.strip()
    if not value:
        return None
    try:
        date = datetime.fromisoformat(value[:100])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        found, _ = parse_date(value)
    if found is None:
        raise InputError(f'{where} is not a date: "{one_line(value)[:80]}"')
    return found


def _digest(sender: Address, subject: str, body: str) -> str:
    joined = "\0".join((sender.key, subject, body))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()

"""The `email_input` that starts a run: both of its forms to one `Conversation`, and back.

The Gmail form has `from, to, subject, body, id` and more; the Studio form `author, to, subject, email_thread`.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast

from email_assistant.errors import InputError
from email_assistant.mail.address import Address, format_addresses, parse_addresses, parse_recipients
from email_assistant.mail.conversation import first_id, message_ids
from email_assistant.mail.forms import by_form
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
from email_assistant.mail.quoting import ReplyParts, split_reply
from email_assistant.mail.text import clean, one_line

REOPENED = "reopened"
"""The field that is true in the input of a mail which a person wants to see although it was dealt with."""
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

Fields = Mapping[str, object]


def parse_email_input(value: object) -> Conversation:
    """The conversation that an `email_input` of either form describes.

    Raises `InputError` that names the field, e.g. "email_input.from is missing". Bodies may be HTML; hidden text
    is taken out, history and signature are split off.
    """
    fields = _object(value, "email_input")
    if "from" not in fields and ("author" in fields or "email_thread" in fields):
        return Conversation(_studio_message(fields))
    current = _gmail_message(fields, "email_input")
    earlier = fields.get("thread")
    if earlier is None:
        return Conversation(current)
    if not isinstance(earlier, Sequence) or isinstance(earlier, str):
        raise InputError(f"email_input.thread must be a list, not {_kind(earlier)}")
    if len(earlier) > MAX_EARLIER:
        raise InputError(f"email_input.thread has {len(earlier)} messages; {MAX_EARLIER} are allowed")
    messages = [
        _gmail_message(_object(item, f"email_input.thread[{index}]"), f"email_input.thread[{index}]")
        for index, item in enumerate(earlier)
    ]
    return Conversation(current, tuple(messages))


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
        "attachments": [asdict(attachment) for attachment in message.attachments],
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


def _studio_message(fields: Fields) -> Message:
    where = "email_input"
    sender = _sender(fields, where, "author")
    to = _addresses(_text(fields, where, "to"), "email_input.to")
    subject = one_line(_text(fields, where, "subject"), limit=MAX_LINE)
    raw = _text(fields, where, "email_thread")
    parts, notes = _read_body(raw)
    return Message(
        id="",
        mail_thread_id=_digest(sender, subject, raw),
        sender=sender,
        to=to,
        subject=subject,
        text=parts.text,
        quoted=parts.quoted,
        signature=parts.signature,
        notes=notes,
    )


def _gmail_message(fields: Fields, where: str) -> Message:
    split_already = "quoted" in fields
    if split_already and fields.get("from") == "":
        sender = Address("", one_line(_optional(fields, where, "from_name"), limit=MAX_LINE))
    else:
        sender = _sender(fields, where, "from", ours=split_already)
    to = _addresses(_text(fields, where, "to"), f"{where}.to", ours=split_already)
    subject = one_line(_text(fields, where, "subject"), limit=MAX_LINE)
    raw = _text(fields, where, "body")
    identity = _text(fields, where, "id")
    if not identity.strip() and not split_already:
        raise InputError(f"{where}.id is empty")
    headers = _headers(fields, where)
    if split_already:
        parts, notes = _given_parts(fields, where, raw)
    else:
        parts, notes = _read_body(raw)
    calendars, calendar_notes = kept_calendars(_strings(fields, where, "calendars"))
    reply_to = _optional(fields, where, "reply_to") or ("" if split_already else headers.get("reply-to", ""))
    form = _addresses(_optional(fields, where, "form"), f"{where}.form", ours=True) if split_already else ()
    message = Message(
        id=_id(identity, f"{where}.id"),
        mail_thread_id=_id(_optional(fields, where, "thread_id") or identity, f"{where}.thread_id"),
        sender=sender,
        subject=subject,
        text=parts.text,
        to=to,
        cc=_addresses(_optional(fields, where, "cc"), f"{where}.cc", ours=split_already),
        reply_to=_addresses(reply_to, f"{where}.reply_to", ours=split_already),
        date=_date(_optional(fields, where, "date") or headers.get("date", ""), f"{where}.date"),
        message_id=first_id(_optional(fields, where, "message_id") or headers.get("message-id", "")),
        in_reply_to=first_id(_optional(fields, where, "in_reply_to") or headers.get("in-reply-to", "")),
        references=message_ids(
            " ".join(_strings(fields, where, "references")) or headers.get("references", "")
        ),
        quoted=parts.quoted,
        signature=parts.signature,
        attachments=_attachments(fields, where),
        calendars=calendars,
        headers={name: value for name, value in headers.items() if name in KEPT_HEADERS},
        notes=tuple(
            dict.fromkeys([*map(one_line, _strings(fields, where, "notes")), *notes, *calendar_notes])
        ),
        form=next(iter(form), None),
        sent=fields.get("sent") is True,
        arrived=_date(_optional(fields, where, "arrived"), f"{where}.arrived"),
    )
    return message if split_already else by_form(message)


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


def _given_parts(fields: Fields, where: str, raw: str) -> tuple[ReplyParts, tuple[str, ...]]:
    """A body whose history and signature were split off before; it is cleaned all the same."""
    values = [raw, _optional(fields, where, "quoted"), _optional(fields, where, "signature")]
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


def _object(value: object, where: str) -> Fields:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be an object, not {_kind(value)}")
    return cast("Fields", value)


def _text(fields: Fields, where: str, name: str) -> str:
    if name not in fields:
        raise InputError(f"{where}.{name} is missing")
    value = fields[name]
    if not isinstance(value, str):
        raise InputError(f"{where}.{name} must be text, not {_kind(value)}")
    return value


def _optional(fields: Fields, where: str, name: str) -> str:
    return "" if fields.get(name) is None else _text(fields, where, name)


def _id(value: str, where: str) -> str:
    if len(value.encode(errors="replace")) > MAX_ID:
        raise InputError(f"{where} is longer than {MAX_ID} bytes")
    return value


def _strings(fields: Fields, where: str, name: str) -> list[str]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{where}.{name} must be a list, not {_kind(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise InputError(f"{where}.{name}[{index}] must be text, not {_kind(item)}")
    return list(value)


def _sender(fields: Fields, where: str, name: str, *, ours: bool = False) -> Address:
    raw = _text(fields, where, name)
    addresses = _addresses(raw, f"{where}.{name}", ours=ours)
    if addresses:
        return addresses[0]
    raise InputError(f'{where}.{name} is not an email address: "{one_line(raw, limit=80)}"')


def _addresses(value: str, where: str, *, ours: bool = False) -> tuple[Address, ...]:
    """Addresses as mail headers write them; `ours` were written by `to_email_input` and hold no encoded words."""
    if not ours:
        return parse_addresses(value[:_MAX_ADDRESSES])
    try:
        return parse_recipients(value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _headers(fields: Fields, where: str) -> dict[str, str]:
    value = fields.get("headers")
    if value is None:
        return {}
    found: dict[str, str] = {}
    for name, text in _object(value, f"{where}.headers").items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise InputError(f"{where}.headers must map names to texts; {name!r:.60} does not")
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


def _attachments(fields: Fields, where: str) -> tuple[Attachment, ...]:
    value = fields.get("attachments")
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{where}.attachments must be a list, not {_kind(value)}")
    found = []
    for index, item in enumerate(value):
        here = f"{where}.attachments[{index}]"
        entry = _object(item, here)
        size = entry.get("size", 0)
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise InputError(f"{here}.size must be a number of bytes")
        kind = _optional(entry, here, "content_type") or "application/octet-stream"
        found.append(Attachment(one_line(_text(entry, here, "name")), kind, size))
    return tuple(found)


def _digest(sender: Address, subject: str, body: str) -> str:
    joined = "\0".join((sender.key, subject, body))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()


def _kind(value: object) -> str:
    """What a wrong value is, in words of JSON."""
    if value is None:
        return "null"
    names: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "text"),
        ((list, tuple), "a list"),
        (Mapping, "an object"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)

"""Bytes of a mail to a `Message`: the one MIME reader (RFC 5322, RFC 2045 to 2049)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message as Part
from email.utils import parsedate_to_datetime

from email_assistant.errors import NotFoundError
from email_assistant.mail import mime_parts
from email_assistant.mail.address import Address, parse_addresses, unique
from email_assistant.mail.authenticity import by_form
from email_assistant.mail.conversation import first_id, message_ids, thread_root
from email_assistant.mail.html import visible_text
from email_assistant.mail.message import Attachment, Message
from email_assistant.mail.mime_parts import decode_header
from email_assistant.mail.text import clean, one_line, split_reply

KEPT_HEADERS = frozenset(
    [
        "authentication-results", "auto-submitted", "content-language", "date", "delivered-to", "importance", "list-id", "list-post",
        "list-unsubscribe", "list-unsubscribe-post", "precedence", "received-spf", "reply-to", "return-path", "x-failed-recipients",
        "x-gmail-labels", "x-original-to", "x-priority", "x-spam-flag", "x-spam-status",
    ]
)  # fmt: skip
"""Names, in lower case, of the headers that `Message.headers` keeps."""

STACKED_HEADERS = frozenset(["authentication-results"])
"""Of those, the ones kept as often as they occur: the values from the top down, separated by newlines."""

MAX_STACKED = 10
"""Values of a stacked header that are kept, the topmost."""

MAX_BODY = 1_000_000
"""Longer bodies are cut, in characters."""

MAX_LINE = 4_000
"""Longer subjects and header values are cut, in characters."""

MAX_REPORT = 20_000
"""Longer reports on a delivery are cut, in characters."""

MAX_MESSAGE = 32 * 1024 * 1024
"""No more than this of a mail is read, in bytes; mailboxes give one byte more of a longer one."""

CUT_NOTE = "The message is too large to be read whole; its end was left out."
CUT = "The message is very long; its end was cut."
_MAX_PARTS = 1_000
_MAX_DEPTH = 50
_NO_SENDER = "The sender's address is missing or unreadable."
_BAD_DATE = "The date of the message is unreadable."
_UNMARKED = "The mail is not built as it says, so it is shown as it came, with technical lines. That alone is not dangerous."
_DIFFERS = "The plain-text version of the message says something else than the formatted one."
_STUB = re.compile(
    r"html|browser|view (?:this|online)|not support|(?:web|online) version|navigateur|navegador",
    re.IGNORECASE,
)
_STUB_LENGTH = 400
_MIN_UNSEEN = 10
"""Words that are in one version only are told from so many on."""
_WORD = re.compile(r"[^\W_]{2,}")
MAX_CALENDARS = 3
"""Most calendar parts of one message that are kept."""

MAX_CALENDAR = 256 * 1024
"""Largest calendar part that is kept, in bytes of UTF-8; half of a calendar would tell half of the truth."""

TOO_MANY = f"The message has more than {MAX_CALENDARS} calendar parts; the others were left out."
TOO_LARGE = "A calendar part of the message is too large and was left out."

_TYPES = frozenset({"text/calendar", "application/ics", "text/x-vcalendar", "application/x-vcalendar"})
_FILE = re.compile(r"(?:text/.*|application/(?:octet-stream|x-.*))")
# Some readers end a line at these; in iCalendar a line ends at CRLF alone (RFC 5545 §3.1).
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Body:
    """The readable text of a message and what hangs on it."""

    texts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    """Those of the attachments."""
    calendars: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text parts, one after the other."""
        return "\n\n".join(text for text in self.texts if text.strip("\n"))


def parse_message(raw: bytes, *, id: str, mail_thread_id: str = "") -> Message:
    """The mail as a `Message`. Never raises: what is broken is read as far as possible and told in the notes.

    `id` is the mailbox's own id. Without `mail_thread_id` the conversation is named by its root's Message-ID.
    """
    part, found_notes = mime_parts.parse(raw[:MAX_MESSAGE])
    notes = [*found_notes, *([CUT_NOTE] if len(raw) > MAX_MESSAGE else [])]
    body = read_body(part)
    calendars, calendar_notes = kept_calendars(body.calendars)
    text, clean_notes = clean(body.text)
    if len(text) > MAX_BODY:
        text, clean_notes = clean(text[:MAX_BODY])[0], (*clean_notes, CUT)
    parts, report = split_reply(text), clean(mime_parts.report_of(part)[:MAX_REPORT])[0].strip()
    sender = _sender(part)
    date, date_note = parse_date(mime_parts.header(part, "date"))
    message_id = first_id(mime_parts.header(part, "message-id"))
    in_reply_to = first_id(mime_parts.header(part, "in-reply-to"))
    references = message_ids(mime_parts.header(part, "references"))
    notes += [note for note in (date_note, "" if sender.email else _NO_SENDER) if note]
    message = Message(
        id=id,
        mail_thread_id=mail_thread_id or thread_root(message_id, in_reply_to, references) or id,
        sender=sender,
        subject=one_line(mime_parts.header(part, "subject"), limit=MAX_LINE),
        text=parts.text,
        to=_addresses(part, "to"),
        cc=_addresses(part, "cc"),
        reply_to=_addresses(part, "reply-to"),
        date=date,
        message_id=message_id,
        in_reply_to=in_reply_to,
        references=references,
        quoted="\n\n".join(filter(None, (parts.quoted, report))),
        signature=parts.signature,
        attachments=tuple(body.attachments),
        calendars=calendars,
        headers={name: value for name, value in _kept_headers(part).items() if date or name != "date"},
        notes=tuple(dict.fromkeys([*notes, *body.notes, *calendar_notes, *clean_notes])),
    )
    return by_form(message)


def attachment_content(raw: bytes, index: int) -> bytes:
    """What is in one attachment of the mail, by its place in `Message.attachments`; raises `NotFoundError`."""
    parts = read_body(mime_parts.parse(raw[:MAX_MESSAGE])[0]).parts
    if not 0 <= index < len(parts):
        raise NotFoundError("The mail has no such attachment.")
    part, inner = parts[index], mime_parts.children(parts[index])
    if not inner:
        return mime_parts.content(part)[0]
    is_mail = mime_parts.content_type(part).startswith("message/")
    return (inner[0] if is_mail else part).as_bytes()


def parse_date(value: str) -> tuple[datetime | None, str]:
    """A Date header as an instant in UTC, or None and a note; no zone means UTC (RFC 5322 §3.3)."""
    if not value:
        return None, ""
    try:
        date = parsedate_to_datetime(value[:200])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC), ""
    except (ValueError, TypeError, OverflowError, IndexError):
        return None, _BAD_DATE


def read_body(part: Part) -> Body:
    """The text a reader sees, chosen among the parts, and the list of attachments."""
    body = Body()
    _read(part, body, 0)
    return body


def _sender(part: Part) -> Address:
    raw = mime_parts.raw_header(part, "from") or mime_parts.raw_header(part, "sender")
    addresses = parse_addresses(raw)
    return addresses[0] if addresses else Address("", one_line(decode_header(raw), limit=MAX_LINE))


def _addresses(part: Part, name: str) -> tuple[Address, ...]:
    values = [str(value) for key, value in part.raw_items() if key.lower() == name]
    return unique(one for value in values for one in parse_addresses(re.sub(r"[\r\n]", "", value)))


def _kept_headers(part: Part) -> dict[str, str]:
    """The topmost of each header that rules look at: servers add theirs on top, so lower ones prove nothing.

    Of the stacked ones all: which server each is from has to be looked at.
    """
    kept: dict[str, str] = {}
    for name in dict.fromkeys(key.lower() for key, _ in part.raw_items()):
        if name in STACKED_HEADERS:
            values = [one_line(value, limit=MAX_LINE) for value in mime_parts.headers(part, name)]
            kept[name] = "\n".join([value for value in values if value][:MAX_STACKED])
        elif name in KEPT_HEADERS:
            kept[name] = one_line(mime_parts.header(part, name), limit=MAX_LINE)
    return kept


def _read(part: Part, body: Body, depth: int) -> None:
    kind = mime_parts.content_type(part)
    if depth > _MAX_DEPTH or len(body.attachments) + len(body.texts) > _MAX_PARTS:
        body.notes.append("The message has too many parts; the last ones were left out.")
    elif kind.startswith("message/") or (depth and _is_attachment(part, kind, body)):
        _attach(part, kind, body)
    elif not part.is_multipart():
        _read_leaf(part, kind, body)
    elif kind == "multipart/alternative":
        _read_alternatives(mime_parts.children(part), body, depth)
    elif kind == "multipart/related":
        root, *others = mime_parts.children(part) or [part]
        if root is not part:
            _read(root, body, depth + 1)
        for other in others:
            _attach(other, mime_parts.content_type(other), body)
    else:
        for child in mime_parts.children(part):
            _read(child, body, depth + 1)


def _is_attachment(part: Part, kind: str, body: Body) -> bool:
    if part.is_multipart():
        return False
    disposition = mime_parts.raw_header(part, "content-disposition").partition(";")[0].strip().lower()
    if disposition == "attachment" or kind not in ("text/plain", "text/html"):
        return True
    return bool(body.texts) and bool(mime_parts.file_name(part)[0])


def _read_leaf(part: Part, kind: str, body: Body) -> None:
    if kind == "text/calendar" or not kind.startswith(("text/", "multipart/")):
        _attach(part, kind, body)
        return
    if kind.startswith("multipart/"):
        body.notes.append(_UNMARKED)
    text, notes = mime_parts.text_of(part)
    body.notes.extend(notes)
    if kind == "text/html" or _is_html(text):
        text, notes = visible_text(text)
        body.notes.extend(notes)
    body.texts.append(text)


def _attach(part: Part, kind: str, body: Body) -> None:
    name, disguised = mime_parts.file_name(part)
    if disguised:
        body.notes.append(mime_parts.SPOOFED_NAME)
    inner = mime_parts.children(part)
    if kind.startswith("message/") and inner:
        subject = mime_parts.header(inner[0], "subject")
        name = name or one_line(re.sub(r'[/\\<>:"|?*]', "_", subject) or "message", limit=80) + ".eml"
        size = sum(mime_parts.source_size(child) for child in inner)
    else:
        size = mime_parts.source_size(part) if inner else len(mime_parts.content(part)[0])
    body.attachments.append(Attachment(name or "attachment", kind, size))
    body.parts.append(part)
    if not inner and is_calendar(kind, name):
        _keep_calendar(part, size, body)


def _keep_calendar(part: Part, size: int, body: Body) -> None:
    if size > 2 * MAX_CALENDAR:  # too large in any character set, so it is not decoded at all
        body.notes.append(TOO_LARGE)
        return
    text, notes = mime_parts.text_of(part)
    body.calendars.append(text)
    body.notes.extend(notes)


def _read_alternatives(children: list[Part], body: Body, depth: int) -> None:
    """Take the plain text unless it is empty or only points at the formatted version (RFC 2046 §5.1.4)."""
    versions: list[tuple[bool, Body]] = []
    for child in children[:_MAX_PARTS]:
        version = Body()
        _read(child, version, depth + 1)
        versions.append((mime_parts.content_type(child) == "text/plain", version))
    plain = next((v for is_plain, v in versions if is_plain), None)
    rich = next((v for is_plain, v in reversed(versions) if not is_plain and v.text.strip()), None)
    chosen = _choose(plain, rich, body)
    for _, version in versions:
        body.attachments.extend(version.attachments)
        body.parts.extend(version.parts)
        body.calendars.extend(version.calendars)
    if chosen:
        body.texts.extend(chosen.texts)
        body.notes.extend(chosen.notes)


def _choose(plain: Body | None, rich: Body | None, body: Body) -> Body | None:
    if plain is None or rich is None:
        return plain or rich
    # What the reader sees is the formatted version: words that are only in the other one are words nobody saw.
    other = {*plain.text[:MAX_BODY].lower().split()}.difference(rich.text[:MAX_BODY].lower().split())
    has_few = len(plain.text) < _STUB_LENGTH or not _WORD.search(plain.text)
    if has_few or len(_words(" ".join(other))) >= _MIN_UNSEEN:
        plain_words, rich_words = _words(plain.text), _words(rich.text)
        is_short = len(plain.text) < _STUB_LENGTH and len(rich_words) > 2 * len(plain_words)
        if not plain_words or (is_short and _STUB.search(plain.text)):
            return rich
        unseen = plain_words - rich_words
        if len(unseen) >= _MIN_UNSEEN and len(unseen) > len(plain_words) / 2 and rich_words:
            body.notes.append(_DIFFERS)
            return rich if len(rich_words) >= len(plain_words) / 2 else plain
    body.notes.extend(
        note for note in rich.notes if note.startswith("Hidden text") and note not in plain.notes
    )
    return plain


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text[:MAX_BODY].lower()))


def _is_html(text: str) -> bool:
    return bool(re.match(r"\s*(?:<!doctype html|<html[\s>])", text, re.IGNORECASE))


def is_calendar(content_type: str, name: str) -> bool:
    """Whether a part is a calendar, by its media type or by a file name that ends in ".ics"."""
    return content_type in _TYPES or (
        name.lower().endswith(".ics") and _FILE.fullmatch(content_type) is not None
    )


def kept_calendars(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The calendar texts that a message carries, each once and in plain characters, and notes on what was left out.

    Giving the result in again changes nothing.
    """
    cleaned = [text for text in dict.fromkeys(map(_plain, texts)) if text.strip()]
    fitting = [text for text in cleaned if len(text.encode("utf-8")) <= MAX_CALENDAR]
    notes = [TOO_LARGE] if len(fitting) < len(cleaned) else []
    if len(fitting) > MAX_CALENDARS:
        notes.append(TOO_MANY)
    return tuple(fitting[:MAX_CALENDARS]), tuple(notes)


def _plain(text: str) -> str:
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", _OTHER_LINE_ENDS.sub(" ", text))
    return _SURROGATES.sub("\ufffd", text).lstrip("\ufeff")

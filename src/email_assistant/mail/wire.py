"""Outgoing messages as bytes and back (RFC 5322, RFC 2045, RFC 2047)."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.header import Header
from email.message import EmailMessage
from email.message import Message as Part
from email.policy import SMTP
from email.utils import format_datetime

from email_assistant.errors import InputError
from email_assistant.mail import mime_parts
from email_assistant.mail.address import Address, is_email, parse_addresses
from email_assistant.mail.conversation import first_id, is_writable_id, message_ids
from email_assistant.mail.message import OutgoingMessage
from email_assistant.mail.mime import read_body
from email_assistant.mail.mime_parts import decode_header

_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_PLAIN_BODY = re.compile(r"(?:[\t\x20-\x7e]{0,900}\n)*")
_DATE = re.compile(rb"^date[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE)
_BCC = re.compile(_DATE.pattern.replace(b"date", b"bcc"), _DATE.flags)
_HEAD_END = re.compile(rb"(?:\A|(?<=\n))\r?\n")
_METHOD = re.compile(r"^METHOD:([A-Za-z]{1,20})\r?$", re.MULTILINE)
INVITATION_FILE = "invite.ics"
_MAX_LINE = 998
"""Bytes of a line (RFC 5322 §2.1.1)."""
_MAX_PLAIN_NAME = 60
_MAX_PLAIN_SUBJECT = 200


def to_bytes(message: OutgoingMessage, *, date: datetime | None) -> bytes:
    """The message in wire form, CRLF line ends; `date` is aware, None for a draft that its mailbox dates when it is sent.

    Raises `InputError` that names the field when an address is malformed or a header would hold a control
    character: nothing a model or a person types can add a header.
    """
    if date is not None and date.tzinfo is None:
        raise ValueError("date must be aware")
    lines = [
        *([f"Date: {format_datetime(date.astimezone(UTC))}"] if date else []),
        f"From: {_address_list([message.sender], 'sender')}",
        *([f"To: {_address_list(message.to, 'to')}"] if message.to else []),
        *([f"Cc: {_address_list(message.cc, 'cc')}"] if message.cc else []),
        *([f"Bcc: {_address_list(message.bcc, 'bcc')}"] if message.bcc else []),
        f"Subject: {_subject(message.subject)}",
        f"Message-ID: {_ids([message.message_id], 'message_id')}",
        *([f"In-Reply-To: {_ids([message.in_reply_to], 'in_reply_to')}"] if message.in_reply_to else []),
        *([f"References: {_ids(message.references, 'references')}"] if message.references else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n" + _content(message.body, message.calendar)


def redated(raw: bytes, date: datetime) -> bytes:
    """The message with this Date (aware) in place of its own; everything else stays byte by byte.

    Line ends stay what they are. A Date that is missing is put first.
    """
    end = b"\r\n" if b"\r\n" in raw[:_MAX_LINE] else b"\n"
    line = f"Date: {format_datetime(date.astimezone(UTC))}".encode() + end
    head = _HEAD_END.search(raw)
    at = head.end() if head else len(raw)
    found = _DATE.search(raw[:at])
    return raw[: found.start()] + line + raw[found.end() :] if found else line + raw


def without_bcc(raw: bytes) -> bytes:
    """The message as it goes to its readers: to whom else it goes secretly is not in it."""
    head = _HEAD_END.search(raw)
    at = head.end() if head else len(raw)
    return _BCC.sub(b"", raw[:at]) + raw[at:]


def from_bytes(raw: bytes, *, mail_thread_id: str = "") -> OutgoingMessage:
    """The message whose wire form this is, also after a person changed it in a mail program.

    `from_bytes(to_bytes(m, date=d), mail_thread_id=m.mail_thread_id)` equals `m` when its names and body
    are clean (one line; no "\\r"). The mailbox's id of the conversation is not part of the wire form. Never raises.
    """
    part, _ = mime_parts.parse(raw)
    senders = parse_addresses(mime_parts.raw_header(part, "from"))
    return OutgoingMessage(
        sender=senders[0] if senders else Address(""),
        to=parse_addresses(mime_parts.raw_header(part, "to")),
        cc=parse_addresses(mime_parts.raw_header(part, "cc")),
        bcc=parse_addresses(mime_parts.raw_header(part, "bcc")),
        subject=decode_header(mime_parts.raw_header(part, "subject")),
        body="\n\n".join(read_body(part).texts).removesuffix("\n"),
        message_id=first_id(mime_parts.raw_header(part, "message-id")),
        in_reply_to=first_id(mime_parts.raw_header(part, "in-reply-to")),
        references=message_ids(mime_parts.raw_header(part, "references")),
        mail_thread_id=mail_thread_id,
        calendar=_calendar_of(part),
    )


def _content(body: str, calendar: str) -> bytes:
    """MIME headers and what follows them: the text, with a calendar in the form that most programs understand.

    That is beside the text, where programs look for something to answer, and once more as a file, for those that do not
    (RFC 6047 §4, RFC 2046 §5.1). Its method is in the MIME type as well, or it counts as a mere file.
    """
    text = _text_part(body)
    if not calendar:
        return text.as_bytes()
    method = _METHOD.search(calendar)
    if method is None:
        raise InputError("calendar has no METHOD")
    either, whole = EmailMessage(policy=SMTP), EmailMessage(policy=SMTP)
    either.make_alternative()
    whole.make_mixed()
    # As base64: the line ends of a calendar are CRLF, and a mailbox of files keeps text with those of its system.
    beside, file = EmailMessage(policy=SMTP), EmailMessage(policy=SMTP)
    beside.set_content(
        calendar, "calendar", charset="utf-8", cte="base64", params={"method": method[1].upper()}
    )
    file.set_content(
        calendar.encode(),
        "application",
        "ics",
        disposition="attachment",
        filename=INVITATION_FILE,
        params={"name": INVITATION_FILE},
    )
    for part in (text, beside):
        either.attach(part)
    for part in (either, file):
        whole.attach(part)
    whole["MIME-Version"] = "1.0"
    return whole.as_bytes()


def _text_part(body: str) -> EmailMessage:
    """Quoted-printable unless the body is plain ASCII with short lines."""
    text = body.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("body holds a character that cannot be sent") from error
    part = EmailMessage(policy=SMTP)
    part.set_content(text, charset="utf-8", cte="7bit" if _PLAIN_BODY.fullmatch(text) else "quoted-printable")
    return part


def _calendar_of(whole: Part) -> str:
    """The scheduling message that stands beside the text; a calendar that somebody has attached is a file like others."""
    for part in whole.walk():
        is_file = mime_parts.raw_header(part, "content-disposition").lower().startswith("attachment")
        if mime_parts.content_type(part) == "text/calendar" and not is_file:
            text, _ = mime_parts.text_of(part)
            if mime_parts.parameter(part, "content-type", "method") and _METHOD.search(text):
                return text.replace("\r\n", "\n").replace("\n", "\r\n")
    return ""


def _refuse_controls(value: str, field: str) -> str:
    match = _FORBIDDEN.search(value)
    if match:
        raise InputError(f"{field} must not hold the control character U+{ord(match.group()):04X}")
    return value


def _subject(subject: str) -> str:
    _refuse_controls(subject, "subject")
    is_plain = subject.isascii() and "=?" not in subject and subject == subject.strip()
    return subject if is_plain and len(subject) <= _MAX_PLAIN_SUBJECT else _encoded(subject)


def _address_list(addresses: Iterable[Address], field: str) -> str:
    return ",\r\n ".join(_mailbox(address, field) for address in addresses)


def _mailbox(address: Address, field: str) -> str:
    _refuse_controls(address.name, field)
    if not is_email(_refuse_controls(address.email, field)):
        raise InputError(f'{field} is not an email address: "{address.email[:80]}"')
    if not address.name:
        return address.email
    if (
        _PLAIN_WORDS.fullmatch(address.name)
        and len(address.name) <= _MAX_PLAIN_NAME
        and "=?" not in address.name
    ):
        return f"{address.name} <{address.email}>"
    return f"{_encoded(address.name)} <{address.email}>"


def _encoded(text: str) -> str:
    """Encoded words, one a line (RFC 2047 §2)."""
    return Header(text, "utf-8", maxlinelen=70).encode(linesep="\r\n")


def _ids(values: Iterable[str], field: str) -> str:
    ids = list(values)
    for value in ids:
        if not is_writable_id(value):
            raise InputError(f'{field} is not a Message-ID: "{_FORBIDDEN.sub("?", value)[:80]}"')
    return "\r\n ".join(ids)

"""Reports that a mail was not delivered: RFC 3464's, and those of programs that tell it in words (qmail, older Exim)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from email_assistant.mail.address import is_email, parse_addresses
from email_assistant.mail.conversation import message_ids
from email_assistant.mail.headers import bulk_of
from email_assistant.mail.message import Message
from email_assistant.mail.text import one_line

_DAEMON = re.compile(r"(?:mailer-daemon|postmaster)(?:[+._-].*)?", re.IGNORECASE)
_FIELD = re.compile(r"^([A-Za-z-]{2,30})[ \t]*:[ \t]*(.+)$", re.MULTILINE)
_REFUSED = re.compile(r"(?<![\d.])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.|[A-Za-z<])[^\n]*")
_ALONE = re.compile(r"^[ \t]*<?([^\s<>:]{1,100}@[^\s<>:]{1,200})>?:?[ \t]*$", re.MULTILINE)
_MAX_READ = 30_000
_MAX_REASON = 160


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """A mail that did not reach somebody."""

    recipients: tuple[str, ...]
    """Who was not reached, in lower case; () when it does not say."""
    reason: str
    """What the host that refused it said, on one line; "" when that is not told."""
    message_ids: frozenset[str]
    """Message-IDs that it names: that of the mail is among them, unless a host on its way gave it another one."""
    subject: str
    """Of the mail; "" when it does not say."""
    is_final: bool
    """False as long as it is still being tried."""


def may_report(email_input: Mapping[str, Any]) -> bool:
    """Whether an input of a run, not read yet, may be a report."""
    marks = f"{email_input.get('from')} {email_input.get('headers')}".lower()
    return any(each in marks for each in ("mailer-daemon", "postmaster", "auto-submitted", "x-failed", "<>"))


def is_delivery_report(message: Message) -> bool:
    """Whether a mail system writes it about a mail, going by its headers."""
    headers = message.headers
    is_null = headers.get("return-path", "").strip() == "<>" or bulk_of(message).is_automatic
    return is_null or is_of_daemon(message) or "x-failed-recipients" in headers


def is_of_daemon(message: Message) -> bool:
    """Whether the mail system itself is its sender (RFC 2142 §5)."""
    return _DAEMON.fullmatch(message.sender.email.rpartition("@")[0]) is not None


def delivery_report(message: Message) -> DeliveryReport | None:
    """What it says was not delivered; None for all other mail, and where everything was."""
    if not is_delivery_report(message):
        return None
    text = "\n\n".join((message.text, message.quoted, message.signature))[:_MAX_READ]
    # Every recipient has a block of fields of its own.
    blocks = [dict(_named(block)) for block in re.split(r"\n\s*\n", text)]
    reported = [each for each in blocks if "action" in each and "final-recipient" in each]
    missed = [each for each in reported if _word(each["action"]) == "failed"]
    late = [each for each in reported if _word(each["action"]) == "delayed"]
    sentence = missed or late
    failed = message.headers.get("x-failed-recipients", "")
    reason = _reason(text, sentence)
    if not sentence and (reported or not (failed or (is_of_daemon(message) and reason))):
        return None
    people = [_address(each.get("original-recipient") or each["final-recipient"]) for each in sentence]
    people = people or [each.key for each in parse_addresses(failed)] or _ALONE.findall(text)
    fields = dict(_named(text))
    return DeliveryReport(
        tuple(dict.fromkeys(each.lower() for each in people if is_email(each))),
        reason,
        frozenset((message.in_reply_to, *message.references, *message_ids(text))),
        fields.get("subject", ""),
        is_final=bool(missed) or (not sentence and not reason.startswith("4")),
    )


def _named(block: str) -> list[tuple[str, str]]:
    """Its fields by their names in lower case, the first of a name last, so that it counts."""
    return [(name.lower(), value.strip()) for name, value in reversed(_FIELD.findall(block))]


def _word(value: str) -> str:
    return value.split(maxsplit=1)[0].lower()


def _address(value: str) -> str:
    """Of "rfc822; ana@example.com"."""
    return value.rpartition(";")[2].strip().strip("<>")


def _reason(text: str, lines: list[dict[str, str]]) -> str:
    said = next((each["diagnostic-code"] for each in lines if "diagnostic-code" in each), "")
    if said:
        return one_line(said.partition(";")[2] or said, limit=_MAX_REASON).strip()
    flat = "\n".join(" ".join(each.split()) for each in text.split("\n\n"))  # A sentence goes on over lines.
    found = _REFUSED.search(flat)
    if found:
        return one_line(found[0], limit=_MAX_REASON).strip()
    return next((f"status {each['status']}" for each in lines if "status" in each), "")

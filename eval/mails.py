"""Mail of a dataset as raw messages (RFC 5322), and delivered to an assistant's mailbox.

A message is an object with `from`, `text` or `html` (or both), and optionally `to` (the user), `cc`, `subject`, `date` (ISO 8601, else one
that follows the message before), `headers` (any more), `auth` ("pass", "fail" or "" for what the receiving host found), and `calendar`
(an iCalendar text). A case is a message, or has `thread`: earlier messages, the oldest first.
"""

import asyncio
import mailbox
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any

from email_assistant.adapters.importer import deliver
from email_assistant.app.accounts import local_mailbox
from email_assistant.app.assistant import AppDeps
from email_assistant.mail.message import Conversation

USER = "Robin Vale <robin@vale.example>"
HOST = "mx.vale.example"
"""Who found out whom the mail is from: the setting EMAIL_ASSISTANT_AUTHSERV_ID of `eval.workbench`."""
FIRST = datetime.fromisoformat("2026-11-19T09:00:00+00:00")


def raw_messages(case: Mapping[str, Any]) -> list[bytes]:
    """The conversation of a case, the oldest message first; each answers the one before it."""
    made: list[bytes] = []
    earlier: list[str] = []
    for number, part in enumerate([*case.get("thread", []), case]):
        message_id = part.get("message_id") or f"<{case['id']}.{number}@{_domain(part)}>"
        made.append(_raw(part, message_id, earlier, FIRST + timedelta(hours=number), case.get("subject", "")))
        earlier.append(message_id)
    return made


def vouching(sender: str, found: str = "pass") -> str:
    """What the receiving host writes into Authentication-Results about a mail of the sender's."""
    domain = _domain({"from": sender})
    return f"{HOST}; dkim={found} header.d={domain}; spf={found}; dmarc={found} header.from={domain}"


async def received(house: AppDeps, case: Mapping[str, Any]) -> Conversation:
    """Deliver the case's messages, and read the newest with what stood before it. What the user wrote goes to Sent."""
    message_id = ""
    for part, raw in zip([*case.get("thread", []), case], raw_messages(case), strict=True):
        if parseaddr(part["from"])[1] == parseaddr(USER)[1] and part is not case:
            await asyncio.to_thread(_into_sent, house, raw)
        else:
            message_id, _ = await deliver(local_mailbox(house), raw)
    message = await house.mailbox.fetch(message_id)
    thread = await house.mailbox.thread(message.mail_thread_id)
    return Conversation(message, tuple(m for m in thread if m.id != message.id))


def _into_sent(house: AppDeps, raw: bytes) -> None:
    sent = mailbox.Maildir(house.settings.maildir_path or "", create=True).add_folder("Sent")
    message = mailbox.MaildirMessage(raw)
    message.set_flags("S")
    sent.add(message)


def _raw(
    part: Mapping[str, Any], message_id: str, earlier: Sequence[str], at: datetime, subject: str
) -> bytes:
    message = EmailMessage(policy=SMTP)
    if part.get("auth"):
        message["Authentication-Results"] = vouching(part["from"], part["auth"])
    message["From"], message["To"] = part["from"], part.get("to", USER)
    if part.get("cc"):
        message["Cc"] = part["cc"]
    own = part.get("subject", f"Re: {subject}" if earlier else subject)
    message["Subject"], message["Message-ID"] = own, message_id
    message["Date"] = format_datetime(datetime.fromisoformat(part["date"]) if "date" in part else at)
    if earlier:
        message["In-Reply-To"], message["References"] = earlier[-1], " ".join(earlier)
    for name, value in part.get("headers", {}).items():
        message[name] = value
    _fill(message, part)
    return bytes(message)


def _fill(message: EmailMessage, part: Mapping[str, Any]) -> None:
    if "text" in part:
        message.set_content(part["text"])
    if "html" in part:
        if "text" in part:
            message.add_alternative(part["html"], subtype="html")
        else:
            message.set_content(part["html"], subtype="html")
    if "calendar" in part:
        message.add_attachment(
            part["calendar"].encode(), maintype="text", subtype="calendar", filename="invite.ics"
        )


def _domain(part: Mapping[str, Any]) -> str:
    return parseaddr(part["from"])[1].partition("@")[2] or "nowhere.example"

"""The conversation a state is about, parsed once, and as a model reads it: facts in lines, all that came from mail inside fences.

Beside it what prompts say of the user, and of drafts that were sent back.

Keeps a message's status in the journal in step with its runs, for runs from ingestion and from elsewhere.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig

from email_assistant.errors import AccessError, ConfigError, InputError, UnsettledError
from email_assistant.journal.mail_log import MAX_ATTEMPTS, MailLog
from email_assistant.journal.records import OPEN, MailRecord, MailStatus
from email_assistant.mail.address import format_addresses
from email_assistant.mail.email_input import parse_email_input
from email_assistant.mail.message import Attachment, Conversation, Message
from email_assistant.mail.text import fence
from email_assistant.tools.tool import User

CACHED = 64


def conversation_of(email_input: Any) -> Conversation:
    """The conversation; raises `InputError` naming the field that is wrong."""
    try:
        written = json.dumps(email_input, sort_keys=True)
    except (TypeError, ValueError):
        raise InputError("email_input must be JSON") from None
    return _parsed(written)


async def aconversation_of(email_input: Any) -> Conversation:
    """The same off the event loop: a long HTML body takes a while the first time."""
    return await asyncio.to_thread(conversation_of, email_input)


def email_fields(email: object, needed: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, str]:
    """The `email` of a run's input: an object of these fields, all of them text; raises `InputError` naming what is wrong."""
    if not isinstance(email, Mapping):
        raise InputError(f"email must be an object with {', '.join(needed)}")
    known = (*needed, *optional)
    for name in needed:
        if name not in email:
            raise InputError(f"email.{name} is missing")
    for name, value in email.items():
        if name not in known:
            raise InputError(f"email.{str(name)[:80]} is unknown; there are {', '.join(known)}")
        if not isinstance(value, str):
            raise InputError(f"email.{name} must be text")
    return email


@lru_cache(CACHED)
def _parsed(written: str) -> Conversation:
    return parse_email_input(json.loads(written))


def run_thread_id(config: RunnableConfig) -> str:
    """The LangGraph thread the run belongs to; "local" outside any thread."""
    return str(config.get("configurable", {}).get("thread_id") or "local")


MAX_CURRENT = 16_000
MAX_EARLIER_EACH = 2_000
MAX_EARLIER = 8
MAX_FORWARDED = 8_000
MAX_FILE = 4_000
"""Of the text of each file."""


def conversation_text(
    conversation: Conversation, timezone: str, *, seen: frozenset[str] = frozenset(), forwarded: bool = True
) -> str:
    """The current message and the earlier ones that are not in `seen`, oldest first, bounded in length.

    Unless `forwarded` is off, the first message of a conversation has what stands forwarded or quoted in it: where there are earlier
    messages, that is their text over again; here nothing else holds it.
    """
    earlier = [m for m in conversation.earlier if not m.id or m.id not in seen][-MAX_EARLIER:]
    newer = {m.id for m in conversation.since}
    labels = [("Message written since" if m.id in newer else "Earlier message", m) for m in earlier]
    blocks = [_block(label, m, timezone, MAX_EARLIER_EACH) for label, m in labels]
    current = conversation.current
    below = current.quoted if forwarded and not conversation.earlier else ""
    files = [each for each in current.attachments if each.text]
    return "\n\n".join([*blocks, _block("Current message", current, timezone, MAX_CURRENT, below, files)])


def _block(
    label: str, message: Message, timezone: str, limit: int, below: str = "", files: Iterable[Attachment] = ()
) -> str:
    lines = [
        f"From: {format_addresses((message.sender,))}",
        f"To: {format_addresses(message.to)}",
        *([f"Cc: {format_addresses(message.cc)}"] if message.cc else []),
        f"Date: {_local(message.date, timezone)}",
        f"Subject: {message.subject}",
        *[f"Attachment: {a.name} ({a.content_type}, {a.size} bytes)" for a in message.attachments[:10]],
        "",
        _cut(message.text, limit),
        *(["", "[forwarded or quoted in it]", _cut(below, MAX_FORWARDED)] if below else []),
        *(line for each in files for line in ("", f"[in {each.name}]", _cut(each.text, MAX_FILE))),
    ]
    return f"{label}:\n{fence(chr(10).join(lines), 'mail')}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "\n[cut]"


def _local(instant: datetime | None, timezone: str) -> str:
    return instant.astimezone(ZoneInfo(timezone)).strftime("%A %Y-%m-%d %H:%M %z") if instant else "unknown"


def user_values(user: User, unnamed: str = "the user") -> dict[str, str]:
    """Values of the prompts' `name`, `email` and `background`."""
    return {
        "name": user.address.name or user.address.email or unnamed,
        "email": user.address.email or "unknown",
        "background": user.background or "Nothing is known.",
    }


def corrections(said: Sequence[str], previous: str = "", left_out: Sequence[str] = ()) -> str:
    """A draft that was sent back, what the person said about drafts, the oldest first, and what the last attempt left out."""
    lines = [f"Your earlier draft was:\n{previous}\n\n"] if previous else []
    lines += [f"The person says: {each}\n" for each in said]
    lines += [f"Your last attempt left out: {each}\n" for each in left_out]
    return "".join([*lines, "\n"]) if lines else ""


ENDED = {"ignored": MailStatus.ignored}
SETTLED = frozenset({MailStatus.done, MailStatus.ignored})


@dataclass(frozen=True)
class MailStatusKeeper:
    """Writes statuses; a run whose input is no email has none."""

    log: MailLog
    mailbox: str

    async def started(self, run_thread_id: str, graph: str, email_input: object) -> None:
        """A run begins with new mail (then what the thread was busy with is superseded), or goes on (None)."""
        if email_input is None:
            await self._move(run_thread_id, graph, MailStatus.processing)
            return
        try:
            conversation = parse_email_input(email_input)
            record = self._record(run_thread_id, graph, conversation, email_input)
            await self.log.claim(record)
        except InputError:
            return  # The run itself says what is wrong with its input.
        for other in await self._open(run_thread_id, graph):
            newest = other.message_id == record.message_id
            status = MailStatus.processing if newest else MailStatus.superseded
            await self._set(other, status, "" if newest else "a newer message of the conversation came first")

    async def waiting(self, run_thread_id: str, graph: str) -> None:
        """A card waits for an answer, also of mail that is settled: a server that has forgotten the answer asks once more."""
        records = [r for r in await self.log.by_run_thread(run_thread_id) if r.graph == graph]
        again = [r for r in records[:1] if r.status in SETTLED]
        for record in [r for r in records if r.status in OPEN] or again:
            await self._set(record, MailStatus.waiting_review)

    async def ended(self, run_thread_id: str, graph: str, outcome: str, reason: str = "") -> None:
        """A run came to its end, or ("") stopped to ask."""
        if outcome:
            status = ENDED.get(outcome, MailStatus.done)
            await self._move(run_thread_id, graph, status, outcome=outcome, reason=reason)

    async def failed(self, run_thread_id: str, graph: str, reason: str, error: BaseException) -> None:
        """A run failed. A wrong input is not tried again; what is no fault of the mail's (a setting, want of access, something
        to wait for) counts as no attempt.
        """
        for record in await self._open(run_thread_id, graph):
            key = (record.mailbox, record.message_id, graph)
            if isinstance(error, AccessError | ConfigError | UnsettledError):
                await self.log.set_status(*key, MailStatus.needs_review, reason=reason)
            else:
                attempts = 1 if isinstance(error, InputError) else MAX_ATTEMPTS
                await self.log.fail(*key, reason, max_attempts=attempts)

    async def _move(
        self, run_thread_id: str, graph: str, status: MailStatus, outcome: str = "", reason: str = ""
    ) -> None:
        for record in await self._open(run_thread_id, graph):
            await self._set(record, status, reason, outcome)

    async def _set(self, record: MailRecord, status: MailStatus, reason: str = "", outcome: str = "") -> None:
        await self.log.set_status(
            record.mailbox, record.message_id, record.graph, status, reason=reason, outcome=outcome
        )

    async def _open(self, run_thread_id: str, graph: str) -> list[MailRecord]:
        records = await self.log.by_run_thread(run_thread_id)
        return [r for r in records if r.graph == graph and r.status in OPEN]

    def _record(
        self, run_thread_id: str, graph: str, conversation: Conversation, email_input: Any
    ) -> MailRecord:
        current = conversation.current
        return MailRecord(
            mailbox=self.mailbox,
            message_id=_message_id(run_thread_id, current),
            graph=graph,
            mail_thread_id=current.mail_thread_id,
            run_thread_id=run_thread_id,
            status=MailStatus.processing,
            email_input=dict(email_input),
            received_at=current.date,
        )


def message_id_of(run_thread_id: str, email_input: object) -> str | None:
    """Under which id the journal has this mail; None when it cannot be read."""
    try:
        return _message_id(run_thread_id, parse_email_input(email_input).current)
    except InputError:
        return None


def _message_id(run_thread_id: str, message: Message) -> str:
    return message.id or f"run:{run_thread_id}"

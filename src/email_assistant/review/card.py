"""The card's description: Markdown in which nothing that came from mail can act.

Agent Inbox renders raw HTML and turns bare addresses into links, so mail text goes into a fence, and every
piece that stands in a line is escaped, with anything that looks like a link in a code span.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from zoneinfo import ZoneInfo

from email_assistant.mail.auth_results import vouched_by
from email_assistant.mail.message import Conversation, Message
from email_assistant.mail.text import clean, fence
from email_assistant.review.action import Action

MAX_MAIL_CHARACTERS = 12_000
MAX_EARLIER = 5
MAX_TITLE_CHARACTERS = 90
MAX_PROBLEM = 800
"""Characters of the first line: it may name several findings."""
NOTHING_LEARNED = "Nothing is learned from your answer, because the sender is in doubt."
NOBODY_VOUCHES = "Nobody vouches for the sender"
OFFLINE_NOTE = "Written by the built-in offline rules, not by a language model."

_ACTIVE = re.compile(r"([\\`*_\[\]!|~&]|^[-+#>=]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
_MARKUP = re.compile(r"[<>\[\]`*_~|\\&]|^\s*(?:[-+#=]|\d{1,9}[.)]\s)|^(?: {4}|\t)", re.MULTILINE)
_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.\-]*://|www\.)\S+|[^\s<>()\[\],;:\"]+@[^\s<>()\[\],;:\"]+|\b(?:javascript|data|mailto):\S*",
    re.IGNORECASE,
)


def inline(text: str, limit: int = 300) -> str:
    """`text` as one inert line of Markdown."""
    flat = " ".join(clean(text)[0].split())
    flat = flat if len(flat) <= limit else flat[: limit - 1] + "…"
    parts, at = [], 0
    for match in _LINK.finditer(flat):
        parts += [_escape(flat[at : match.start()]), code(match.group())]
        at = match.end()
    return "".join([*parts, _escape(flat[at:])])


def code(text: str) -> str:
    """`text` as a code span (CommonMark §6.1): inert, whatever it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def field(text: str) -> str:
    """`text` for a field that cannot be edited, which the page renders as Markdown: as it is, or fenced if anything in it could act."""
    return fence(text, "text") if _MARKUP.search(text) or _LINK.search(text) else text


def title(text: str) -> str:
    """`text` as a card's title: one line, no invisible characters, not too long."""
    flat = " ".join(clean(text)[0].split())
    return flat if len(flat) <= MAX_TITLE_CHARACTERS else flat[: MAX_TITLE_CHARACTERS - 1] + "…"


def numbered(base: str, used: Sequence[str], round_number: int = 1) -> str:
    """A title that differs from all before it in the thread, so that an answer to an old card is recognised.

    `used` holds the titles of this round (since the last new message); `round_number` tells rounds apart.
    """
    for number in count(1):
        notes = [f"message {round_number}"] if round_number > 1 else []
        notes += [f"draft {number}"] if number > 1 else []
        suffix = f" ({', '.join(notes)})" if notes else ""
        candidate = base[: MAX_TITLE_CHARACTERS - len(suffix)] + suffix
        if candidate not in used:
            return candidate
    raise AssertionError("count() never ends")


@dataclass(frozen=True)
class CardContext:
    """What a card tells besides the action itself."""

    conversation: Conversation
    timezone: str
    headline: str
    """The first sentence: what is asked of the human."""
    triage_reason: str = ""
    sender_warnings: tuple[str, ...] = ()
    offline: bool = False
    problem: str = ""
    verified: str = ""
    """What is known of who the sender is; see `verified`."""
    facts: Sequence[str] = ()
    """Further lines beside those of the message, like "Customer: Ana"."""


def describe(action: Action, context: CardContext) -> str:
    """The description of the card for `action`."""
    message = context.conversation.current
    lines = [inline(context.problem, MAX_PROBLEM), ""] if context.problem else []
    lines += [inline(" ".join([context.headline, action.summary]).strip(), limit=600), ""]
    lines += [*_facts(message, context), ""]
    doubts = [*context.sender_warnings, NOTHING_LEARNED] if context.sender_warnings else []
    warnings = [*doubts, *action.warnings, *message.notes]
    if warnings:
        lines += ["#### Look closely", *[f"- {inline(w)}" for w in warnings], ""]
    lines += ["#### The message", fence(_shortened(_body(message)), "text"), ""]
    # Where there are earlier messages, they are shown below; here nothing else shows what the message forwards.
    if message.quoted and not context.conversation.earlier:
        lines += ["#### Forwarded or quoted in it", fence(_shortened(message.quoted), "text"), ""]
    reasons = [*_reason(context.triage_reason), *action.reasons]
    if reasons or context.offline:
        lines += ["#### Why", *[f"- {inline(r)}" for r in reasons]]
        lines += [f"- {OFFLINE_NOTE}"] if context.offline else []
    return "\n".join(lines + _earlier(context.conversation.earlier, context.timezone)).rstrip() + "\n"


def _facts(message: Message, context: CardContext) -> list[str]:
    facts = [
        f"- **From:** {inline(who(message))}",
        *([f"- **Verified:** {inline(context.verified)}"] if context.verified else []),
        f"- **Subject:** {inline(message.subject or '(no subject)')}",
        f"- **Received:** {local_time(message.date, context.timezone)}",
        *(f"- {inline(fact)}" for fact in context.facts),
    ]
    for attachment in message.attachments[:10]:
        size = f"{max(1, attachment.size // 1024)} KB"
        facts.append(
            f"- **Attachment:** {inline(attachment.name)} ({inline(attachment.content_type)}, {size})"
        )
    return facts


def verified(message: Message, host: str) -> str:
    """Whether anybody vouches for the sender's address, for the card; `host` is the receiving host, "" when unknown."""
    if not host:
        return (
            f"no. {NOBODY_VOUCHES}: EMAIL_ASSISTANT_AUTHSERV_ID does not say which host receives your mail."
        )
    if check := vouched_by(message, host=host):
        return f"yes, {host} vouches for {message.sender.domain} ({check})."
    return f"no. {NOBODY_VOUCHES}: {host} reports no pass for its address."


def who(message: Message) -> str:
    """The sender as name and address."""
    sender = message.sender
    return f"{sender.name} ({sender.email})" if sender.name else sender.email


def local_time(instant: datetime | None, timezone: str) -> str:
    """An instant in the user's zone, or "unknown"."""
    return instant.astimezone(ZoneInfo(timezone)).strftime("%a %d %b %Y, %H:%M %Z") if instant else "unknown"


def _reason(text: str) -> list[str]:
    return [f"Triage: {text}"] if text else []


def _body(message: Message) -> str:
    return message.text.strip() or "(the message has no text)"


def _shortened(text: str) -> str:
    if len(text) <= MAX_MAIL_CHARACTERS:
        return text
    return (
        text[:MAX_MAIL_CHARACTERS] + f"\n[… {len(text) - MAX_MAIL_CHARACTERS} more characters in the mailbox]"
    )


def _earlier(messages: tuple[Message, ...], timezone: str) -> list[str]:
    if not messages:
        return []
    blocks = [
        fence(f"{who(m)}, {local_time(m.date, timezone)}\n\n{_shortened(_body(m))[:2000]}", "text")
        for m in messages[-MAX_EARLIER:]
    ]
    summary = f"<details><summary>Earlier in this thread ({len(messages)})</summary>"
    return ["", summary, "", *blocks, "", "</details>"]


def _escape(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", text).replace("<", "&lt;")

"""The card's description: Markdown in which nothing that came from mail can act.

Agent Inbox renders raw HTML and turns bare addresses into links, so mail text goes into a fence, and every
piece that stands in a line is escaped, with anything that looks like a link in a code span.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import count
from zoneinfo import ZoneInfo

from email_assistant.mail.auth_results import vouched_by
from email_assistant.mail.message import Message
from email_assistant.mail.text import clean, fence
from email_assistant.review.card_view import MAX_ASK, MAX_PROBLEM, CardView
from email_assistant.review.catch import pressing, span_in_words

MAX_TITLE_CHARACTERS = 90
NOTHING_LEARNED = "Nothing is learned from your answer, because the sender is in doubt."
IN_DOUBT = "sender in doubt"
NOBODY_VOUCHES = "Nobody vouches for the sender"
NO_TEXT = "(the message has no text)"
_LONG, _MANY_LINES = 800, 12
"""Quoted text beyond either is folded away."""
OFFLINE_NOTE = "Written by the built-in offline rules, not by a language model."

_NOTES = re.compile(rf" \((?:{IN_DOUBT}|message \d+|draft \d+)(?:, (?:message \d+|draft \d+))*\)$")
_ACTIVE = re.compile(r"([\\`*_\[\]!|~&]|^[-+#>=]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
_MARKUP = re.compile(r"[<>\[\]`*_~|\\&]|^\s*(?:[-+#=]|\d{1,9}[.)]\s)|^(?: {4}|\t)", re.MULTILINE)
_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.\-]*://|www\.)\S+|[^\s<>()\[\],;:\"]+@[^\s<>()\[\],;:\"]+|\b(?:https?|ftp|xmpp|javascript|data|mailto):\S*",
    re.IGNORECASE,
)
"""What a page may make a link of, also when a line was cut in the middle of it."""


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


def numbered(base: str, used: Sequence[str], round_number: int = 1, notes: Sequence[str] = ()) -> str:
    """A title that differs from all before it in the thread, so that an answer to an old card is recognised.

    `used` holds the titles of this round (since the last new message); `round_number` tells rounds apart. `notes` are what a
    person should see of the card before they open it.
    """
    for number in count(1):
        told = [*notes, *([f"message {round_number}"] if round_number > 1 else [])]
        told += [f"draft {number}"] if number > 1 else []
        suffix = f" ({', '.join(told)})" if told else ""
        candidate = base[: MAX_TITLE_CHARACTERS - len(suffix)] + suffix
        if candidate not in used:
            return candidate
    raise AssertionError("count() never ends")


def unnumbered(title: str) -> str:
    """A title of `numbered` without what was put behind it."""
    return _NOTES.sub("", title)


def markdown(view: CardView, *, folded: bool = True) -> str:
    """The card as Agent Inbox shows it; with `folded` earlier messages are folded away, which takes two tags of HTML."""
    lines = [inline(view.problem, MAX_PROBLEM), ""] if view.problem else []
    lines += [inline(first_line(view), MAX_ASK), ""]
    lines += [*_facts(view), ""]
    lines += _revised(view)
    doubts = [*view.doubts, NOTHING_LEARNED] if view.doubts else []
    if warnings := [*doubts, *view.warnings]:
        lines += ["#### Look closely", *[f"- {inline(w)}" for w in warnings], ""]
    if view.effects:
        lines += ["#### What else happens", *[f"- {inline(each)}" for each in view.effects], ""]
    lines += ["#### The message", fence(view.message or NO_TEXT, "text"), ""]
    if view.quoted:
        lines += [
            *_folded(
                "Forwarded or quoted in it",
                [fence(view.quoted, "text")],
                folded=folded and _is_long(view.quoted),
            ),
            "",
        ]
    if view.reasons or view.offline:
        lines += ["#### Why", *[f"- {inline(r)}" for r in view.reasons]]
        lines += [f"- {OFFLINE_NOTE}"] if view.offline else []
    lines += _earlier(view, folded=folded)
    told = "\n".join(lines).rstrip() + "\n"
    return told + "".join(
        f"\n#### {inline(each['heading'])}\n{fence(each['text'], 'text')}\n" for each in view.sections
    )


def _facts(view: CardView) -> list[str]:
    facts = [
        f"- **From:** {inline(who(view.sender, view.address))}",
        *([f"- **Verified:** {inline(view.verified)}"] if view.verified else []),
        f"- **Subject:** {inline(view.subject or '(no subject)')}",
        f"- **Received:** {_told_time(view.received, view.timezone)}",
        *(f"- {inline(fact)}" for fact in view.facts),
        *_times(view),
        *([f"- **Categories:** {inline('; '.join(view.options))}"] if view.options else []),
    ]
    for each in view.attachments:
        size = f"{max(1, each['size'] // 1024)} KB"
        facts.append(f"- **Attachment:** {inline(each['name'])} ({inline(each['type'])}, {size})")
    return facts


def _times(view: CardView) -> Iterator[str]:
    """What the mail asks for and what else is free; when the meeting itself is stands in the first line."""
    meeting = view.meeting or {}
    asked = meeting.get("asked")
    if asked:
        taken = f", which is taken by “{asked['taken_by']}”" if asked["taken_by"] else ""
        yield f"- **Asked for:** {inline(span_in_words(asked['start'], asked['end'], view.timezone) + taken)}"
    if options := meeting.get("options"):
        free = "; ".join(span_in_words(each["start"], each["end"], view.timezone) for each in options)
        yield f"- **Also free:** {inline(free)}"


def _earlier(view: CardView, *, folded: bool) -> list[str]:
    if not view.earlier:
        return []
    blocks = [
        fence(
            f"{who(each['sender'], each['address'])}, {_told_time(each['received'], view.timezone)}\n\n{each['text'] or NO_TEXT}",
            "text",
        )
        for each in view.earlier
    ]
    return ["", *_folded(f"Earlier in this thread ({view.earlier_count})", blocks, folded=folded)]


def _folded(heading: str, blocks: Sequence[str], *, folded: bool) -> list[str]:
    if not folded:
        return [f"#### {heading}", "", *blocks]
    return [f"<details><summary>{heading}</summary>", "", *blocks, "", "</details>"]


def _is_long(text: str) -> bool:
    return len(text) > _LONG or text.count("\n") > _MANY_LINES


def first_line(view: CardView) -> str:
    """What presses, what is asked, and what accepting comes to: all that a list of cards shows."""
    presses = ", ".join(pressing(view))
    told = " ".join([view.ask, view.summary]).strip()
    return f"{presses[0].upper()}{presses[1:]}: {told}" if presses else told


def _revised(view: CardView) -> list[str]:
    """What the person said of the card before this one, and what became of it."""
    if not view.said:
        return []
    lines = ["#### You said", fence(view.said, "text"), ""]
    changed = "\n".join(_changes(view.before or {}, view.args))
    return [*lines, "#### What changed since", fence(changed, "text"), ""] if changed else lines


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """The lines that went, with "-" before them, and those that came, with "+"."""
    for name in now if before else ():
        old, new = (each.get(name, "").splitlines() for each in (before, now))
        # Without the two lines of file names, and without those that say where.
        lines = [
            each for each in [*unified_diff(old, new, n=0, lineterm="")][2:] if not each.startswith("@@")
        ]
        yield from [f"{name}:", *lines] if lines else []


def verified(message: Message, host: str) -> str:
    """Whether anybody vouches for the sender's address, for the card; `host` is the receiving host, "" when unknown."""
    if not host:
        return (
            f"no. {NOBODY_VOUCHES}: EMAIL_ASSISTANT_AUTHSERV_ID does not say which host receives your mail."
        )
    if check := vouched_by(message, host=host):
        return f"yes, {host} vouches for {message.sender.domain} ({check})."
    return f"no. {NOBODY_VOUCHES}: {host} reports no pass for its address."


def who(name: str, address: str) -> str:
    """A person as name and address."""
    return f"{name} ({address})" if name else address


def local_time(instant: datetime | None, timezone: str) -> str:
    """An instant in the user's zone, or "unknown"."""
    return instant.astimezone(ZoneInfo(timezone)).strftime("%a %d %b %Y, %H:%M %Z") if instant else "unknown"


def _told_time(received: str, timezone: str) -> str:
    return local_time(datetime.fromisoformat(received) if received else None, timezone)


def _escape(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", text).replace("<", "&lt;")

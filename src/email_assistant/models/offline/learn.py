"""Learning by rule: one decision adds one line to a profile, or counts one up."""

from email_assistant.errors import InputError
from email_assistant.mail.address import is_email
from email_assistant.mail.text import one_line
from email_assistant.models.offline.learned import (
    HEADING,
    asked_reply_line,
    dismissed_count,
    dismissed_line,
    is_learned_form,
)

MAX_LEARNED = 60
MAX_CHARACTERS = 8_000
MAX_LINE = 500


def learn(profile: str, *, kind: str, text: str, sender: str) -> str:
    """The profile with one thing added or counted.

    `dismissed` and `asked_reply` learn about `sender` alone and do not use `text`; `feedback` keeps the user's
    words and `edited` the facts about an edit. What is known already changes nothing, and neither does an empty
    text or a sender that is no address. Beyond 60 learned lines, or 8,000 characters, the oldest learned ones
    go; other lines always stay, so a profile that is full of them is returned as it is. Raises `InputError` for
    another kind.
    """
    line = _line(profile, kind, text, sender)
    if not line:
        return profile
    lines = profile.splitlines()
    place = _counted(lines, kind, sender)
    if place is not None:
        changed = [*lines[:place], line, *lines[place + 1 :]]
    elif line in lines:
        return profile
    else:
        changed = _appended(lines, line)
    return _within_limits(changed, line) or profile


def _line(profile: str, kind: str, text: str, sender: str) -> str:
    """The line to write; "" when there is nothing to learn."""
    if kind in {"dismissed", "asked_reply"}:
        if not is_email(sender):
            return ""
        if kind == "asked_reply":
            return asked_reply_line(sender)
        counts = [dismissed_count(line, sender) or 0 for line in profile.splitlines()]
        return dismissed_line(sender, min(max(counts, default=0) + 1, 999_999))
    if kind not in {"feedback", "edited"}:
        raise InputError(f"kind must be dismissed, asked_reply, feedback or edited, not {kind!r}")
    words = one_line(text).lstrip("#-*>•– ")
    if not words:
        return ""
    line = f"- {words if kind == 'feedback' else f'You edited a draft: {words}'}"
    line = line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1].rstrip()}…"
    # Words that look like a counting line would otherwise be taken for one.
    return f"- You said: {line[2:]}" if is_learned_form(line) else line


def _counted(lines: list[str], kind: str, sender: str) -> int | None:
    """The place of the sender's counting line, when it is to be counted up."""
    if kind != "dismissed":
        return None
    return next((i for i, line in enumerate(lines) if dismissed_count(line, sender) is not None), None)


def _appended(lines: list[str], line: str) -> list[str]:
    """The lines with one more at the end of the learned section, which is begun when it is not there."""
    if HEADING not in lines:
        gap = [""] if lines and lines[-1].strip() else []
        return [*lines, *gap, HEADING, line]
    _, end = _section(lines)
    while not lines[end - 1].strip():
        end -= 1
    return [*lines[:end], line, *lines[end:]]


def _section(lines: list[str]) -> tuple[int, int]:
    """Where the learned section's lines begin and end."""
    start = lines.index(HEADING) + 1
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("#")), len(lines))
    return start, end


def _learned(lines: list[str]) -> list[int]:
    """The places of learned lines, oldest first."""
    start, end = _section(lines) if HEADING in lines else (0, 0)
    return [
        i
        for i, line in enumerate(lines)
        if is_learned_form(line) or (start <= i < end and line.startswith("- "))
    ]


def _within_limits(lines: list[str], newest: str) -> str | None:
    """The lines as a text within both limits; None when the newest line has no room."""
    places = [i for i in _learned(lines) if lines[i] != newest]
    dropped = set(places[: max(0, len(places) + 1 - MAX_LEARNED)])
    rest = [i for i in places if i not in dropped]
    while len("\n".join(line for i, line in enumerate(lines) if i not in dropped)) > MAX_CHARACTERS:
        if not rest:
            return None
        dropped.add(rest.pop(0))
    return "\n".join(line for i, line in enumerate(lines) if i not in dropped)

"""Learning by rule: one decision adds one line to a profile, or counts one up."""

import re

from email_assistant.errors import InputError
from email_assistant.mail.address import is_email
from email_assistant.mail.text import one_line
from email_assistant.models.offline.preferences import (
    DISMISSALS_TO_ASK,
    HEADING,
    asked_reply_line,
    brought_back_line,
    dismissed_count,
    dismissed_line,
    edits_in,
    history_of,
    is_learned_form,
    learned_about,
)

MAX_LEARNED = 60
MAX_IDLE = 20
"""So many lines that no rule goes by, the newest, are treated like the others: a count must be able to grow."""
MAX_CHARACTERS = 8_000
MAX_LINE = 500
EDITED = "- You edited a draft: "
"""How lines begin that an earlier version wrote: pieces of letters, which go with the next lesson."""
_DISMISSALS = frozenset({"dismissed", "hidden"})
_WANTED = {"asked_reply": asked_reply_line, "brought_back": brought_back_line}
_LENGTHS = re.compile(r"\bin body the user .*\((\d{1,6}) words became (\d{1,6})\)", re.DOTALL)


def learn(profile: str, *, kind: str, text: str, sender: str) -> str:
    """The profile with one thing added or counted.

    `dismissed`, `hidden` (dismissed, and agreed that such mail is not shown), `asked_reply` and `brought_back` (after it was
    ignored) learn about `sender` alone and do not use `text`; `feedback` keeps the user's words, and an edit is counted: no rule
    can tell more of it than whether a letter became much shorter or longer. What is known already changes nothing, but words said
    again move to the end; an empty text changes nothing, nor a sender that is no address. Of one sender the latest word holds: a
    reply asked for, or mail brought back, ends the count of dismissals, and the third dismissal after it ends that. Beyond 60
    learned lines, or 8,000 characters, those that no rule goes by (but for the newest 20) go first, then the oldest; other lines
    always stay, so a profile that is full of them is returned
    as it is. Raises `InputError` for another kind.
    """
    line = _line(profile, kind, text, sender)
    if not line:
        return profile
    before = profile.splitlines()
    lines = [each for each in before if not _outdated(each, line, kind, sender)]
    place = _counted(lines, kind, sender)
    if place is not None:
        changed = [*lines[:place], line, *lines[place + 1 :]]
    elif line in lines:
        changed = _said_again(lines, line) if kind == "feedback" else lines
    else:
        changed = _appended(lines, line)
    return profile if changed == before else _within_limits(changed, line) or profile


def _line(profile: str, kind: str, text: str, sender: str) -> str:
    """The line to write; "" when there is nothing to learn."""
    if kind in {*_DISMISSALS, *_WANTED}:
        if not is_email(sender):
            return ""
        if kind in _WANTED:
            return _WANTED[kind](sender)
        before = history_of(sender, profile)
        hidden = kind == "hidden" or before.hidden
        return dismissed_line(sender, min(before.dismissed + 1, 999_999), hidden=hidden)
    if kind not in {"feedback", "edited"}:
        raise InputError(
            f"kind must be dismissed, hidden, brought_back, asked_reply, feedback or edited, not {kind!r}"
        )
    if kind == "edited":
        return _edits_line(profile, text)
    words = one_line(text).lstrip("#-*>•– ")
    if not words:
        return ""
    line = f"- {words}"
    line = line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1].rstrip()}…"
    # Words that look like a counting line would otherwise be taken for one.
    return f"- You said: {line[2:]}" if is_learned_form(line) else line


def _edits_line(profile: str, edit: str) -> str:
    """The line with one edit more; `edit` is as `describe_edit` tells it."""
    if not edit.strip():
        return ""
    edits, shorter, longer = next(filter(None, map(edits_in, profile.splitlines())), (0, 0, 0))
    counted = _LENGTHS.search(edit)
    before, after = map(int, counted.groups()) if counted else (1, 1)
    edits += 1
    counts = {"shorter": shorter + (3 * after <= 2 * before), "longer": longer + (2 * after >= 3 * before)}
    parts = [f"; {count} {name}" for name, count in counts.items() if count]
    return f"- You edited {edits} time{'s' * (edits != 1)}{''.join(parts)}"


def _outdated(old: str, new: str, kind: str, sender: str) -> bool:
    """Whether the user has changed their mind about the sender since this line was written, or an earlier version wrote it."""
    if old.startswith(EDITED):
        return True
    is_count = dismissed_count(old, sender) is not None
    if kind in _WANTED:
        return is_count
    often = (dismissed_count(new, sender) or 0) >= DISMISSALS_TO_ASK
    return kind in _DISMISSALS and often and not is_count and learned_about(old) == sender.lower()


def _counted(lines: list[str], kind: str, sender: str) -> int | None:
    """The place of the line that counts the sender's dismissals, or edits, when it is to be counted up."""
    if kind == "edited":
        return next((i for i, line in enumerate(lines) if edits_in(line)), None)
    if kind not in _DISMISSALS:
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


def _said_again(lines: list[str], line: str) -> list[str]:
    """The lines with one that was learned before at the end: of wishes that contradict each other the latest holds."""
    start, end = _section(lines) if HEADING in lines else (0, 0)
    if line not in lines[start:end]:
        return lines
    place = lines.index(line, start)
    return _appended([*lines[:place], *lines[place + 1 :]], line)


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
    idle = [i for i in places if _decides_nothing(lines[i])]
    first = idle[: max(0, len(idle) - MAX_IDLE)]
    places = [*first, *(i for i in places if i not in first)]
    dropped = set(places[: max(0, len(places) + 1 - MAX_LEARNED)])
    rest = [i for i in places if i not in dropped]
    while len("\n".join(line for i, line in enumerate(lines) if i not in dropped)) > MAX_CHARACTERS:
        if not rest:
            return None
        dropped.add(rest.pop(0))
    return "\n".join(line for i, line in enumerate(lines) if i not in dropped)


def _decides_nothing(line: str) -> bool:
    """Whether no rule goes by this learned line: a sender not dismissed often enough yet, or how often was edited."""
    count = dismissed_count(line, learned_about(line))
    return count < DISMISSALS_TO_ASK if count is not None else edits_in(line) is not None

"""The forms of the lines that learning writes into a profile and that triage reads there."""

import re
from dataclasses import dataclass

DISMISSALS_TO_IGNORE = 3
"""So many dismissals make a sender ignored."""
COUNTED = f" (put away unanswered; from {DISMISSALS_TO_IGNORE} on, ignore what asks nothing)"
"""What a model is told of a line that counts."""
HEADING = "## Learned from your feedback"
EDITED = "- You edited a draft: "
_DISMISSED = re.compile(r"- Mail from (?P<sender>\S.{0,330}): dismissed (?P<count>\d{1,6}) times?\s*")
_ASKED = re.compile(r"- Mail from (?P<sender>\S.{0,330}): you asked for a reply\s*")


@dataclass(frozen=True, slots=True)
class SenderHistory:
    """What the user did so far with the mail of one sender."""

    dismissed: int = 0
    asked_reply: bool = False


def dismissed_line(sender: str, count: int) -> str:
    """The line that counts how often the user dismissed mail of this sender."""
    return f"- Mail from {sender.lower()}: dismissed {count} times"


def asked_reply_line(sender: str) -> str:
    """The line that says that the user wanted this sender answered."""
    return f"- Mail from {sender.lower()}: you asked for a reply"


def dismissed_count(line: str, sender: str) -> int | None:
    """The count, when the line is the sender's counting line."""
    found = _DISMISSED.fullmatch(line)
    return int(found["count"]) if found and found["sender"].lower() == sender.lower() else None


def decides_nothing(line: str) -> bool:
    """Whether no rule goes by this learned line: a sender not dismissed often enough yet, or what an edit changed."""
    found = _DISMISSED.fullmatch(line)
    return int(found["count"]) < DISMISSALS_TO_IGNORE if found else line.startswith(EDITED)


def is_learned_form(line: str) -> bool:
    """Whether the line has one of the two forms, for any sender."""
    return bool(_DISMISSED.fullmatch(line) or _ASKED.fullmatch(line))


def learned_about(line: str) -> str:
    """Whom a line of the two forms is about, in lower case; "" for other lines."""
    found = _DISMISSED.fullmatch(line) or _ASKED.fullmatch(line)
    return found["sender"].lower() if found else ""


def told_about(sender: str, preferences: str) -> str:
    """The profile for a model that judges this sender's mail: what was counted of others' decides nothing, and is left out."""
    lines = [line for line in preferences.splitlines() if learned_about(line) in ("", sender.lower())]
    told = [f"{line}{COUNTED}" if dismissed_count(line, sender) else line for line in lines]
    return "\n".join(told).rstrip().removesuffix(HEADING).rstrip()


def history_of(sender: str, preferences: str) -> SenderHistory:
    """What the profile's lines say about exactly this address, without regard to case."""
    lines = preferences.splitlines() if sender else []
    counts = [count for line in lines if (count := dismissed_count(line, sender)) is not None]
    asked = any(found and found["sender"].lower() == sender.lower() for found in map(_ASKED.fullmatch, lines))
    return SenderHistory(max(counts, default=0), asked)

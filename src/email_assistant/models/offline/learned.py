"""The forms of the lines that learning writes into a profile and that triage reads there."""

import re
from dataclasses import dataclass

DISMISSALS_TO_ASK = 3
"""After so many dismissals the person is asked whether a sender's mail is to be hidden."""
HIDDEN = "; hidden where it asks nothing of you"
"""Behind the count, once the person has agreed."""
HEADING = "## Learned from your feedback"
EDITED = "- You edited a draft: "
"""How lines begin that an earlier version wrote: pieces of letters, which go with the next lesson."""
_DISMISSED = re.compile(
    r"- Mail from (?P<sender>\S.{0,330}): dismissed (?P<count>\d{1,6}) times?(?P<hidden>" + HIDDEN + r")?\s*"
)
_WANTED = re.compile(
    r"- Mail from (?P<sender>\S.{0,330}): you (?:asked for a reply|(?P<back>brought it back))\s*"
)

_EDITS = re.compile(r"- You edited (\d{1,6}) times?(?:; (\d{1,6}) shorter)?(?:; (\d{1,6}) longer)?\s*")


@dataclass(frozen=True, slots=True)
class SenderHistory:
    """What the user did so far with the mail of one sender."""

    dismissed: int = 0
    asked_reply: bool = False
    hidden: bool = False
    """Whether the user agreed that what asks nothing is not shown."""
    brought_back: bool = False
    """Whether the user wanted back what was ignored: none of it is ignored any more."""


def dismissed_line(sender: str, count: int, *, hidden: bool = False) -> str:
    """The line that counts how often the user dismissed mail of this sender, and says whether it is hidden."""
    return f"- Mail from {sender.lower()}: dismissed {count} times{HIDDEN if hidden else ''}"


def asked_reply_line(sender: str) -> str:
    """The line that says that the user wanted this sender answered."""
    return f"- Mail from {sender.lower()}: you asked for a reply"


def brought_back_line(sender: str) -> str:
    """The line that says that the user brought ignored mail of this sender back."""
    return f"- Mail from {sender.lower()}: you brought it back"


def dismissed_count(line: str, sender: str) -> int | None:
    """The count, when the line is the sender's counting line."""
    found = _DISMISSED.fullmatch(line)
    return int(found["count"]) if found and found["sender"].lower() == sender.lower() else None


def edits_line(edits: int, shorter: int, longer: int) -> str:
    """The line that counts edits, and which of them made a letter much shorter, or longer."""
    parts = [f"; {shorter} shorter" * bool(shorter), f"; {longer} longer" * bool(longer)]
    return f"- You edited {edits} time{'s' * (edits != 1)}{''.join(parts)}"


def edits_in(line: str) -> tuple[int, int, int] | None:
    """The counts of such a line; None of another."""
    found = _EDITS.fullmatch(line)
    return (int(found[1]), int(found[2] or 0), int(found[3] or 0)) if found else None


def decides_nothing(line: str) -> bool:
    """Whether no rule goes by this learned line: a sender not dismissed often enough yet, or how often was edited."""
    found = _DISMISSED.fullmatch(line)
    return int(found["count"]) < DISMISSALS_TO_ASK if found else edits_in(line) is not None


def is_learned_form(line: str) -> bool:
    """Whether the line has one of the four forms, for any sender."""
    return any(form.fullmatch(line) for form in (_DISMISSED, _WANTED, _EDITS))


def learned_about(line: str) -> str:
    """Whom a line of the three forms is about, in lower case; "" for other lines."""
    found = _DISMISSED.fullmatch(line) or _WANTED.fullmatch(line)
    return found["sender"].lower() if found else ""


def preferences_about(sender: str, preferences: str) -> str:
    """The profile for a model that judges this sender's mail, without what was learned of other senders.

    Nor what was counted of this one: whether a dismissed sender is hidden is decided by `triage.silenced`, whoever triages.
    """
    lines = [
        line for line in parted(preferences)[0].splitlines() if learned_about(line) in ("", sender.lower())
    ]
    return "\n".join(lines).rstrip().removesuffix(HEADING).rstrip()


def parted(preferences: str) -> tuple[str, list[str]]:
    """A profile as a model may read and rewrite it, and the lines that only rules go by and write: dismissed, brought back."""
    lines = preferences.splitlines()
    counted = [line for line in lines if _is_by_rule(line)]
    kept = [line for line in lines if line not in counted]
    return "\n".join(kept).rstrip().removesuffix(HEADING).rstrip(), counted


def _is_by_rule(line: str) -> bool:
    wanted = _WANTED.fullmatch(line)
    return bool(_DISMISSED.fullmatch(line) or (wanted and wanted["back"]))


def joined(spoken: str, counted: list[str]) -> str:
    """The inverse of `parted`: the lines of rules stand at the end of what was learned."""
    if not counted:
        return spoken
    heading = [] if HEADING in spoken.splitlines() else ["", HEADING]
    return "\n".join([spoken.rstrip(), *heading, *counted])


def history_of(sender: str, preferences: str) -> SenderHistory:
    """What the profile's lines say about exactly this address, without regard to case."""
    lines = preferences.splitlines() if sender else []
    counts = [count for line in lines if (count := dismissed_count(line, sender)) is not None]
    hidden = any(dismissed_count(line, sender) and line.rstrip().endswith(HIDDEN) for line in lines)
    said = {line.lower().rstrip() for line in lines}
    asked, brought_back = (each(sender).lower() in said for each in (asked_reply_line, brought_back_line))
    return SenderHistory(max(counts, default=0), asked, hidden, brought_back)

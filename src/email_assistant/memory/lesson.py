"""What a decision teaches: the human's words and facts that code established, never the mail's text."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, Self

from email_assistant.memory.profiles import ProfileName

LessonKind = Literal["dismissed", "asked_reply", "feedback", "edited"]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing to learn.

    `text` is what the human wrote or facts about what the human changed. `sender` is the address of the mail
    at hand, the only person anything may be learned about. `decision_id` makes a replay harmless.
    """

    profile: ProfileName
    kind: LessonKind
    decision_id: str
    text: str = ""
    sender: str = ""

    def as_json(self) -> dict[str, Any]:
        """The lesson as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`."""
        return cls(**value)


def describe_edit(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Facts about an edit: the words the human added, and how much was taken out; "" when nothing changed.

    What was taken out is counted, not quoted: it was written after reading a stranger's mail.
    """
    changes = [_change(name, before[name], after[name]) for name in after if before.get(name) != after[name]]
    return "; ".join(changes)


def _change(name: str, before: str, after: str) -> str:
    old, new = before.split(), after.split()
    added, removed = [], 0
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag in {"replace", "insert"}:
            added.append(" ".join(new[j1:j2]))
        if tag in {"replace", "delete"}:
            removed += i2 - i1
    wrote = f' wrote "{" … ".join(added)[:500]}"' if added else ""
    cut = f" removed {removed} words" if removed else ""
    return f"in {name} the user{wrote}{' and' if wrote and cut else ''}{cut} ({len(old)} words became {len(new)})"

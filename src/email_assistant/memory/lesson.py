"""The lesson of a decision: the human's words and facts that code established, never the mail's text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, Self

from email_assistant.memory.profiles import ProfileName

MAX_TOKENS = 2_000
MAX_QUOTED = 500
_EAST = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
# A word, a time or an address is one token. Chinese, Japanese and Korean stand without spaces: a sentence of theirs would be one
# word, with the stranger's subject in it.
_TOKEN = re.compile(rf"[{_EAST}]|[^\W{_EAST}]+(?:[-:.@+/'’][^\W{_EAST}]+)*|[^\w\s]")
LessonKind = Literal["dismissed", "hidden", "brought_back", "asked_reply", "feedback", "edited"]
BY_RULE = frozenset({"dismissed", "hidden", "brought_back"})
"""Put away unanswered, `hidden` where the person agreed that such mail is not shown; or wanted back after it was ignored."""


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

    What was taken out is counted, not quoted: it was written after reading a stranger's mail. For the same reason
    what was only moved is not quoted, nor a word beside which a mark was changed. Of a text with more than
    `MAX_TOKENS` words and marks only the length is told.
    """
    changes = [_change(name, before[name], after[name]) for name in after if before.get(name) != after[name]]
    return "; ".join(changes)


def _change(name: str, before: str, after: str) -> str:
    lengths = f"({len(before.split())} words became {len(after.split())})"
    old, new = [list(_TOKEN.finditer(text)) for text in (before, after)]
    if max(len(old), len(new)) > MAX_TOKENS:
        return f"in {name} the user changed a long text {lengths}"
    added, removed = _difference([m[0] for m in old], [m[0] for m in new])
    quoted = " … ".join(" ".join(after[new[i].start() : new[j].end()].split()) for i, j in added)
    wrote = f' wrote "{quoted[:MAX_QUOTED]}"' if quoted else ""
    cut = f" removed {removed} words" if removed else ""
    did = " and".join(part for part in (wrote, cut) if part) or " changed order or layout"
    return f"in {name} the user{did} {lengths}"


def _difference(old: Sequence[str], new: Sequence[str]) -> tuple[list[tuple[int, int]], int]:
    """The first and last places of each run that is new, and how many words are gone; what was moved is neither."""
    opcodes = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    gone = Counter(
        token for tag, i1, i2, _, _ in opcodes if tag in {"replace", "delete"} for token in old[i1:i2]
    )
    runs: list[tuple[int, int]] = []
    for tag, _, _, j1, j2 in opcodes:
        last = -1
        for place in range(j1, j2) if tag in {"replace", "insert"} else ():
            if gone[new[place]]:
                gone[new[place]] -= 1
                continue
            joined = last == place - 1 and runs
            runs = [*runs[:-1], (runs[-1][0], place)] if joined else [*runs, (place, place)]
            last = place
    chosen = [run for run in runs if any(_is_word(new[place]) for place in range(run[0], run[1] + 1))] or runs
    return chosen, sum(count for token, count in gone.items() if _is_word(token))


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"

"""How many commitments `promises` finds in sentences, and how often it takes a harmless one for a commitment.

`dev` and `test`, odd and even lines of `eval/facts/promises_independent.jsonl`, were written before their writer had read
the rules; then the same writer improved the rules on `dev`, and knew the sentences of `test`. `later` was written after
that, in other words, and nothing was changed for it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from email_assistant.facts.promises import promises

FOLDER = Path(__file__).parent / "facts"
Part = Literal["dev", "test", "later"]
PARTS: tuple[Part, ...] = ("dev", "test", "later")


@dataclass(frozen=True)
class Found:
    """What came of one part."""

    missed: tuple[str, ...]
    commitments: int
    alarms: tuple[str, ...]
    harmless: int


def sentences(part: Part) -> list[dict[str, Any]]:
    """The sentences of a part, each with whether it commits."""
    name = "promises_later" if part == "later" else "promises_independent"
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    some = {"dev": lines[::2], "test": lines[1::2], "later": lines}[part]
    return [json.loads(line) for line in some]


def measure(part: Part) -> Found:
    """Each sentence by itself, as a draft."""
    found = [(one["commitment"], one["text"], any(promises(one["text"]))) for one in sentences(part)]
    return Found(
        missed=tuple(text for commits, text, seen in found if commits and not seen),
        commitments=sum(commits for commits, _, _ in found),
        alarms=tuple(text for commits, text, seen in found if not commits and seen),
        harmless=sum(not commits for commits, _, _ in found),
    )

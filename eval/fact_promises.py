"""How many commitments `promises` finds, and how often it takes a harmless sentence for one.

The sentences of `eval/facts/promises_independent.jsonl` were written before their writer had read the rules. Odd lines
are `dev`, on which the rules were improved; even lines are `test`, looked at as totals only.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from email_assistant.facts.promises import promises

PATH = Path(__file__).parent / "facts" / "promises_independent.jsonl"


@dataclass(frozen=True)
class Found:
    """What came of one half."""

    missed: tuple[str, ...]
    commitments: int
    alarms: tuple[str, ...]
    harmless: int


def measure(half: Literal["dev", "test"]) -> Found:
    """Each sentence by itself, as a draft."""
    lines = PATH.read_text(encoding="utf-8").splitlines()[0 if half == "dev" else 1 :: 2]
    sentences = [json.loads(line) for line in lines]
    found = [(one["commitment"], one["text"], any(promises(one["text"]))) for one in sentences]
    return Found(
        missed=tuple(text for commits, text, seen in found if commits and not seen),
        commitments=sum(commits for commits, _, _ in found),
        alarms=tuple(text for commits, text, seen in found if not commits and seen),
        harmless=sum(not commits for commits, _, _ in found),
    )

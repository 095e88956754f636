"""Concerns that a person who has accepted is asked about once more: gaps in the words, and what has happened meanwhile."""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from email_assistant.facts.folding import gaps_in
from email_assistant.review.action import Action
from email_assistant.tools.tool import AskAgain


@dataclass(frozen=True, slots=True)
class Concern:
    """One finding."""

    key: str
    """The same for the same finding, so that whoever accepts all the same is not asked about it again."""
    text: str
    """For the card's first line."""


def asked_about(
    action: Action, concerns: Iterable[Concern], acknowledged: Collection[str]
) -> AskAgain | None:
    """The card again when there is a finding that is new, with every one: somebody else may be asked now; None when there is none."""
    found = list(concerns)
    new = [concern for concern in found if concern.key not in acknowledged]
    if not new:
        return None
    problem = " ".join(each.text for each in found if each.text)
    return AskAgain(action, problem, tuple(each.key for each in new))


def gaps_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The places that the writer left for the user to fill (`[confirm: …]`), each once."""
    found = [text[start:end] for text in texts for start, end in gaps_in(text)]
    return tuple(dict.fromkeys(found))


def gap_concern(*texts: str, done: str) -> list[Concern]:
    """That these texts have gaps, asked about anew when they change; `done` is what accepting does, like "send it"."""
    number = len(gaps_of(texts))
    if not number:
        return []
    fill = "1 gap: fill it" if number == 1 else f"{number} gaps: fill them"
    key = hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:32]
    return [Concern(f"gaps:{key}", f"{fill} with edit, or accept once more to {done} as it is.")]

"""Whether a person gets to see a reply that commits us: `may_commit` takes each sentence for a commitment that is not known
to be harmless or to say what a sentence of ours says. "Goes to a person" means that a sentence is told, or the fact check
leaves a gap. Sentences stand alone, without sources; `replies` are whole ones with the mail and what our side knows, twenty
that commit in unusual words and twenty harmless ones, written before the rules by their author, in four languages.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from email_assistant.facts.check import check
from email_assistant.facts.commitments import may_commit
from email_assistant.facts.fact import Source
from eval.fact_drafts import FOLDER, HALVES, MAILED, NOW, OWN, ZONE, examples
from eval.fact_promises import PARTS as LISTS
from eval.fact_promises import sentences

PARTS = (*(f"sentences: {part}" for part in LISTS), "replies", *(f"drafts: {half}" for half in HALVES))


@dataclass(frozen=True)
class Asked:
    """What of one part goes to a person."""

    passed: tuple[str, ...]
    """Committing ones that nobody would have seen."""
    committing: int
    stopped: tuple[str, ...]
    """Harmless ones that could have gone."""
    harmless: int


def measure(part: str) -> Asked:
    """Each text of a part."""
    found = [(commits, text, _to_a_person(text, sources)) for commits, text, sources in _texts(part)]
    return Asked(
        passed=tuple(text for commits, text, asked in found if commits and not asked),
        committing=sum(commits for commits, _, _ in found),
        stopped=tuple(text for commits, text, asked in found if not commits and asked),
        harmless=sum(not commits for commits, _, _ in found),
    )


def _texts(part: str) -> Iterator[tuple[bool, str, tuple[Source, ...]]]:
    for name in LISTS:
        if part == f"sentences: {name}":
            yield from ((one["commitment"], one["text"], ()) for one in sentences(name))
    for half in HALVES:
        if part == f"drafts: {half}":
            for right, changed in examples(half):
                yield False, right.draft, right.sources
                yield from ((True, each.draft, each.sources) for each in changed if each.kind == "promise")
    if part == "replies":
        for line in (FOLDER / "replies_unseen.jsonl").read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            ours = (Source(name, text, "ours") for name, text in one["ours"].items())
            yield (
                one["commitment"],
                one["draft"],
                (Source("the mail", one["theirs"], "theirs", MAILED), *ours),
            )


def _to_a_person(text: str, sources: tuple[Source, ...]) -> bool:
    if may_commit(text, sources, now=NOW, timezone=ZONE, own=OWN):
        return True
    return bool(check(text, sources, now=NOW, timezone=ZONE, own=OWN).gaps)

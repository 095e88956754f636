"""The scorecard's suite on times in mail: phrases, each the whole of a mail, and the card that a person gets for it.

The card is judged, by rules and by a scripted model that copies the first day and hour it finds. It is right when its time is one that the
mail asks for (`starts`, `also`), or within one that it leaves open (`within`, from `starts` to `until`) and marked as chosen; rightly none
where the mail asks for none; left to the user when it says openly that it names a time which was not understood. Any other time is
wrong, and worse without a word. What is passed over names a time, and its card says nothing of it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eval.datasets import Case, load
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.scorecard import table
from eval.setup import Setup
from eval.times.cards import Shown, local, shown_for

PHRASES, LOCKED = "times/phrases.jsonl", "times/locked.jsonl"
GROUPS = {"dev": "open half", "test": "locked half", "new": "new", "locked": "locked"}
"""The halves, and two sets written later: `new`, open to all, and `locked`, measured with `--split locked` only and never shown."""
RIGHT, NONE, LEFT = "right", "rightly none", "left to the user"
WARNED, SILENT, PASSED = "wrong with a warning", "wrong without a word", "passed over"
OUTCOMES = (RIGHT, NONE, LEFT, PASSED, WARNED, SILENT)
GOOD = 0.85
"""Share of the phrases whose card is right, rightly none, or rightly left to the user."""
MOST_WRONG = 0.01
MOST_NOTICES = 0.05
"""Share of the phrases that name a time, and end as a mere notice."""
REACHED = {
    "rules.locked.wrong": 0.02,
    "rules.locked.wrong-without-a-word": 0.02,
    "scripted.locked.wrong-without-a-word": 0.02,
}
"""What is reached, where it is less than what is wanted."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a phrase."""

    case: Case
    shown: Shown

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        return str(self.case.get("set", self.case["split"]))

    @property
    def names_time(self) -> bool:
        """Whether the phrase asks for a meeting at some time to come."""
        return bool(self.case["starts"] or self.case.get("also") or "within" in self.case)

    @property
    def is_notice(self) -> bool:
        """Whether somebody asks for a time, and the card is a mere notice or there is none."""
        return self.names_time and self.shown.kind in {"", "notify"}

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        if not self.shown.proposed:
            return NONE if not self.names_time else LEFT if self.shown.said else PASSED
        if self.case.get("asks") and self.shown.kind == "reply":
            return RIGHT  # It asks for times, and names none.
        wrong = WARNED if self.shown.said else SILENT
        named = {local(each) for each in (*self.case["starts"], *self.case.get("also", ()))}
        if self.shown.broken or not all(
            start in named or self._is_within(start) for start in self.shown.proposed
        ):
            return wrong
        # What the mail leaves open is the assistant's choice, and its card says so; a reply that lets them choose does.
        is_chosen = self.shown.kind == "meeting" and not named & set(self.shown.proposed)
        if (is_chosen and not self.shown.said) or self._has_another_length():
            return wrong
        return RIGHT

    def _is_within(self, start: object) -> bool:
        spans = list(self.case.get("within", ()))
        if "until" in self.case:
            spans.append((self.case["starts"][0], self.case["until"]))
        return any(local(first) <= start <= local(last) for first, last in spans)  # type: ignore[operator]

    def _has_another_length(self) -> bool:
        named = self.case.get("minutes", 0)
        return bool(named and self.shown.minutes and self.shown.minutes != named)


async def report(setup: Setup) -> SuiteReport:
    """Classes of each group; no model has a part in it."""
    cases = load(LOCKED if setup.split == "locked" else PHRASES)
    figures: list[Figure] = []
    told: list[str] = []
    for reader, scripted in (("rules", False), ("scripted", True)):
        shown = await shown_for(cases, setup, scripted=scripted)
        found = [Judged(case, shown[case["id"]]) for case in cases]
        figures += [one for group, part in _groups(found).items() for one in _figures(reader, group, part)]
        told += [f"{reader}:", "", _table(found), "", *(_open_half(found) if not scripted else ()), ""]
    figures = [replace(one, target=REACHED.get(one.name, one.target)) for one in figures]
    return SuiteReport("rules, and a scripted model", figures, "\n".join(told))


def _groups(found: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Those of `GROUPS` that there are."""
    parts = {group: [one for one in found if one.group == group] for group in GROUPS}
    return {group: part for group, part in parts.items() if part}


def _figures(reader: str, group: str, half: Sequence[Judged]) -> list[Figure]:
    of, name = Counter(one.outcome for one in half), f"{reader}.{group}"
    silent = share(f"{name}.wrong-without-a-word", of[SILENT], len(half), better="lower", target=0.0)
    if (
        reader == "scripted"
    ):  # Its times are the first that come: what counts is that no card keeps quiet about it.
        return [silent]
    asking = [one for one in half if one.names_time]
    notices = sum(one.is_notice for one in asking)
    return [
        share(f"{name}.right", of[RIGHT] + of[NONE] + of[LEFT], len(half), target=GOOD),
        share(f"{name}.proposed", of[RIGHT], len(asking)),
        share(f"{name}.wrong", of[WARNED] + of[SILENT], len(half), better="lower", target=MOST_WRONG),
        silent,
        share(f"{name}.mere-notices", notices, len(asking), better="lower", target=MOST_NOTICES),
    ]


def _table(found: Sequence[Judged]) -> str:
    groups = _groups(found)
    counts = {group: Counter(one.outcome for one in part) for group, part in groups.items()}
    rows = [[each, *(str(count[each]) for count in counts.values())] for each in OUTCOMES]
    of = ["of", *(str(len(part)) for part in groups.values())]
    return table(["", *(GROUPS[group] for group in groups)], [*rows, of])


def _open_half(found: Sequence[Judged]) -> list[str]:
    """What of the open half is wrong or not read; the locked half is counted and never shown."""
    return [
        f"- {one.outcome}: {' '.join(one.case['text'].split())} → {one.shown.kind or 'no card'}"
        f" {', '.join(f'{each:%a %d %b %H:%M}' for each in one.shown.proposed)}"
        for one in found
        if one.case["split"] == "dev" and one.outcome not in (RIGHT, NONE)
    ]

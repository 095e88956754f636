"""Cases that are scored field by field, as figures and a table."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from email_assistant.models.runner import Models
from email_assistant.models.settings import OFFLINE
from eval.datasets import SPLITS
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.setup import Setup

NOTE = (
    "scripted: a model that says what is written down, all else is the real thing. offline: the rules alone."
)


@dataclass(frozen=True, slots=True)
class Scored:
    """One case."""

    case_id: str
    split: str
    fields: Mapping[str, bool]
    """Field → whether it is right; fields that say nothing about the case are left out."""


Scores = Callable[[str, Models | None], Awaitable[Sequence[Scored]]]


async def report_of(setup: Setup, scores: Scores, fields: Iterable[str]) -> SuiteReport:
    """Every field of every case: by the rules and by a perfect reading, or by a model. `scores` runs all cases in a mode."""
    named = list(fields)
    if setup.model == OFFLINE:
        found = {mode: await scores(mode, None) for mode in ("scripted", OFFLINE)}
    else:
        found = {"model": await scores("model", setup.models())}
    lines = "\n".join(f"- {line}" for line in wrong(found))
    answers = f"{setup.answers}, and a script" if setup.model == OFFLINE else setup.answers
    return SuiteReport(answers, by_field(found, named), f"{NOTE}\n\nNot wholly right:\n\n{lines}")


def figures(mode: str, scored: Sequence[Scored], field: str = "") -> list[Figure]:
    """A figure a half: the share of cases that are wholly right, or right in a field."""
    made = []
    for split in SPLITS:
        told = [one for one in scored if one.split == split and (not field or field in one.fields)]
        right = sum(all(one.fields.values()) if not field else one.fields[field] for one in told)
        if told:
            made.append(
                share(f"{slug(mode)}.{split}.{slug(field) if field else 'all-right'}", right, len(told))
            )
    return made


def by_field(found: Mapping[str, Sequence[Scored]], fields: Iterable[str]) -> list[Figure]:
    """Figures of every mode, half and field, and of the cases that are wholly right."""
    listed = list(fields)
    return [
        f for mode, scored in found.items() for name in ("", *listed) for f in figures(mode, scored, name)
    ]


def slug(text: str) -> str:
    """Words as the part of a figure's name."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def wrong(found: Mapping[str, Sequence[Scored]]) -> Iterator[str]:
    """The cases that are not wholly right, a line each."""
    for mode, each in found.items():
        for one in each:
            if bad := [name for name, right in one.fields.items() if not right]:
                yield f"{mode} {one.case_id} ({one.split}): {', '.join(bad)}"

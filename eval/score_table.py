"""Scores of cases, field by field, as a table: what a mode gets right on either half."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

SPLITS = ("dev", "test")


@dataclass(frozen=True, slots=True)
class Scored:
    """One case."""

    case_id: str
    split: str
    fields: Mapping[str, bool]
    """Field → whether it is right; fields that say nothing about the case are left out."""


def share(scored: Sequence[Scored], field: str, split: str) -> str:
    """Right of all that it says something about."""
    told = [one.fields[field] for one in scored if one.split == split and field in one.fields]
    return f"{sum(told)}/{len(told)}"


def table(found: Mapping[str, Sequence[Scored]], fields: Iterable[str]) -> str:
    """Markdown: a row a field, a column a mode and half."""
    heads = [f"{mode}, {split}" for mode in found for split in SPLITS]
    lines = [f"| field | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for field in fields:
        cells = [share(each, field, split) for each in found.values() for split in SPLITS]
        lines.append(f"| {field} | {' | '.join(cells)} |")
    return "\n".join(lines)


def wrong(found: Mapping[str, Sequence[Scored]]) -> Iterator[str]:
    """The cases that are not wholly right, a line each."""
    for mode, each in found.items():
        for one in each:
            if bad := [name for name, right in one.fields.items() if not right]:
                yield f"{mode} {one.case_id} ({one.split}): {', '.join(bad)}"

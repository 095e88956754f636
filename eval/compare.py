"""`python -m eval.compare A.json B.json`: which of two runs over the same cases is better, and where they differ.

The files are those that suites write (`eval.answers`). Only cases that both runs answered are compared, by McNemar's exact test: two
models may be told apart although the intervals of their accuracies overlap, because they had the same cases.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from email_assistant.errors import EmailAssistantError, InputError
from eval.answers import Answers, Given, read
from eval.intervals import mcnemar, share

ALPHA = 0.05
"""A difference is told from chance below this p."""


def compared(first: Answers, second: Answers, names: tuple[str, str] = ("A", "B")) -> str:
    """The comparison as Markdown; raises `InputError` when there is nothing that can be compared."""
    if first.suite and second.suite and first.suite != second.suite:
        raise InputError(f"these are two suites, {first.suite} and {second.suite}; compare two runs of one")
    both = [case for case in first.cases if case in second.cases]
    if not both:
        raise InputError("the two runs have no case in common")
    changed = [c for c in both if not _same_label(first.cases[c], second.cases[c])]
    if changed:
        raise InputError(
            f"{len(changed)} cases were labelled otherwise in the two runs ({_few(changed)}); measure both again"
        )
    lines = [
        *(_line(name, run, both) for name, run in zip(names, (first, second), strict=True)),
        *_left_out(first, second, len(both)),
        "",
        verdict(first, second, names),
    ]
    differing = [c for c in both if first.cases[c].right != second.cases[c].right]
    if differing:
        lines += ["", f"| only one is right | {names[0]} | {names[1]} | wanted |", "|---|---|---|---|"]
        lines += [_row(case, first.cases[case], second.cases[case]) for case in sorted(differing)]
    return "\n".join(lines)


def verdict(first: Answers, second: Answers, names: tuple[str, str] = ("A", "B")) -> str:
    """One line that says which run is better, or that it cannot be told."""
    only_first, only_second, p = mcnemar(first.right, second.right)
    test = f"only {names[0]} right: {only_first}, only {names[1]} right: {only_second}; McNemar's exact p = {_p(p)}"
    if only_first + only_second == 0:
        return f"Verdict: the same cases are right in both ({test})."
    if p >= ALPHA:
        return f"Verdict: no difference can be told from these cases ({test})."
    better = names[0] if only_first > only_second else names[1]
    return f"Verdict: {better} is better ({test})."


def main() -> None:
    """Print the comparison; exit 1 for files that cannot be compared."""
    parser = argparse.ArgumentParser(prog="python -m eval.compare", description=__doc__)
    parser.add_argument("first", type=Path, help="the answers of run A")
    parser.add_argument("second", type=Path, help="the answers of run B")
    args = parser.parse_args()
    try:
        print(compared(read(args.first), read(args.second)))
    except EmailAssistantError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


def _line(name: str, run: Answers, both: Sequence[str]) -> str:
    right = sum(run.cases[case].right for case in both)
    return f"- {name}: {run.by}: {right} of {len(both)} right, {share('accuracy', right, len(both)).told()}"


def _left_out(first: Answers, second: Answers, both: int) -> list[str]:
    alone = (len(first.cases) - both) + (len(second.cases) - both)
    return [f"- {alone} cases were answered in one run only and are left out."] if alone else []


def _same_label(one: Given, other: Given) -> bool:
    return not one.wanted or not other.wanted or one.wanted == other.wanted


def _row(case: str, one: Given, other: Given) -> str:
    cells = [_cell(f"{given.answer} {'right' if given.right else 'wrong'}".strip()) for given in (one, other)]
    return f"| {_cell(case)} | {cells[0]} | {cells[1]} | {_cell(one.wanted or other.wanted)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _few(cases: Sequence[str]) -> str:
    return ", ".join(cases[:3]) + (", …" if len(cases) > 3 else "")


def _p(p: float) -> str:
    return "below 0.0001" if p < 0.0001 else f"{p:.4f}"


if __name__ == "__main__":
    main()

"""`python -m eval.orders`: the 40 sample mails against what they should come to, field by field; `--wrong` names the mails."""

import asyncio
import sys
from collections.abc import Mapping, Sequence

from eval.orders.measure import FIELDS, score
from eval.orders.running import MODES, Case, cases, run_all

SPLITS = ("dev", "test")
Scores = Sequence[tuple[Case, Mapping[str, bool]]]


async def scores(mode: str) -> Scores:
    """The mails with their fields."""
    all_ = cases()
    states = await run_all(mode, all_)
    return [(case, score(case, states[case.mail["email_id"]])) for case in all_]


def share(found: Scores, field: str, split: str) -> str:
    """Right of all that it says something about."""
    told = [fields[field] for case, fields in found if case.expected["split"] == split and field in fields]
    return f"{sum(told)}/{len(told)}"


def table(found: Mapping[str, Scores]) -> str:
    """Markdown."""
    heads = [f"{mode}, {split}" for mode in found for split in SPLITS]
    lines = [f"| field | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for field in FIELDS:
        cells = [share(each, field, split) for each in found.values() for split in SPLITS]
        lines.append(f"| {field} | {' | '.join(cells)} |")
    return "\n".join(lines)


async def main(*, wrong: bool) -> None:
    """Print the table."""
    found = {mode: await scores(mode) for mode in MODES}
    print(table(found))
    print(
        "\nscripted: what the mail says is written down, all else is the real thing. offline: the rules read the mail."
    )
    if wrong:
        for mode, each in found.items():
            for case, fields in each:
                if bad := [name for name, right in fields.items() if not right]:
                    print(f"{mode} {case.mail['email_id']} ({case.expected['split']}): {', '.join(bad)}")


if __name__ == "__main__":
    asyncio.run(main(wrong="--wrong" in sys.argv[1:]))

"""`python -m eval.claims`: the 30 sample claims against what they should come to, field by field; `--wrong` names the claims."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from eval.claims.measure import FIELDS, score
from eval.claims.running import MODES, claims, desk

SPLITS = ("dev", "test")
Scores = Sequence[tuple[Mapping[str, Any], Mapping[str, bool]]]


async def scores(mode: str) -> Scores:
    """The claims with their fields."""
    async with desk(mode) as made:
        return [(claim, score(claim, await made.bring(claim))) for claim in claims()]


def share(found: Scores, field: str, split: str) -> str:
    """Right of all that it says something about."""
    told = [fields[field] for claim, fields in found if claim["split"] == split and field in fields]
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
        "\nscripted: a model that says what is written down; all else is the real thing. offline: the rules alone."
    )
    if wrong:
        for mode, each in found.items():
            for claim, fields in each:
                if bad := [name for name, right in fields.items() if not right]:
                    print(f"{mode} {claim['claim_id']} ({claim['split']}): {', '.join(bad)}")


if __name__ == "__main__":
    asyncio.run(main(wrong="--wrong" in sys.argv[1:]))

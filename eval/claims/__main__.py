"""`python -m eval.claims`: the 30 sample claims against what they should come to, field by field; `--wrong` names the claims."""

import asyncio
import sys

from email_assistant.models.runner import Models
from eval.claims.measure import FIELDS, score
from eval.claims.running import MODES, claims, desk
from eval.score_table import Scored, table, wrong


async def scores(mode: str, models: Models | None = None) -> list[Scored]:
    """The claims with their fields."""
    async with desk(mode, models) as made:
        return [Scored(c["claim_id"], c["split"], score(c, await made.bring(c))) for c in claims()]


async def main(*, tell_wrong: bool) -> None:
    """Print the table."""
    found = {mode: await scores(mode) for mode in MODES}
    print(table(found, FIELDS))
    print(
        "\nscripted: a model that says what is written down; all else is the real thing. offline: the rules alone."
    )
    print("\n".join(wrong(found) if tell_wrong else ()))


if __name__ == "__main__":
    asyncio.run(main(tell_wrong="--wrong" in sys.argv[1:]))

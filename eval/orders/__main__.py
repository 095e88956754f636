"""`python -m eval.orders`: the 40 sample mails against what they should come to, field by field; `--wrong` names the mails."""

import asyncio
import sys

from email_assistant.models.runner import Models
from eval.orders.measure import FIELDS, score
from eval.orders.running import MODES, cases, run_all
from eval.score_table import Scored, table, wrong


async def scores(mode: str, models: Models | None = None) -> list[Scored]:
    """The mails with their fields."""
    all_ = cases()
    states = await run_all(mode, all_, models)
    return [
        Scored(each.mail["email_id"], each.expected["split"], score(each, states[each.mail["email_id"]]))
        for each in all_
    ]


async def main(*, tell_wrong: bool) -> None:
    """Print the table."""
    found = {mode: await scores(mode) for mode in MODES}
    print(table(found, FIELDS))
    print(
        "\nscripted: what the mail says is written down and the catalogue is quoted to its questions, all else is the real "
        "thing. offline: the rules read the mail."
    )
    print("\n".join(wrong(found) if tell_wrong else ()))


if __name__ == "__main__":
    asyncio.run(main(tell_wrong="--wrong" in sys.argv[1:]))

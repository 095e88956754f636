"""How far a mail's way reaches: which files and functions of the product are entered from one point to the next.

`python -m eval.reach` prints the numbers of both, `--files` the files. A file counts when a function of it is called on the way, in any
thread; importing it does not count. Rules answer in the models' place, on claims a script.
"""

import argparse
import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from pkgutil import walk_packages
from types import CodeType, FrameType
from typing import Any

import email_assistant
from eval.accepting import accepting
from eval.claims.running import claims, desk
from eval.workbench import Workbench, workbench

PRODUCT = str(Path(email_assistant.__file__).parent)
QUESTION = b"""From: Ana Petrova <ana@example.com>
To: Robin Vale <robin@vale.example>
Subject: Oak shelf
Message-ID: <reach-1@example.com>
Date: Thu, 19 Nov 2026 09:00:00 +0000

Robin, could you send me the price of the oak shelf?
"""
ORDER = b"""From: Ana Petrova <ana@example.com>
To: Robin Vale <robin@vale.example>
Subject: Order
Message-ID: <reach-2@example.com>
Date: Thu, 19 Nov 2026 09:00:00 +0000

I would like to order 2 KTC-4098, please.
"""


_entered: set[CodeType] = set()


def _note(frame: FrameType, event: str, argument: Any) -> None:
    """A profile function, see `sys.setprofile`."""
    if event == "call":
        _entered.add(frame.f_code)


async def _within(work: Callable[[], Awaitable[Any]]) -> dict[str, int]:
    """The files that `work` enters, relative to the package, in order, each with the number of its functions."""
    _entered.clear()
    await work()
    # The bodies of modules and classes are gone through when they are imported.
    ours = [c for c in frozenset(_entered) if c.co_filename.startswith(PRODUCT) and c.co_flags & CO_OPTIMIZED]
    files = Counter({code.co_filename: 0 for code in ours})
    # What is in angle brackets is a part of the function around it: a lambda, a comprehension.
    files.update(code.co_filename for code in ours if not code.co_name.startswith("<"))
    return {str(Path(name).relative_to(PRODUCT)): number for name, number in sorted(files.items())}


async def ways() -> dict[str, dict[str, int]]:
    """Each way with the files on it and the number of functions in each."""
    found = {}
    async with workbench("email_assistant") as bench:
        message = await bench.receive(QUESTION)
        await _tables(bench)
        found["mail → card"] = await _within(lambda: bench.start(message))
        words = [{"type": "response", "args": "Shorter."}]
        found["correction → profile"] = await _within(lambda: bench.answer(message, words))

        async def accepted() -> None:
            card = await bench.card(message)
            assert card is not None
            named = {"type": "accept", "args": card["action_request"]}
            card = await bench.answer(message, [named])  # Asked again for its gap.
            while card:
                card = await bench.answer(message, [accepting(card)])

        found["card → Sent"] = await _within(accepted)
        assert await bench.sent()
    async with workbench("order_desk") as bench:
        order = await bench.receive(ORDER)
        await _tables(bench)
        found["order → card"] = await _within(lambda: _asks(bench, order))
    found["claim → refund"] = await _claim()
    return found


async def _tables(bench: Workbench) -> None:
    """Made once in the life of a data folder, and not on any mail's way."""
    await bench.house.mail_log.count_by_status()


async def _asks(bench: Workbench, message: Any) -> None:
    assert await bench.start(message), "no card"


async def _claim() -> dict[str, int]:
    async with desk("scripted") as bench:
        for claim in claims():
            outcomes: list[Any] = []

            async def work(claim: Any = claim, outcomes: list[Any] = outcomes) -> None:
                outcomes.append(await bench.bring(claim))

            files = await _within(work)
            if any(card["action_request"]["action"].startswith("Refund ") for card in outcomes[0].cards):
                return files
    raise AssertionError("no claim comes to a refund")


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(prog="python -m eval.reach", description=__doc__)
    parser.add_argument("--files", action="store_true", help="print the files, too")
    told = parser.parse_args()
    for module in walk_packages(
        email_assistant.__path__, "email_assistant."
    ):  # Importing is on no mail's way.
        import_module(module.name)
    threading.setprofile(_note)  # Threads that begin from here on; there are no others yet.
    sys.setprofile(_note)
    for way, files in asyncio.run(ways()).items():
        print(f"{len(files):3} files, {sum(files.values()):3} functions  {way}")
        for name in files if told.files else ():
            print(f"       {name}")


if __name__ == "__main__":
    main()

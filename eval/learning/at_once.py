"""Cards answered at the same moment: in many tasks of one process, and in two processes on one database.

`python -m eval.learning.at_once URL NAME COUNT` is one of the two processes.
"""

import asyncio
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from email_assistant.memory.learner import Learner
from email_assistant.memory.lesson import Lesson
from email_assistant.memory.profiles import Profiles
from eval.learning.stream import written_by
from eval.workbench import Workbench, workbench

CARDS = 25
CARDS_EACH = 15
SAME = 5
"""So many of the cards are about mail of one sender."""
PROCESSES = ("east", "west")
_TOLD = re.compile(r"- Mail from (\S+): dismissed (\d+) times")
_READY = "ready\n"


@dataclass(frozen=True, slots=True)
class Learned:
    """What came of lessons that were taught at once."""

    lost: int
    """Lessons that the profile does not have."""
    extra: int
    """Revisions more, or less, than one a lesson."""


async def in_tasks(cards: int = CARDS) -> Learned:
    """All cards of one assistant answered in the same moment, each in a task; some lessons are handed over twice."""
    async with workbench() as bench:
        await _answer_all(bench, "task", cards)
        learner = Learner(bench.house.profiles, bench.house.models)
        twice = Lesson("triage_preferences", "dismissed", "twice", sender="twice@twice.example")
        await asyncio.gather(*(learner.learn(twice, bench.store) for _ in range(3)))
        expected = _expected("task", cards) + Counter({"twice@twice.example": 1})
        shown = await bench.profile("triage_preferences")
        found = await compare(bench.house.profiles, expected)
        behind = shown["content"] != (await bench.house.profiles.read("triage_preferences", None)).content
        return Learned(found.lost + behind, found.extra)


async def in_processes(folder: Path, cards: int = CARDS_EACH) -> Learned:
    """Two processes, each with an assistant of its own on one mailbox and database, answer their cards in the same moment."""
    async with workbench(**_shared(folder)) as bench:
        await bench.house.profiles.read("triage_preferences", None)
        workers = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-m", "eval.learning.at_once", str(folder), name, str(cards),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            )
            for name in PROCESSES
        ]  # fmt: skip
        for worker in workers:
            assert worker.stdout is not None
            await worker.stdout.readline()
        codes = await asyncio.gather(*(worker.communicate(b"go\n") for worker in workers))
        del codes
        expected: Counter[str] = sum((_expected(name, cards) for name in PROCESSES), Counter())
        found = await compare(bench.house.profiles, expected)
        return Learned(found.lost + sum(worker.returncode != 0 for worker in workers), found.extra)


async def in_two_processes(cards: int = CARDS_EACH) -> Learned:
    """On a SQLite database of its own."""
    with TemporaryDirectory() as folder:
        return await in_processes(Path(folder), cards)


def _shared(folder: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": f"sqlite:///{folder / 'shared.db'}",
        "EMAIL_ASSISTANT_MAILBOX": f"maildir:{folder / 'mailbox'}",
    }


async def compare(profiles: Profiles, expected: Counter[str]) -> Learned:
    """What the profile says against what was taught: dismissals by address."""
    latest = await profiles.read("triage_preferences", None)
    told = Counter({sender: int(count) for sender, count in _TOLD.findall(latest.content)})
    revisions = len(await profiles.history("triage_preferences")) - 1
    return Learned((expected - told).total(), abs(revisions - expected.total()))


def _expected(name: str, cards: int) -> Counter[str]:
    return Counter(_address(name, number) for number in range(cards))


def _sender(name: str, number: int) -> str:
    return f"{name.title()} Sender{max(0, number - SAME + 1)}"


def _address(name: str, number: int) -> str:
    first, last = _sender(name, number).lower().split()
    return f"{first}.{last}@{first}-{last}.example"


async def _answer_all(bench: Workbench, name: str, cards: int, *, first: int = 0, wait: bool = False) -> None:
    messages = []
    for number in range(cards):
        case = written_by(_sender(name, number), "misc", first + number).case
        message, card = await bench.bring(case)
        assert card is not None, "a notice is shown"
        messages.append(message)
    if wait:
        print(_READY, end="", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(bench.answer(message, [{"type": "ignore"}]) for message in messages))


async def _work(folder: Path, name: str, cards: int) -> None:
    async with workbench(**_shared(folder)) as bench:
        await _answer_all(bench, name, cards, first=PROCESSES.index(name) * cards, wait=True)


if __name__ == "__main__":
    asyncio.run(_work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))

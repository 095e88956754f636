"""Runs per second of the served assistant, beside a bare graph on the same kind of server.

Two real development servers of 8 jobs, with a model over OpenAI's wire on the loopback that takes 0 or 300 ms a call. The assistant
takes in mail as `email-assistant ingest` does, from a local mailbox with an empty past: two calls and a card each. The bare graph
(`eval/served/bare.py`) waits as long, twice, makes a card and does nothing else; its checkpoints stay in memory. They are measured by
turns, a round of each after one that is not counted. CPU is what the server's process used: what the bare graph uses is the cost of
LangGraph's server alone, its requests, queue and bookkeeping.
"""

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from eval.served.model import running_model
from eval.served.running import Rate, bare, run_bare, served

LATENCIES_MS = (0, 300)
ROUNDS = 5
MAILS = 120


def measure(milliseconds: int, rounds: int = ROUNDS, mails: int = MAILS) -> list[tuple[Rate, Rate]]:
    """The assistant's rate and the bare graph's, round by round."""
    found = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running_model(milliseconds) as url,
        served(Path(folder) / "assistant", url) as ours,
        bare(Path(folder) / "bare", milliseconds) as theirs,
    ):
        for _ in range(rounds + 1):
            ours.deliver(mails)
            found.append((ours.ingest(mails), run_bare(theirs, mails)))
    return found[1:]


def section() -> str:
    """The figures as Markdown."""
    heads = ("model, ms", "rounds of mails", "runs/s", "from–to", "bare runs/s", "from–to", "of the bare")
    lines = [
        "## Served",
        "",
        " ".join((__doc__ or "").partition("\n\n")[0].split()),
        "",
        "| " + " | ".join([*heads, "CPU ms a mail", "bare CPU ms"]) + " |",
        "|---" * (len(heads) + 2) + "|",
    ]
    return "\n".join([*lines, *(_line(each, measure(each)) for each in LATENCIES_MS)]) + "\n"


def _line(milliseconds: int, rounds: Sequence[tuple[Rate, Rate]]) -> str:
    ours, theirs = zip(*rounds, strict=True)
    cells = [str(milliseconds), f"{len(rounds)} × {ours[0].mails}", *_speed(ours), *_speed(theirs)]
    cells.append(f"{_median(ours) / _median(theirs):.0%}")
    cells += [f"{statistics.median(rate.cpu_ms for rate in each):.0f}" for each in (ours, theirs)]
    return f"| {' | '.join(cells)} |"


def _speed(rates: Sequence[Rate]) -> list[str]:
    found = [rate.per_second for rate in rates]
    return [f"{_median(rates):.1f}", f"{min(found):.1f}–{max(found):.1f}"]


def _median(rates: Sequence[Rate]) -> float:
    return statistics.median(rate.per_second for rate in rates)


if __name__ == "__main__":
    print(section())

"""What a mail costs outside the model on each graph, beside two LangGraph graphs that make the same model calls.

The sample mails of each graph are run to their end one after the other with the offline rules, whose time is taken off; every card is
accepted, or ignored where it cannot be. Mailbox, calendar, journal and checkpoints (SQLite) are real files, the journal's connections
stay open as in a server. After each mail two graphs are run with the same number of model calls and cards, prompts and answers of
the same length, and the same kind of checkpoints. The bare one (`eval/cost/floor.py`) reads nothing, records nothing and does nothing,
so it is a floor and no assistant. The durable one (`eval/cost/durable_floor.py`) does the least that keeps what is promised: two levels,
a commit of a journal a step, a draft synced before it is asked about, an outbox around what leaves. Parts that overlap are both
counted: checkpoints are written while the next node works.
"""

import asyncio
import statistics
from collections.abc import Sequence

from eval.cost.running import GRAPHS, MailCost, measure

MAILS = 40


def section() -> str:
    """The figures as Markdown."""
    found = {name: asyncio.run(measure(name, most=MAILS)) for name in GRAPHS}
    about = " ".join((__doc__ or "").partition("\n\n")[0].split())
    return f"## Outside the model\n\n{about}\n\n{table(found)}\n"


def table(found: dict[str, Sequence[MailCost]]) -> str:
    """A row a graph."""
    heads = [
        "graph",
        "mails",
        "model calls",
        "cards",
        "prompt tokens",
        "answer tokens",
        "ms",
        "p95",
        "floor ms",
        "times the floor",
        "durable floor ms",
        "times the durable floor",
    ]
    parts = ["journal", "checkpoints", "mailbox", "store"]
    lines = ["| " + " | ".join([*heads, *(f"{part} ms" for part in parts)]) + " |"]
    lines.append("|---" * (len(heads) + len(parts)) + "|")
    for name, costs in found.items():
        lines.append("| " + " | ".join([name, *_cells(costs, parts)]) + " |")
    return "\n".join(lines)


def ratio(costs: Sequence[MailCost], floors: Sequence[float]) -> float:
    """The medians, one over the other."""
    return statistics.median(c.outside_ms for c in costs) / statistics.median(floors)


def _cells(costs: Sequence[MailCost], parts: Sequence[str]) -> list[str]:
    def mean(values: Sequence[float]) -> str:
        return f"{statistics.mean(values):.1f}"

    outside = sorted(c.outside_ms for c in costs)
    bare, durable = [c.floor_ms for c in costs], [c.durable_ms for c in costs]
    return [
        str(len(costs)), mean([c.calls for c in costs]), mean([c.cards for c in costs]), mean([c.prompt for c in costs]),
        mean([c.completion for c in costs]), f"{statistics.median(outside):.0f}", f"{outside[int(0.95 * (len(outside) - 1))]:.0f}",
        f"{statistics.median(bare):.1f}", f"{ratio(costs, bare):.1f}",
        f"{statistics.median(durable):.1f}", f"{ratio(costs, durable):.1f}",
        *(mean([c.parts[part] for c in costs]) for part in parts),
    ]  # fmt: skip


if __name__ == "__main__":
    print(section())

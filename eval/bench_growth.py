"""Whether a mail costs more when there is a long past: model calls, tokens and time with up to 100,000 mails behind it.

Half of the sample mails are run; then what they left in the journal is copied until it has so many mails, the inbox of the local
mailbox gets as many messages, and the other half comes in. "Opening" is the first look into the mailbox, whose index is made
then. Times are of one process, with the offline rules' own time taken off; calls and tokens are what a model would get. Cards are
accepted, or ignored where they cannot be.
"""

import asyncio
import statistics
import time
from dataclasses import dataclass
from typing import Any

from email_assistant.adapters.importer import deliver, read_source
from email_assistant.ingest.starter import run_thread_id
from email_assistant.mail.email_input import to_email_input
from email_assistant.mail.mailbox import MailQuery
from email_assistant.mail.message import Conversation
from eval.cost.history import fill, lengthen
from eval.cost.running import ROOT, MailCost, Running, running
from eval.workbench import Graph

SIZES = (1_000, 10_000, 100_000)
GRAPHS: tuple[Graph, ...] = ("email_assistant", "inbox_organizer")
MAILS = 16


@dataclass
class Grown:
    """A mail's cost with a past of some length."""

    graph: Graph
    past: int
    opening_s: float
    costs: list[MailCost]


async def measure(graph: Graph, past: int, mails: int = MAILS) -> Grown:
    """One graph with one length of the past."""
    async with running(graph) as made:
        raws = list(read_source(ROOT / "samples/mailbox"))[: 2 * mails]
        await _run(made, raws[:mails], "first")
        behind = await lengthen(made.house, past)
        path = made.house.settings.maildir_path
        if path is None:
            raise ValueError("the mailbox must be a local one")
        await asyncio.to_thread(fill, path, past)
        started = time.perf_counter()
        await made.house.mailbox.inbox(MailQuery())
        opening = time.perf_counter() - started
        return Grown(graph, behind, opening, await _run(made, raws[mails:], "again"))


async def _run(made: Running, raws: list[bytes], which: str) -> list[MailCost]:
    found = []
    for number, raw in enumerate(raws):
        message_id, _ = await deliver(made.house.local_mailbox, raw)
        message = await made.house.mailbox.fetch(message_id)
        work: Any = {"email_input": to_email_input(Conversation(message))}
        thread = run_thread_id(f"{which} {message.mail_thread_id} {number}")
        found.append(await made.mail(message.subject, work, thread))
    return found


def section(sizes: tuple[int, ...] = SIZES) -> str:
    """The figures as Markdown."""
    heads = (
        "graph",
        "mails in the journal",
        "messages in the inbox",
        "opening, s",
        "model calls",
        "prompt tokens",
        "ms, median",
    )
    row = f"| {' | '.join(heads)} |"
    lines = [
        "## With a long past",
        "",
        " ".join((__doc__ or "").split()),
        "",
        row,
        "|---" * len(heads) + "|",
    ]
    for graph in GRAPHS:
        for past in sizes:
            lines.append(_line(asyncio.run(measure(graph, past)), past))
    return "\n".join(lines) + "\n"


def _line(grown: Grown, past: int) -> str:
    costs = grown.costs
    cells = [
        grown.graph, f"{grown.past:,}", f"{past:,}", f"{grown.opening_s:.1f}",
        f"{statistics.mean(c.calls for c in costs):.1f}", f"{statistics.mean(c.prompt for c in costs):,.0f}",
        f"{statistics.median(c.outside_ms for c in costs):.0f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(section())

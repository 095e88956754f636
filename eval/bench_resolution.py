"""How long it takes to find out which products a mail means, and what the index takes.

Catalogues with many near twins and mentions of every kind are generated as for `python -m eval.resolution` (dev). Each mention
is resolved by itself, its time taken with `time.perf_counter`: cold means for the first time in the process, warm means once
more, when misspelt words have been looked up before. Every size runs in a process of its own. The index's
memory is what Python has allocated for it (tracemalloc, in a second building that is not timed), without the products
themselves; the process's has these and the mentions, too. No model is asked.
"""

import gc
import json
import subprocess
import sys
import time
import tracemalloc
from dataclasses import asdict, dataclass
from random import Random

from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex
from eval.bench_ingest import resident_mb
from eval.resolution.cases import cases
from eval.resolution.catalogue import catalogue
from eval.resolution.measure import Answered
from eval.resolution.writer import Writer

SIZES = (1_000, 10_000, 100_000)
EACH = 40
"""Mentions of each kind."""


@dataclass
class Figures:
    """What one size took; times in milliseconds, cold and warm."""

    products: int
    mentions: int
    build_seconds: float
    index_mb: float
    resident_mb: float
    cold: list[float]
    warm: list[float]
    recall: float
    wrong: float


def quantiles(times: list[float]) -> list[float]:
    """Median, 95th percentile and maximum."""
    ordered = sorted(times)
    return [ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)], ordered[-1]]


def timed(index: ProductIndex, mentions: list[ProductMention]) -> list[float]:
    """Milliseconds of each mention."""
    found = []
    for mention in mentions:
        started = time.perf_counter()
        index.resolve(mention)
        found.append((time.perf_counter() - started) * 1000)
    return quantiles(found)


def measure(size: int) -> Figures:
    """One size in this process."""
    made = catalogue(size, "dev")
    products = [one.product for one in made]
    some = list(cases(Writer("dev", made, Random(f"bench/{size}")), EACH))
    Random(size).shuffle(some)
    gc.collect()
    started = time.perf_counter()
    index = ProductIndex.build(products)
    seconds, resident = time.perf_counter() - started, resident_mb()
    mentions = [case.mention for case in some]
    cold, warm = timed(index, mentions), timed(index, mentions)
    done = [Answered(case, index.resolve(case.mention)) for case in some]
    certain = [one for one in done if one.case.is_certain]
    recall, wrong = (
        sum(one.is_right for one in certain) / len(certain),
        sum(one.is_wrong for one in done) / len(done),
    )
    return Figures(size, len(some), seconds, allocated_mb(products), resident, cold, warm, recall, wrong)


def allocated_mb(products: list[Product]) -> float:
    """What an index of the products takes, in MiB."""
    tracemalloc.start()
    index = ProductIndex.build(products)
    taken = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
    assert len(index) == len(products)
    return taken


def section() -> str:
    """The figures as Markdown."""
    lines = [
        "## Resolving mentions of products",
        "",
        " ".join((__doc__ or "").partition("\n\n")[0].split()),
        "",
        "| products | mentions | build, s | index, MiB | process, MiB | cold ms: median | p95 | max | warm ms: median | p95 | max "
        "| recall | false certainty |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for size in SIZES:
        command = [sys.executable, "-m", "eval.bench_resolution", str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        r = Figures(**json.loads(done.stdout))
        cells = [
            f"{r.products:,}", f"{r.mentions:,}", f"{r.build_seconds:.1f}", f"{r.index_mb:.1f}", f"{r.resident_mb:.0f}",
            *(f"{ms:.1f}" for ms in (*r.cold, *r.warm)), f"{r.recall:.1%}", f"{r.wrong:.2%}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))) if sys.argv[1:] else section())

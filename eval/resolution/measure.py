"""The figures: what was resolved, rightly or wrongly, and what became a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from email_assistant.workflows.order_desk.shop import mention
from email_assistant.workflows.order_desk.shop.mention import Resolution
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex
from eval.resolution.cases import KINDS, cases
from eval.resolution.catalogue import Half, catalogue
from eval.resolution.writer import Case, Writer
from eval.scorecard import table as markdown

HALVES: tuple[Half, ...] = ("dev", "test")
SIZES = (200, 5_000)
"""Products: a small shop and a large one."""
EACH = 100
"""Mentions of each kind for each size."""
MOST_WRONG = 0.01
HEADS = (
    "test, by kind", "mentions", "can be known", "resolved rightly", "wrongly", "question with it", "without", "unresolved",
)  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """A mention with what was made of it."""

    case: Case
    got: Resolution

    @property
    def is_right(self) -> bool:
        """Resolved to the product that is meant, where one can know."""
        return (
            self.got.status == "resolved" and self.case.is_certain and self.got.product_id == self.case.target
        )

    @property
    def is_wrong(self) -> bool:
        """Certain of the wrong product, or of one among several that may be meant, or of what is not sold."""
        return self.got.status == "resolved" and not self.is_right

    @property
    def is_offered(self) -> bool:
        """A question that has the right product among its candidates."""
        return self.got.status == "ambiguous" and self.case.target in [
            c.product_id for c in self.got.candidates
        ]


def answered(half: Half, sizes: Sequence[int] = SIZES, each: int = EACH) -> list[Answered]:
    """Every mention of a half."""
    found = []
    for size in sizes:
        made = catalogue(size, half)
        index = ProductIndex.build([one.product for one in made])
        writer = Writer(half, made, Random(f"{half}/{size}"))
        found += [Answered(case, index.resolve(case.mention)) for case in cases(writer, each)]
    return found


def table(found: Sequence[Answered]) -> str:
    """What became of each kind of mention, as Markdown."""
    rows = []
    for kind in KINDS:
        some = [a for a in found if a.case.kind == kind]
        asked = sum(a.got.status == "ambiguous" for a in some)
        offered = sum(a.is_offered for a in some)
        counts = (
            len(some), sum(a.case.is_certain for a in some), sum(a.is_right for a in some), sum(a.is_wrong for a in some),
            offered, asked - offered, sum(a.got.status == "unresolved" for a in some),
        )  # fmt: skip
        rows.append([kind, *map(str, counts)])
    limits = f"Thresholds: resolved from {mention.RESOLVED}, {mention.MARGIN} ahead of the next; worth a question from {mention.AMBIGUOUS}."
    return f"{limits}\n\n{markdown(HEADS, rows)}\n"

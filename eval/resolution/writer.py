"""What writes labelled mentions of one generated catalogue, and how it knows what a careful reader could know."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random

from rapidfuzz import process
from rapidfuzz.distance import OSA

from email_assistant.workflows.order_desk.shop.mention import ProductMention
from eval.resolution import phrases
from eval.resolution.catalogue import Half, Made


@dataclass(frozen=True)
class Case:
    """A mention. `target` is the product that is meant, or "" for what is not sold; `is_certain`: nobody could mean another."""

    kind: str
    mention: ProductMention
    target: str
    is_certain: bool


@dataclass
class Writer:
    """Writes mentions of one catalogue."""

    half: Half
    made: list[Made]
    rng: Random
    by_pair: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_story: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    by_maker: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)
    siblings: dict[tuple[str, str, str], list[Made]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for one in self.made:
            self.by_pair[one.maker, one.thing] += 1
            self.by_maker[one.maker] += 1
            self.by_story[one.thing, one.feature, one.occasion] += 1
            self.siblings[one.maker, one.middle, one.thing].append(one)
            self.names.append(one.product.name.lower())

    def is_nearest(self, text: str, name: str) -> bool:
        """Whether no other name is as near to a misspelt one: one that differs from the right one in misspelt words only."""
        said, meant = text.lower().split(), name.lower().split()
        wrong = [at for at, word in enumerate(meant) if said[at] != word]
        own = sum(OSA.distance(said[at], meant[at]) for at in wrong)
        hits = process.extract(text.lower(), self.names, scorer=OSA.distance, score_cutoff=own, limit=20)
        rivals = [hit[0].split() for hit in hits if hit[0] != name.lower()]
        return not any(
            len(other) == len(meant)
            and all(at in wrong or other[at] == meant[at] for at in range(len(meant)))
            for other in rivals
        )

    def sentence(self, it: str) -> str:
        return self.rng.choice(phrases.SENTENCES[self.half]).format(n=self.rng.randint(2, 6), it=it)


def slip(word: str, rng: Random) -> str:
    """One letter missing, doubled, wrong, or turned round with the next."""
    at = rng.randrange(1, len(word) - 1)
    return rng.choice((
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + rng.choice([c for c in "aeinrst" if c != word[at]]) + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    ))  # fmt: skip

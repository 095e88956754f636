"""What the suites on past mail and on documents share: the embeddings that can be measured, their figures, and the curve that fits."""

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from scipy import optimize

from email_assistant.knowledge.embedding import Embedding, embedding_of
from email_assistant.knowledge.similarity import Curve
from email_assistant.settings import Settings, load_settings
from eval.datasets import SPLITS
from eval.figures import Figure, SuiteReport
from eval.intervals import share

LEXICAL = "lexical"
OPENAI = "openai:text-embedding-3-small"
NOT_MEASURED = f"{OPENAI}: not measured here (OPENAI_API_KEY is not set)"
RIDGE = 0.1
"""How strongly the curve's numbers are held near 0: there are few relevant pairs."""
Rows = Sequence[tuple[Sequence[float], bool]]
"""Evidence, and whether what was found is relevant."""


class Split(Protocol):
    """What belongs to a half."""

    @property
    def split(self) -> str:
        """`dev`, on which the curve is fitted and the threshold chosen, or `test`."""
        ...


One = TypeVar("One", bound=Split)


@dataclass(frozen=True)
class Share:
    """Some of all."""

    some: int
    all: int


@dataclass(frozen=True)
class Measure:
    """How a suite measures an embedding."""

    answered: Callable[[Embedding], Awaitable[Sequence[Any]]]
    """Asks everything."""
    figures: Callable[[Sequence[Any]], Any]
    """The shares of a half; those that count what is false have names that begin with "false"."""
    rows: Callable[[Sequence[Any]], Rows]
    """What a curve is fitted to."""
    curves: Mapping[str, Curve]
    """Those in use."""
    nothing_false: bool
    """Whether nothing false may be found lexically."""


async def report_of(measure: Measure) -> SuiteReport:
    """Lexical always; the embedding that EMAIL_ASSISTANT_EMBEDDING names; OpenAI's when it names none and OPENAI_API_KEY is set."""
    made: list[Figure] = []
    texts: list[str] = []
    for embedding in _candidates(load_settings()):
        if isinstance(embedding, str):
            texts.append(f"- {embedding}")
            continue
        found = await measure.answered(embedding)
        fitted = fit(measure.rows(half(found, "dev")))
        texts.append(
            f"- {embedding.name}: curve in use {measure.curves[embedding.kind]}, fitted on dev {fitted}"
        )
        made += _figures(embedding.kind, found, measure)
    return SuiteReport("no model; the embeddings that are named", made, "\n".join(texts))


def half(all_: Sequence[One], split: str) -> list[One]:
    """The `dev` or the `test` half."""
    return [one for one in all_ if one.split == split]


def fit(rows: Rows) -> Curve:
    """The logistic curve that fits the evidence best, with a little ridge; its numbers to a tenth."""
    examples = [((1.0, *evidence), 1 if is_right else -1) for evidence, is_right in rows]

    def loss(at: Sequence[float]) -> float:
        margins = (side * sum(a * b for a, b in zip(at, x, strict=True)) for x, side in examples)
        return sum(math.log1p(math.exp(-margin)) for margin in margins) + RIDGE / 2 * sum(a * a for a in at)

    best = optimize.minimize(loss, [0.0] * len(examples[0][0])).x
    return Curve(*(round(float(a), 1) for a in best), is_measured=True)


def _candidates(settings: Settings) -> list[Embedding | str]:
    """The embeddings, or why one cannot be measured."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    found: list[Embedding | str] = [embedding_of(LEXICAL)]
    named = settings.embedding if settings.embedding != LEXICAL else OPENAI if key else ""
    if named:
        found.append(embedding_of(named, openai_key=key, openai_base_url=settings.openai_base_url))
    else:
        found.append(NOT_MEASURED)
    return found


def _figures(kind: str, found: Sequence[Any], measure: Measure) -> Iterator[Figure]:
    for split in SPLITS:
        for field, value in vars(measure.figures(half(found, split))).items():
            name, exact = f"{kind}.{split}.{field.replace('_', '-')}", kind == LEXICAL
            if field.startswith("false"):
                target = 0.0 if measure.nothing_false and exact else None
                yield share(name, value.some, value.all, better="lower", target=target, exact=exact)
            else:
                yield share(name, value.some, value.all, exact=exact)

"""The report of a suite that measures embeddings: what is found of past mail, or of documents."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from email_assistant.settings import load_settings
from eval.datasets import SPLITS
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.knowledge.__main__ import candidates

LEXICAL = "lexical"


async def report_of(
    answered: Callable[..., Any],
    told: Callable[[str, str, Any], str],
    shares: Callable[[Any, str], Any],
    *,
    nothing_false: bool,
) -> SuiteReport:
    """Every embedding that can be measured with the settings, lexical always.

    `answered` asks all queries, `told` says it in words, `shares` gives the figures of a half, whose false ones begin with "false".
    """
    made: list[Figure] = []
    texts: list[str] = []
    for embedding in candidates(load_settings()):
        if isinstance(embedding, str):
            texts.append(f"- {embedding}")
            continue
        found = await answered(embedding)
        texts.append(told(embedding.name, embedding.kind, found))
        made += _figures(embedding.kind, [(split, shares(found, split)) for split in SPLITS], nothing_false)
    return SuiteReport("no model; the embeddings that are named", made, "\n\n".join(texts))


def _figures(kind: str, halves: Sequence[tuple[str, Any]], nothing_false: bool) -> Iterator[Figure]:
    for split, figures in halves:
        for field, value in vars(figures).items():
            name, exact = f"{kind}.{split}.{field.replace('_', '-')}", kind == LEXICAL
            if field.startswith("false"):
                target = 0.0 if nothing_false and exact else None
                yield share(name, value.some, value.all, better="lower", target=target, exact=exact)
            else:
                yield share(name, value.some, value.all, exact=exact)

"""The scorecard's suite on similar past mail; see `eval.knowledge`."""

from email_assistant.settings import load_settings
from eval.datasets import SPLITS
from eval.figures import Figure, SuiteReport
from eval.intervals import share
from eval.knowledge.__main__ import candidates, told
from eval.knowledge.measure import answered, figures, half
from eval.setup import Setup

WORSE = frozenset({"false_items", "false_queries"})
"""Shares that are better lower; offline, nothing false is used."""


async def report(setup: Setup) -> SuiteReport:
    """Every embedding that can be measured with the settings: lexical always."""
    made: list[Figure] = []
    texts = []
    for embedding in candidates(load_settings()):
        if isinstance(embedding, str):
            texts.append(f"- {embedding}")
            continue
        found = await answered(embedding)
        texts.append(told(embedding.name, embedding.kind, found))
        for split in SPLITS:
            for field, value in vars(figures(half(found, split))).items():
                made.append(
                    _figure(
                        f"{embedding.kind}.{split}.{field.replace('_', '-')}", field, value.some, value.all
                    )
                )
    return SuiteReport("no model; the embeddings that are named", made, "\n\n".join(texts))


def _figure(name: str, field: str, some: int, of: int) -> Figure:
    if field not in WORSE:
        return share(name, some, of, exact=name.startswith("lexical"))
    target = 0.0 if name.startswith("lexical") else None
    return share(name, some, of, better="lower", target=target, exact=name.startswith("lexical"))

"""`python -m eval.knowledge`: recall, false context and calibration of each embedding that can be measured here.

Lexical always; the one that EMAIL_ASSISTANT_EMBEDDING names; OpenAI's when it names none and OPENAI_API_KEY is set (62 short
texts and 140 more are sent there).
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from email_assistant.knowledge.embedding import Embedding, embedding_of
from email_assistant.knowledge.similarity import CURVES, THRESHOLD
from email_assistant.settings import Settings, load_settings
from eval.knowledge.measure import Answered, Share, answered, figures, fitted, half

BINS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
OPENAI = "openai:text-embedding-3-small"
NOT_MEASURED = f"{OPENAI}: NOT MEASURED here (OPENAI_API_KEY is not set)"


def candidates(settings: Settings) -> list[Embedding | str]:
    """The embeddings, or why one cannot be measured."""
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    found: list[Embedding | str] = [embedding_of("lexical")]
    named = settings.embedding if settings.embedding != "lexical" else OPENAI if key else ""
    if named:
        found.append(embedding_of(named, openai_key=key, openai_base_url=settings.openai_base_url))
    else:
        found.append(NOT_MEASURED)
    return found


def told(name: str, kind: str, all_: Sequence[Answered]) -> str:
    """The figures of one embedding, as Markdown."""
    dev, test = half(all_, "dev"), half(all_, "test")
    curve = CURVES[kind]
    lines = [
        f"### {name}", "",
        f"Curve in use: {curve}. Fitted on dev: {fitted(dev)}.", "",
        f"| threshold {THRESHOLD} | dev | test |", "|---|---|---|",
    ]  # fmt: skip
    pairs = zip(vars(figures(dev)).items(), vars(figures(test)).values(), strict=True)
    words = {
        "recall": "recall@5: relevant mails among the first five",
        "used": "relevant mails that are used",
        "helped": "queries with something relevant that get some of it",
        "false_items": "false context: used items that are not relevant",
        "false_queries": "queries with nothing relevant that get something",
    }
    lines += [f"| {words[field]} | {a} | {b} |" for (field, a), b in pairs]
    lines += [
        "",
        "| threshold | dev: used, false, none-queries | test: used, false, none-queries |",
        "|---|---|---|",
    ]
    for threshold in THRESHOLDS:
        a, b = figures(dev, threshold), figures(test, threshold)
        cells = [f"{f.used.some}, {f.false_items.some}, {f.false_queries.some}" for f in (a, b)]
        lines.append(f"| {threshold} | {cells[0]} | {cells[1]} |")
    lines += ["", "| score | relevant, dev | relevant, test |", "|---|---|---|"]
    for low, high in pairwise(BINS):
        lines.append(
            f"| {low:.2f} to {min(high, 1):.2f} | {_share(dev, low, high)} | {_share(test, low, high)} |"
        )
    return "\n".join(lines)


def _share(part: Sequence[Answered], low: float, high: float) -> Share:
    within = [c for one in part for c in one.candidates if low <= c.score < high]
    return Share(sum(c.is_relevant for c in within), len(within))


async def main() -> None:
    """Print all of it."""
    for embedding in candidates(load_settings()):
        if isinstance(embedding, str):
            print(f"### {embedding}\n")
        else:
            print(told(embedding.name, embedding.kind, await answered(embedding)) + "\n")


if __name__ == "__main__":
    asyncio.run(main())

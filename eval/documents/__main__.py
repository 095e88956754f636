"""`python -m eval.documents`: recall, false context and calibration of each embedding that can be measured here.

Lexical always; the one that EMAIL_ASSISTANT_EMBEDDING names; OpenAI's when it names none and OPENAI_API_KEY is set (84 short
questions and 102 chunks are sent there).
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from email_assistant.knowledge.similarity import DOCUMENT_CURVES, DOCUMENT_THRESHOLD
from email_assistant.settings import load_settings
from eval.documents.measure import Answered, answered, figures, fitted, half
from eval.knowledge.__main__ import candidates
from eval.knowledge.measure import Share

BINS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.01)
THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
_WORDS = {
    "recall": "recall@5: sections that answer among the first five",
    "first": "questions whose first chunk answers",
    "used": "sections that answer and are used",
    "helped": "questions with an answer that get some of it",
    "false_items": "false context: used chunks that do not answer",
    "false_questions": "questions without an answer that get something",
}


def told(name: str, kind: str, all_: Sequence[Answered]) -> str:
    """The figures of one embedding, as Markdown."""
    dev, test = half(all_, "dev"), half(all_, "test")
    pairs = zip(vars(figures(dev)).items(), vars(figures(test)).values(), strict=True)
    lines = [
        f"#### Documents by {name}", "",
        f"Curve in use: {DOCUMENT_CURVES[kind]}. Fitted on dev: {fitted(dev)}.", "",
        f"| threshold {DOCUMENT_THRESHOLD} | dev | test |", "|---|---|---|",
        *(f"| {_WORDS[field]} | {a} | {b} |" for (field, a), b in pairs), "",
        "| threshold | dev: used, false, questions without an answer | test: the same |", "|---|---|---|",
        *(f"| {each} | {_row(dev, each)} | {_row(test, each)} |" for each in THRESHOLDS), "",
        "| score | answers, dev | answers, test |", "|---|---|---|",
        *(f"| {a:.2f} to {min(b, 1):.2f} | {_share(dev, a, b)} | {_share(test, a, b)} |" for a, b in pairwise(BINS)),
    ]  # fmt: skip
    return "\n".join(lines)


def _row(part: Sequence[Answered], threshold: float) -> str:
    found = figures(part, threshold)
    return f"{found.used.some}, {found.false_items.some}, {found.false_questions.some}"


def _share(part: Sequence[Answered], low: float, high: float) -> Share:
    within = [one.answers(c) for one in part for c in one.found if low <= c.score < high]
    return Share(sum(within), len(within))


async def main() -> None:
    """Print all of it."""
    for embedding in candidates(load_settings()):
        if isinstance(embedding, str):
            print(f"#### {embedding}\n")
        else:
            print(told(embedding.name, embedding.kind, await answered(embedding)) + "\n")


if __name__ == "__main__":
    asyncio.run(main())

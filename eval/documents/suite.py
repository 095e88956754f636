"""The scorecard's suite on documents; see `eval.documents`."""

from email_assistant.settings import load_settings
from eval.datasets import SPLITS
from eval.documents.__main__ import told
from eval.documents.measure import answered, figures, half
from eval.figures import Better, Figure, SuiteReport
from eval.intervals import share
from eval.knowledge.__main__ import candidates
from eval.setup import Setup


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
                better: Better = "lower" if field.startswith("false") else "higher"
                name = f"{embedding.kind}.{split}.{field.replace('_', '-')}"
                made.append(
                    share(name, value.some, value.all, better=better, exact=embedding.kind == "lexical")
                )
    return SuiteReport("no model; the embeddings that are named", made, "\n\n".join(texts))

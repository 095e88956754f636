"""The lexical embedding: the same everywhere, near for what is alike, quick for whatever comes."""

import hashlib
import os
import subprocess
import sys

import pytest

from email_assistant.knowledge.embedding import DIMS, LexicalEmbedding
from email_assistant.knowledge.similarity import vector_of

TEXT = "Was kostet das Lastenrad? How much is the cargo bike, s'il vous plaît? 見積もり 2026"
PRINT = (
    "import hashlib; from email_assistant.knowledge.similarity import vector_of; "
    f"print(hashlib.sha256(repr(vector_of({TEXT!r}, {DIMS})).encode()).hexdigest())"
)
DIGEST = "1acf769f68467ecff33c8fa819cf679bf191d2a63096de7d46a196a8c26bf1f3"


def cosine(one: str, other: str) -> float:
    """Of two texts."""
    return sum(a * b for a, b in zip(vector_of(one, DIMS), vector_of(other, DIMS), strict=True))


def test_vectors_are_the_same_in_every_process() -> None:
    """Also with another seed of Python's own hashes. When this fails, give `LexicalEmbedding.name` the next number."""
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PRINT],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == DIGEST
    assert hashlib.sha256(repr(vector_of(TEXT, DIMS)).encode()).hexdigest() == DIGEST
    assert LexicalEmbedding.name == "lexical-1"


@pytest.mark.parametrize(
    ("one", "alike", "other"),
    [
        ("replacing an inner tube", "inner tubes replaced", "replacing a picture"),
        ("cancelation of the rental", "cancellation of the rental", "location of the rental"),
        ("Was kostet die Reparatur?", "How much is a repair?", "Where is the repair?"),
        ("見積もりをお願いします", "見積もりの件", "請求書の件"),
    ],
)
def test_inflections_typos_synonyms_and_scripts(one: str, alike: str, other: str) -> None:
    """What is alike is nearer than what only looks so."""
    assert cosine(one, alike) > cosine(one, other)

"""Which answers are kept as facts, and of which questions."""

import pytest

from email_assistant.memory.said_facts import SaidAnswer, SaidFact
from email_assistant.tools.filling import is_lasting, is_same


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is your account number?", "12 34 56 78"), ("What is your card?", "4111.1111.1111.1111"),
        ("What is it?", "DE89.3704.0044.0532.0130.00"), ("What is the wifi key?", "horse battery staple"),
        ("What is the API key?", "sk-abc123 def456"), ("What is the recovery phrase?", "apple bear cat"),
        ("Wie lautet Ihre Kontonummer?", "12 345 678"), ("Quel est le code de la porte ?", "A 1234"),
    ],
)  # fmt: skip
def test_what_opens_or_pays_is_kept_nowhere(question: str, answer: str) -> None:
    """Whoever asks the same next would have it in a letter: a phisher asks as everybody does."""
    assert not is_lasting(SaidAnswer(question, answer))


@pytest.mark.parametrize(
    ("question", "other"),
    [
        ("Does Ana owe Bo money?", "Does Bo owe Ana money?"),
        ("Do you deliver to Norway?", "Do you deliver from Norway?"),
        ("How many seats are there?", "How many seats did you have there?"),
    ],
)  # fmt: skip
def test_the_same_words_in_another_order_are_another_question(question: str, other: str) -> None:
    """And so are those with another direction or time; the same words in the same order are the same."""
    fact = SaidFact(1, question, "Yes, gladly", "", "2026-11-16T09:00:00+00:00")
    assert not is_same(fact, SaidAnswer(other, ""))
    assert is_same(fact, SaidAnswer(f"{question[:-1]}, please?", ""))

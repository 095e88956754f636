"""One reader of money and of numbers, over the table of how people write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.language.measures import amounts
from email_assistant.language.numbers import number_words, numbers, readings
from tests.support.spellings import MONEY, NUMBER_WORDS


@pytest.mark.parametrize("text", MONEY)
def test_money_is_read_as_a_person_reads_it(text: str) -> None:
    """Points, commas, spaces and apostrophes, signs and names, words, ranges; and what is no money is none."""
    assert [(f"{a.value.normalize():f}", a.currency) for a in amounts(text)] == MONEY[text]


@pytest.mark.parametrize(("language", "words"), NUMBER_WORDS)
def test_numbers_in_words(language: str, words: str) -> None:
    """The whole of the words is one number, or none."""
    found = [number for number in number_words(words, language=language) if not number.bare]
    number = NUMBER_WORDS[language, words]
    assert [(n.start, n.end, n.value) for n in found] == ([] if number is None else [(0, len(words), number)])


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("1.240", "1240 1.24"), ("1,240", "1240 1.24"), ("1.240,00", "1240"), ("1,240.00", "1240"), ("1.200.000", "1200000"),
        ("12,34,567.5", "1234567.5"), ("1 240,50", "1240.5"), ("1'240.50", "1240.5"), ("0.125", "0.125"), ("1234.567", "1234.567"),
        ("12.50", "12.5"), ("7", "7"), ("1,234.567", "1234.567"),
    ],
)  # fmt: skip
def test_what_digits_may_mean(written: str, values: str) -> None:
    """Only three digits after a lone point or comma leave two readings, thousands first."""
    assert readings(written) == tuple(map(Decimal, values.split()))


@given(st.text() | st.lists(st.sampled_from([*MONEY, "-", "€", "1", "mil"]), max_size=6).map(" ".join))
def test_any_text_has_its_amounts_in_order(text: str) -> None:
    """Nothing raises, nothing overlaps, and every place is within the text."""
    ends = [0, *(place for a in amounts(text) for place in (a.start, a.end)), len(text)]
    assert ends == sorted(ends)
    assert all(number.readings for number in (*numbers(text), *number_words(text)))

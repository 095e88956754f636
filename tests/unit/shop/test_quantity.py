"""How many a customer wants, and what is no quantity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.workflows.order_desk.shop.quantity import Quantity, read_quantity, unclear_quantity

READ = {
    "size 42 and 3 of the blue bags": 3, "a lamp, 3 pcs": 3, "two CSH-1098 tote bags": 2, "x4 CSH-1098": 4, "4x CSH-1098": 4,
    "CSH-1098 x 4": 4, "4 pcs of CSH-1098": 4, "half a dozen": 6, "half-dozen mugs": 6, "a dozen mugs": 12, "one of each": 1,
    "3 bottles of 500 ml": 3, "2 bags at 20 each": 2, "2 for 40 €": 2, "2000 pcs": 2000,
    "2 bags by 5 May 2026": 2, "2 bags, call 555-1234": 2, "2 at 20% off": 2, "1,000 bags": 1000, "1.000 Taschen": 1000,
    "I'd like a CSH-1098 bag": 1, "un sac à dos": 1, "deux sacs à dos": 2, "un sac neuf": 1, "a three-piece suit": 1,
    "2 Hosen": 2, "cien bolsas": 100, "3x": 3, "3 × CSH": 3, "up to 5": 5, "thirty": 30,
}  # fmt: skip
PAIRS = {
    "two pairs of socks, size 39 and 43": 2,
    "a pair of cushions": 1,
    "zwei Paar Schuhe": 2,
    "une paire de gants": 1,
}
RANGES = {
    "three to four": (3, 4), "2-3": (2, 3), "2–3 bags": (2, 3), "2 or 3": (2, 3),
}  # fmt: skip
EVERYTHING = [
    "all remaining", "every one you have left", "whatever is left", "whatever is left of the CSH-1098", "all the bags you have left",
    "everything you have left", "alle verbleibenden Taschen", "alles, was Sie noch haben", "tout ce qui reste",
]  # fmt: skip
NOTHING = [
    "size 39 and 43", "3 100 ml bottles",
    "CSH-1098", "CSH 1098", "csh 1098 please", "all of them", "size 42", "500 ml", "2 m", "12 inch", "12-inch", "12\" wheels",
    "the 2024 collection", "+49 30 1234567", "030 1234567", "555-123-4567", "20%", "20 percent off",
    "every 2 weeks", "x", "", "mille grazie", "Tausend Dank", "seven to ten days", "2 L",
]  # fmt: skip
UNCLEAR = [
    "ein paar Taschen", "0 bags", "-3 bags", "minus three", "20,000 bags", "99999999999999999999 bags", "zero bags", "a few bags",
    "einige Taschen", "all but two", "a couple more", "a baker's dozen", "a few hundred bags", "two red and three blue",
    "one paddle (220)", "between two and four", "a 220 paddle", "a paddle, the 220", "all remaining except two", "10001",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_number_is_read_from_the_words_around_a_product(text: str) -> None:
    """Digits, words and dozens, whatever other numbers stand beside."""
    assert read_quantity(text) == Quantity(READ[text], READ[text])
    assert unclear_quantity(text) == ""


@pytest.mark.parametrize("text", PAIRS)
def test_a_pair_is_one_unit_or_two(text: str) -> None:
    """The rules do not know how the goods are sold: a reader may take either, and no other number."""
    said = read_quantity(text)
    assert said
    assert [number for number in range(9) if said.admits(number)] == [PAIRS[text], 2 * PAIRS[text]]
    assert not said.is_range


@pytest.mark.parametrize("text", RANGES)
def test_a_range_has_two_ends(text: str) -> None:
    """The lower one is what is ordered; the reply says so."""
    assert read_quantity(text) == Quantity(*RANGES[text])


@pytest.mark.parametrize("text", EVERYTHING)
def test_all_that_remain_has_no_number(text: str) -> None:
    """How many these are, the stock says."""
    assert read_quantity(text) == Quantity(everything=True)


@pytest.mark.parametrize("text", NOTHING)
def test_other_numbers_are_no_quantities(text: str) -> None:
    """Ids, prices, dates, years, sizes, measures, telephone numbers, shares."""
    assert read_quantity(text) is None
    assert unclear_quantity(text) == ""


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_nobody_can_take_as_it_is_is_no_quantity_and_is_quoted(text: str) -> None:
    """Zero, less than nothing, absurdly many, "a few", or two numbers: the customer is asked."""
    assert read_quantity(text) is None
    assert unclear_quantity(text)


def test_numbers_of_the_products_own_name_are_no_quantities() -> None:
    """Whatever stands between their parts."""
    goods = ("LMP 7 B", "Lamp 500", "Lighting")
    assert read_quantity("the lamp 500 please", goods=goods) is None
    assert read_quantity("3 lamp-500, id lmp-7-b", goods=goods) == Quantity(3, 3)


@given(
    st.integers(0, 30_000),
    st.sampled_from(["{} pcs", "{}x CSH-1098", "CSH-1098, qty: {}", "x{}", "{} × bag"]),
)
def test_a_number_that_is_said_to_be_a_quantity_is_one(number: int, form: str) -> None:
    """Also where it looks like a year; from 1 to 10,000, with or without a mark between thousands."""
    for digits in (str(number), f"{number:,}", f"{number:,}".replace(",", ".")):
        text = form.format(digits)
        assert read_quantity(text) == (Quantity(number, number) if 1 <= number <= 10_000 else None)
        assert bool(unclear_quantity(text)) == (not 1 <= number <= 10_000)


@given(
    st.text() | st.lists(st.sampled_from([*READ, *RANGES, *NOTHING, *UNCLEAR, *EVERYTHING, "-", "x", "a", "to"]), max_size=5).map(" ".join),
    st.lists(st.text(max_size=10), max_size=3),
)  # fmt: skip
def test_whatever_is_written_gives_a_quantity_that_can_be_ordered_or_none(
    text: str, goods: list[str]
) -> None:
    """No text raises, and none gives a number out of bounds."""
    quantity, unclear = read_quantity(text, goods=goods), unclear_quantity(text, goods=goods)
    assert quantity is None or quantity.everything or 1 <= quantity.low <= quantity.high <= 10_000
    assert quantity is None or not unclear

"""What sentences of a catalogue are read as promotions."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from email_assistant.errors import InputError
from email_assistant.workflows.order_desk.shop.promotion import FORMS, Promotion, read_promotion

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def promotion(text: str, **effect: object) -> Promotion:
    """A promotion with one effect; amounts may be given as text."""
    values = {
        name: Decimal(value) if name in {"percent_off", "amount_off"} else value
        for name, value in effect.items()
    }
    return Promotion(text, **values)  # type: ignore[arg-type]


READ = {
    "Buy 2, get 1 free": {"applies_every": 3, "free_items": 1},
    "Buy one, get one half price": {"applies_every": 2, "second_half_price": True},
    "20% off": {"percent_off": "20"},
    "20% off when you buy 3 or more": {"percent_off": "20", "min_quantity": 3},
    "5.00 off": {"amount_off": "5.00"},
    "10.00 off for every 3": {"amount_off": "10.00", "applies_every": 3},
    "Free canvas bag": {"free_gift": "canvas bag"},
    "Free canvas bag together with CSH-1098": {"free_gift": "canvas bag", "product_combination": ("CSH-1098",)},
    "20% off when you buy 3 or more together with CSH-1098 and bmx5593.": {
        "percent_off": "20", "min_quantity": 3, "product_combination": ("CSH-1098", "bmx5593")},
    "Buy 2, get 1 free TOGETHER WITH A1 AND B2 and C3": {
        "applies_every": 3, "free_items": 1, "product_combination": ("A1", "B2", "C3")},
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_sentence_of_the_grammar_is_read_and_kept_as_it_was_written(text: str) -> None:
    """Every form, in any case, with and without a full stop."""
    assert read_promotion(text) == promotion(text, **READ[text])


@pytest.mark.parametrize("text", FORMS)
def test_every_form_that_the_message_offers_is_read(text: str) -> None:
    """What the message tells the shop to write can be written."""
    assert read_promotion(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "", " ", ".", "Buy 2", "Buy 0, get 1 free", "Buy 2, get 0 free", "Buy eleven, get one free", "Buy 1000, get 1 free",
        "Buy 2, get 1 half price", "Buy 2, get 1 50% off", "0% off", "0.00% off", "100.01% off", "-5% off", "20.123% off",
        "Free 12", "Free with every 2", "Free bag when you buy 3", "Free bag with every", "Free together with CSH-1098",
        "20% off together with CSH-1098 or X", "20% off together with -", "20% off together with CSH-1098 and csh1098",
        "together with CSH-1098", "20% off 5.00 off", "2 for 1", "Buy one, get one free and a bag", "20% off..",
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_one_line_that_lists_the_forms(text: str) -> None:
    """Nothing is guessed, as money hangs on it."""
    with pytest.raises(InputError) as error:
        read_promotion(text)
    message = str(error.value)
    assert "\n" not in message
    assert all(form in message for form in FORMS)


@given(st.text())
def test_no_text_makes_it_raise_anything_but_an_input_error(text: str) -> None:
    """A catalogue may hold anything."""
    for candidate in (
        text,
        f"Free {text}",
        f"20% off together with {text}",
        f"{text}% off",
        f"Buy {text}, get 1 free",
    ):
        try:
            read_promotion(candidate)
        except InputError:
            continue


counts = st.integers(1, 999).flatmap(
    lambda n: st.sampled_from([(str(n), n)] + ([(WORDS[n - 1], n)] if n <= 10 else []))
)
amounts = st.decimals("0.01", "9999999.99", places=2).map(str)
percents = st.decimals("0.01", "100", places=2).map(str)
gifts = st.text(st.sampled_from("abcdefgxyzéß '-"), min_size=1, max_size=40).filter(
    lambda g: g == " ".join(g.split()) and any(c.isalpha() for c in g)
)
ids = st.lists(st.from_regex(r"[A-Z]{3}-[0-9]{4}", fullmatch=True), unique=True, max_size=3)


@st.composite
def sentences(draw: st.DrawFn) -> Promotion:
    """A promotion and, as its text, the sentence that gives it."""
    least, least_words = draw(
        st.one_of(st.just((1, "")), counts.map(lambda told: (told[1], f" when you buy {told[0]} or more")))
    )
    (paid_words, paid), (free_words, free), (every_words, every) = draw(counts), draw(counts), draw(counts)
    percent, amount, gift = draw(percents), draw(amounts), draw(gifts)
    text, effect = draw(
        st.sampled_from(
            [
                (f"Buy {paid_words}, get {free_words} free", {"applies_every": paid + free, "free_items": free}),
                ("Buy one, get one half price", {"applies_every": 2, "second_half_price": True}),
                (f"{percent}% off{least_words}", {"percent_off": percent, "min_quantity": least}),
                (f"{amount} off{least_words}", {"amount_off": amount, "min_quantity": least}),
                (f"{amount} off for every {every_words}", {"amount_off": amount, "applies_every": every}),
                (f"Free {gift}{least_words}", {"free_gift": gift, "min_quantity": least}),
                (f"Free {gift} with every {every_words}", {"free_gift": gift, "applies_every": every}),
            ]
        )
    )  # fmt: skip
    names = tuple(draw(ids))
    text += f" together with {' and '.join(names)}" if names else ""
    text = draw(st.sampled_from([text, text.upper(), text + "."]))
    if text.isupper():
        effect = {key: value.upper() if key == "free_gift" else value for key, value in effect.items()}
    return promotion(text, **effect, product_combination=names)


@given(sentences())
def test_a_generated_sentence_comes_back_as_the_promotion_it_was_made_from(made: Promotion) -> None:
    """Every part of every form is read for itself."""
    assert read_promotion(made.text) == made

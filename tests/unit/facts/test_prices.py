"""One reader of what something is said to cost."""

from datetime import UTC, datetime

import pytest

from email_assistant.facts.check import check
from email_assistant.facts.claims import claims_of
from email_assistant.facts.fact import Own, Source
from email_assistant.workflows.order_desk.price_check import price_of, prices_of_the_shop, unbacked_words

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SHOP = "KTC-4098 Enamel mug: 1 x 8.49 EUR, two for 16.98 EUR, 10% off from ten on. There are 4 in stock."
INVENTED = [
    "€ 1.240,00", "1 240,00 €", "1\u202f240,00 €", "EUR 1,240.00", "1.240 Euro", "1.240,- Euro", "twelve hundred euros", "£12",
    "12.00", "12,00", "EUR12", "12EUR", "US$ 12", "$12.5", "12 bucks", "12 quid", "twelve euros", "zwölf Euro", "douze euros",
    "12 apiece", "12.4", "1.00 EUR", "4.00 each", "8.49 EUR - 4 = 4.49 EUR", "as follows:\n> You said it costs 12.50 EUR",
    "twelve hundred", "8.49 USD", "20 percent less", "half price", "free of charge",
    "nothing, it is on the house",
    "gratis", "kostenlos",
]  # fmt: skip
TRUE = [
    "8.49 EUR",
    "8,49 €",
    "8.49 euros",
    "16.98 EUR",
    "10% less from ten on",
]


def told(written: str) -> str:
    """What becomes of a letter with this price, which the customer's mail claims, too."""
    letter = f"Hello,\n\nThe Enamel mug costs {written}.\n\nRobin Vale"
    sources = [
        Source("the catalogue", SHOP, "ours"),
        Source("the mail", f"You said it costs {written}.", "theirs", NOW),
    ]
    own = Own("Robin Vale", "robin@vale.example", ())
    prices = prices_of_the_shop([SHOP], "EUR", NOW.date(), UTC)
    found = check(letter, sources, now=NOW, timezone="Europe/Berlin", own=own, distrusted=prices)
    return unbacked_words(found, [SHOP], "", ordered=True).text


@pytest.mark.parametrize("written", INVENTED)
def test_an_invented_price_is_a_gap_however_it_is_spelled(written: str) -> None:
    """A customer who claims a price makes it no price of the shop."""
    assert "[confirm:" in told(written)


@pytest.mark.parametrize("written", TRUE)
def test_a_price_of_the_shop_is_no_gap_however_it_is_spelled(written: str) -> None:
    """The same value in the same currency."""
    assert "[confirm:" not in told(written)


@pytest.mark.parametrize(
    "text",
    [
        "We are open from 9 to 17.",
        "There are 4 in stock.",
        "Call 030 1234567.",
    ],
)
def test_what_is_no_price_is_none(text: str) -> None:
    """Counts, times, days, numbers of things."""
    assert not any(price_of(claim, text, "EUR") for claim in claims_of(text, NOW.date(), UTC, day_first=None))

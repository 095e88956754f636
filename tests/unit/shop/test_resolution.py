"""Which product a mention means, on a small catalogue that a reader can check."""

from decimal import Decimal

import pytest

from email_assistant.workflows.order_desk.shop.mention import ProductMention, Resolution
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex


def product(id_: str, name: str, category: str = "Bags", description: str = "") -> Product:
    """A product of which only the words matter."""
    return Product(id_, name, category, description, Decimal("10.00"))


SHOP = ProductIndex.build(
    [
        product(
            "CSH-1098", "Alpine Explorer Jacket", "Outerwear", "Waterproof shell with a detachable hood."
        ),
        product("CSH-1108", "Cosy Shawl", "Accessories", "Soft merino wool, hand knitted."),
        product("MUG-300", "Whale Mug", "Kitchenware", "Blue ceramic with an embroidered cosy."),
        product("KIT-7001", "Nordic Mug 300", "Kitchenware", "Holds 300 ml."),
        product("KIT-7002", "Nordic Mug 400", "Kitchenware", "Holds 400 ml."),
        product("SCA-2001", "Fjord Scarf Red", "Accessories", "Cotton."),
        product("SCA-2002", "Fjord Scarf Blue", "Accessories", "Cotton."),
        product("TOT-1", "Bergen Tote", "Bags", "Canvas."),
        product("TOT-2", "Bergen Tote Mini", "Bags", "Canvas."),
        product("BAR-5500", "Bärenfell Rug", "Home Decor", "Looks like a bear."),
        product("USU-1000", "The Usual", "Coffee", "Our house blend."),
        product("77120", "Oslo Backpack", "Bags", "With a padded back."),
        product("FOR-200", "Forest Candle", "Home Decor", "Smells of pine."),
    ]
)


def resolve(index: ProductIndex = SHOP, **said: str) -> Resolution:
    """What the words come to."""
    return index.resolve(ProductMention(**said))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "written", ["csh 1098", "CSH1098", "[CSH-1098]", "csh - 1098", "CSH\u20111098", "ＣＳＨ１０９８"]
)
@pytest.mark.parametrize("field", ["product_id", "product_name", "description", "mention_text"])
def test_an_id_is_found_however_it_is_written_and_wherever_it_stands(field: str, written: str) -> None:
    """Customers copy ids with other case, spaces, dashes and brackets."""
    found = resolve(**{field: f"{written}" if field == "product_id" else f"two of {written}, please"})
    assert (found.status, found.product_id, found.candidates[0].method) == ("resolved", "CSH-1098", "id")


@pytest.mark.parametrize("text", ["12 mugs for 200 people", "77 120 of them", "send it on 1 1", "1098"])
def test_numbers_and_little_words_are_no_ids(text: str) -> None:
    """A quantity that happens to be an id orders nothing."""
    assert resolve(mention_text=text).status != "resolved"


@pytest.mark.parametrize("field", ["product_name", "mention_text"])
@pytest.mark.parametrize(
    "text", ["the first one, please", "First", "der erste", "el primero", "the first or the second"]
)
def test_an_ordinal_is_one_of_a_list_and_no_product(field: str, text: str) -> None:
    """Who was asked "this, that, or this?" answers so; with another word of the name it is the product."""
    shop = ProductIndex.build([product("ACC-1", "First Aid Kit"), product("ACC-2", "Erste-Hilfe-Set")])
    assert resolve(shop, **{field: text}).status == "unresolved"
    assert resolve(shop, **{field: "one first aid kit, please"}).product_id == "ACC-1"


@pytest.mark.parametrize(
    "wrong", ["CSH-1O98", "CSH-1089", "CSH-1099", "CSH-109", "CSH-10998", "SCH-1098", "CSH-I098"]
)
def test_a_near_id_alone_is_a_question(wrong: str) -> None:
    """One slip from a product is not the product: it may be one that is sold no more."""
    found = resolve(product_id=wrong)
    assert found.status == "ambiguous"
    assert "CSH-1098" in [one.product_id for one in found.candidates]
    assert found.candidates[0].method == "near_id"


@pytest.mark.parametrize("wrong", ["CSH-1O98", "CSH-1089", "CSH 1099"])
def test_a_near_id_is_certain_when_the_name_agrees(wrong: str) -> None:
    """Two signs for the same product."""
    assert resolve(product_id=wrong, product_name="alpine jacket").product_id == "CSH-1098"
    assert resolve(product_id=wrong, product_name="Oslo Backpack").status == "ambiguous"


@pytest.mark.parametrize("name", ["Cosy Shawl", "the cosy shawls", "Bergen Tote", "Nordic Mug 400"])
def test_an_id_with_another_products_name_is_a_question(name: str) -> None:
    """One of both is wrong, and nobody but the customer knows which."""
    found = resolve(product_id="CSH-1098", product_name=name)
    assert found.status == "ambiguous"
    assert len(found.candidates) >= 2


def test_an_id_that_the_words_of_the_mail_do_not_have_is_a_question() -> None:
    """The analysis may have read a wrong id; the words of the mail are the customer's."""
    assert (
        resolve(product_id="CSH-1098", mention_text="one TOT-1-1 and SCA-2002 please").status == "ambiguous"
    )
    assert (
        resolve(product_id="CSH-1098", mention_text="CSH-1098, goes with SCA-2002").product_id == "CSH-1098"
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Whale Mugs", "MUG-300"), ("mug, whale", "MUG-300"), ("the WHALE mug", "MUG-300"), ("Whael Mug", "MUG-300"),
        ("Barenfell rug", "BAR-5500"), ("Baerenfell Rugs", "BAR-5500"), ("the Alpine jacket", "CSH-1098"),
        ("Oslo back pack", "77120"), ("oslo backpacks", "77120"), ("Bergen Tote", "TOT-1"), ("Bergen mini tote", "TOT-2"),
        ("Fjord Schal rot", ""), ("Fjord scarf rot", "SCA-2001"), ("Nordic Mug 400", "KIT-7002"), ("The Usual", "USU-1000"),
    ],
)  # fmt: skip
def test_names_are_found_as_customers_write_them(name: str, meant: str) -> None:
    """Plural, order, case, slips, accents, parts and joined words; "" where only a question is right."""
    assert resolve(product_name=name).product_id == meant


@pytest.mark.parametrize(
    "said",
    [
        {"product_name": "Fjord scarf"}, {"product_name": "Fjord scarf green"}, {"product_name": "Nordic mug 500"},
        {"product_name": "Fjord scarf", "description": "in yellow"}, {"product_name": "Whale Mug Deluxe"},
        {"product_name": "Nordic mug"}, {"product_name": "Alpine mug"}, {"product_name": "bag"},
        {"description": "something waterproof with a hood"}, {"product_name": "shell jacket"}, {"product_name": "wool shawl"},
        {"product_name": "bergenscarf"},
    ],
)  # fmt: skip
def test_what_may_be_several_or_none_is_no_certainty(said: dict[str, str]) -> None:
    """Twins, colours and sizes that are not sold, a word too many, a kind of thing, a description."""
    assert resolve(**said).status != "resolved"


@pytest.mark.parametrize(
    "text",
    ["that popular item", "the same as last time", "it", "the thing I saw", "das Gleiche wie letztes Mal", "lo mismo",
     "", " ", "...", "espresso machine", "concert tickets", "和紙の見本"],
)  # fmt: skip
def test_what_names_nothing_is_unresolved(text: str) -> None:
    """Vague words, things not sold, and nothing at all."""
    assert resolve(mention_text=text) == Resolution(ProductMention(mention_text=text), "unresolved")
    assert resolve(product_name=text).status == "unresolved"


HOSTILE = {
    "one word": "A" * 100_000,
    "words": "red alpine mug " * 7_000,
    "ids": "CSH-1099 " * 11_000,
    "pattern": "(.*+?[){(a|a)*" * 7_000,
    "control": "\x00\x1b\u202e\ud800" * 25_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_mention_costs_no_more_than_a_moment(text: str) -> None:
    """100,000 characters in every field: no exception, and a time that does not grow with them."""
    found = SHOP.resolve(ProductMention(text, text, text, text, 1, 1.0, text))
    assert len(found.candidates) <= 5

"""What holds for every catalogue and mention."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from email_assistant.workflows.order_desk.shop.mention import ProductMention
from email_assistant.workflows.order_desk.shop.product import Product
from email_assistant.workflows.order_desk.shop.resolution.ids import normal
from email_assistant.workflows.order_desk.shop.resolution.index import ProductIndex

WORDS = [
    "Alpine",
    "Fjord",
    "Whale",
    "Explorer",
    "Mug",
    "Scarf",
    "Jacket",
    "Red",
    "Blue",
    "300",
    "Mini",
    "the",
]
IDS = st.from_regex(r"[A-Z]{2,3}-[0-9]{3,4}", fullmatch=True)
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(" ".join)
PRODUCTS = st.lists(
    st.builds(Product, IDS, NAMES, st.sampled_from(["Bags", "Mugs", ""]), NAMES, st.just(Decimal("1.00"))),
    min_size=1,
    max_size=12,
    unique_by=lambda product: normal(product.id),
)
TEXTS = st.one_of(NAMES, IDS, st.text(max_size=60))
MENTIONS = st.builds(
    ProductMention, product_id=st.one_of(st.just(""), TEXTS), product_name=TEXTS, description=TEXTS, category=TEXTS, mention_text=TEXTS
)  # fmt: skip
UNRELATED = Product("ZZZZ-99999999", "Qwixxolyth Vrombaz", "Fnordware", "Jabberwocky glimt.", Decimal("1.00"))


@given(PRODUCTS, st.data())
def test_an_exact_id_is_always_found(products: list[Product], data: st.DataObject) -> None:
    """In any case, with or without its dash, in brackets."""
    index = ProductIndex.build(products)
    meant = data.draw(st.sampled_from(products)).id
    form = data.draw(st.sampled_from(["{}", "[{}]", " {} "])).format(
        data.draw(st.sampled_from([meant, meant.lower(), meant.replace("-", ""), meant.replace("-", " ")]))
    )
    assert index.resolve(ProductMention(product_id=form)).product_id == meant


@given(PRODUCTS, MENTIONS, st.randoms(use_true_random=False))
def test_the_order_of_products_changes_nothing(
    products: list[Product], mention: ProductMention, rng: object
) -> None:
    """Two processes that read the catalogue in another order give the same answer, and each gives it twice."""
    shuffled = list(products)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    index = ProductIndex.build(products)
    found = index.resolve(mention)
    assert found == ProductIndex.build(shuffled).resolve(mention) == index.resolve(mention)


@given(PRODUCTS, MENTIONS)
def test_an_unrelated_product_changes_nothing(products: list[Product], mention: ProductMention) -> None:
    """Scores say how well a product fits, not how it stands among others."""
    before = ProductIndex.build(products).resolve(mention)
    after = ProductIndex.build([*products, UNRELATED]).resolve(mention)
    if UNRELATED.id not in {one.product_id for one in after.candidates}:
        assert after == before


@given(PRODUCTS)
def test_the_full_name_is_never_another_product(products: list[Product]) -> None:
    """Certain of the right one, or a question."""
    index = ProductIndex.build(products)
    for product in products:
        found = index.resolve(ProductMention(product_name=product.name))
        same = {
            p.id for p in products if set(p.name.split()) - {"the"} == set(product.name.split()) - {"the"}
        }
        assert found.product_id in {"", *same}


@settings(max_examples=300)
@given(PRODUCTS, MENTIONS)
def test_any_mention_gets_an_answer(products: list[Product], mention: ProductMention) -> None:
    """No exception, scores on the scale, the best first."""
    found = ProductIndex.build(products).resolve(mention)
    scores = [one.score for one in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert (found.status == "unresolved") == (not scores)

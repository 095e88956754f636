"""The sample shop and what is expected of its mails are well-formed and agree."""

import json
from decimal import Decimal
from typing import Any

import pytest

from email_assistant.workflows.order_desk.shop.product import SEASONS
from email_assistant.workflows.order_desk.shop.promotion import read_promotion
from eval.orders import check

KINDS = {
    "angry", "buy_two", "combination", "forwarded", "gift", "id_format", "injection", "last_item", "misspelt", "mixed",
    "more_than_stock", "near_twin_ids", "no_product", "not_sold", "other_language", "out_of_stock", "previous_purchase",
    "quantity_words", "quoted_history", "stock_before_order", "swapped_digit_alone", "swapped_digit_named", "vague",
    "very_long", "very_short",
}  # fmt: skip
ROWS = check.catalogue()


def test_the_catalogue_is_whole() -> None:
    """At least a hundred products in eight to twelve categories; ids and names are unique, and no id can be misread."""
    with (check.SHOP / "catalogue.csv").open(encoding="utf-8") as file:
        assert len(file.readlines()) - 1 == len(ROWS) >= 100
    assert len({row["name"].lower() for row in ROWS.values()}) == len(ROWS)
    assert 8 <= len({row["category"] for row in ROWS.values()}) <= 12
    assert not {letter for id in ROWS for letter in id.split("-")[0]} & set("OI")
    stocks = [int(row["stock"]) for row in ROWS.values()]
    assert min(stocks) == 0
    assert max(stocks) == 200
    assert stocks.count(0) >= 5
    assert stocks.count(1) >= 3


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_every_row_can_be_read(row: dict[str, str]) -> None:
    """Price, seasons and promotion are as the catalogue's format wants them, and promotions name products that are there."""
    price = Decimal(row["price"])
    assert price > 0
    assert price == price.quantize(Decimal("0.01"))
    assert {one.strip() for one in row["seasons"].replace(";", ",").split(",")} <= {*SEASONS, "fall", "all"}
    if row["promotion"]:
        assert set(read_promotion(row["promotion"]).product_combination) <= ROWS.keys() - {row["id"]}


def test_forty_mails_of_every_kind_in_both_halves() -> None:
    """Every kind is in the mails that may be learned from and in those that measure; the halves take turns."""
    cases = check.cases()
    assert len({case.mail["email_id"] for case in cases}) == len(cases) == 40
    assert all(case.mail["message"].strip() and case.expected["note"] for case in cases)
    assert [case.expected["split"] for case in cases] == ["dev", "test"] * 20
    for split in ("dev", "test"):
        half = [case.expected for case in cases if case.expected["split"] == split]
        assert {kind for line in half for kind in line["kinds"]} == KINDS
        assert {line["language"] for line in half} >= {"en", "de", "fr", "es", "it", "nl"}
    assert len({case.expected["language"] for case in cases}) == 8


def test_what_is_expected_agrees_with_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line, total, stock and fact, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "40 mails agree with the catalogue\n"


@pytest.mark.parametrize(
    ("promotion", "units", "taken", "off", "gifts"),
    [
        ("", 9, {}, "0", []),
        ("Buy 2, get 1 free", 5, {}, "10", []),
        ("Buy 2, get 1 free", 6, {}, "20", []),
        ("Buy one, get one half price together with B", 4, {"B": 1}, "5", []),
        ("20% off when you buy 3 or more", 3, {}, "6", []),
        ("20% off together with B", 3, {"B": 2}, "4", []),
        ("5.00 off for every 3", 7, {}, "10", []),
        ("Free bag with every 2", 5, {}, "0", ["bag", "bag"]),
        ("Free bag together with B", 3, {"B": 0}, "0", []),
    ],
)
def test_the_reference_itself(
    promotion: str, units: int, taken: dict[str, int], off: str, gifts: list[str]
) -> None:
    """Promotions on a price of 10, worked out by hand."""
    assert check.reduction(promotion, Decimal(10), units, taken) == (Decimal(off), gifts)


def _wrong_total(line: dict[str, Any]) -> None:
    line["order"]["lines"][0]["total"] = "249.91"


def _wrong_product(line: dict[str, Any]) -> None:
    line["resolutions"][0]["product_id"] = "CSH-1089"


@pytest.mark.parametrize("spoil", [_wrong_total, _wrong_product])
def test_a_mistake_is_found(monkeypatch: pytest.MonkeyPatch, spoil: Any) -> None:
    """A line that does not agree is named by its mail."""
    lines = check.expected()
    spoil(lines[0])
    monkeypatch.setattr(check, "expected", lambda: lines)
    assert {found.split(":")[0] for found in check.differences()} == {"E001"}
    assert check.main() == 1


def test_hostile_mails_are_whole() -> None:
    """Each says what must not happen, and at most how many units of which products may leave the stock."""
    text = (check.HERE / "hostile.jsonl").read_text(encoding="utf-8")
    mails = [json.loads(line) for line in text.splitlines()]
    assert len({mail["email_id"] for mail in mails}) == len(mails) >= 12
    for mail in mails:
        assert mail["message"].strip()
        assert mail["must_not_happen"].endswith(".")
        assert all(0 < units <= int(ROWS[product]["stock"]) for product, units in mail["at_most"].items())

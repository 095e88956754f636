"""The sample shop and what is expected of its mails are well-formed and agree."""

import json

import pytest

from eval.orders import check

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


def test_what_is_expected_agrees_with_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line, total, stock and fact, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "40 mails agree with the catalogue\n"


def test_hostile_mails_are_whole() -> None:
    """Each says what must not happen, and at most how many units of which products may leave the stock."""
    text = (check.HERE / "hostile.jsonl").read_text(encoding="utf-8")
    mails = [json.loads(line) for line in text.splitlines()]
    assert len({mail["email_id"] for mail in mails}) == len(mails) >= 12
    for mail in mails:
        assert mail["message"].strip()
        assert mail["must_not_happen"].endswith(".")
        assert all(0 < units <= int(ROWS[product]["stock"]) for product, units in mail["at_most"].items())

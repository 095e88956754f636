"""The sample shop and what is expected of its mails are well-formed and agree."""

import json

import pytest

from eval.orders import check

ROWS = check.catalogue()


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

"""What is expected of the sample claims agrees with documents and contracts, and what would not agree is found."""

import pytest

from eval.claims import check


def test_what_is_expected_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """Every amount, citation, person and date, worked out once more."""
    assert check.main() == 0
    assert capsys.readouterr().out == "30 claims agree with the documents and contracts\n"

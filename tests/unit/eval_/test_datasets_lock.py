"""The lock of the test halves when it cannot be read, as after a merge with a conflict."""

from pathlib import Path

import pytest

from email_assistant.errors import InputError
from eval import datasets


@pytest.mark.parametrize("text", ['{\n<<<<<<< HEAD\n  "a.jsonl": "1"\n}', None])
def test_a_lock_that_cannot_be_read_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None
) -> None:
    """Data whose lock is not known are not measured."""
    lock = tmp_path / "datasets.lock.json"
    if text is not None:
        lock.write_text(text, encoding="utf-8")
    monkeypatch.setattr(datasets, "LOCK", lock)
    with pytest.raises(
        InputError, match=r"^eval/datasets\.lock\.json cannot be read .* keep the lines of both sides$"
    ):
        datasets.load("response/cases.jsonl")

"""A model's verdict never stands alone: what asks something beyond doubt is shown, although the model would leave it out."""

from pathlib import Path

import pytest

from tests.support.workflows import WORKFLOWS, Bench

WORKFLOW = WORKFLOWS["email_assistant"]


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """An assistant whose model ignores every mail."""
    opened = await WORKFLOW.open(tmp_path)
    opened.writer.triages, opened.writer.heeds = "ignore", True
    return opened


async def test_a_question_is_shown_with_what_the_model_says(bench: Bench) -> None:
    """As a notice: nothing is drafted."""
    _, card = await bench.bring(WORKFLOW.case)
    assert card is not None
    assert card["action_request"]["action"].startswith("Notify: ")
    assert "The model would have left it out: As it was told." in card["description"]
    assert await bench.drafts() == []

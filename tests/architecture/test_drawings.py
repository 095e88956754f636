"""The drawn graphs in docs/ are those of the code."""

from pathlib import Path

import pytest

from email_assistant.bootstrap import House
from email_assistant.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name", ["email_assistant", "inbox_organizer", "reply_pipeline", "order_desk", "claims_desk"]
)
def test_the_drawing_is_up_to_date(tmp_path: Path, name: str) -> None:
    """When this fails: put the drawing it shows into the workflow's page in docs/."""
    house = House(load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path))
    graphs = {
        "email_assistant": house.assistant,
        "inbox_organizer": house.organizer,
        "reply_pipeline": house.pipeline,
        "order_desk": house.order_desk,
        "claims_desk": house.claims_desk,
    }
    drawn = graphs[name]().get_graph(xray=True).draw_mermaid()
    page = (ROOT / f"docs/workflows/{name}.md").read_text(encoding="utf-8")
    assert drawn.strip() in page, drawn

"""The drawn graphs in docs/ are those of the code, with a word on every edge that is chosen."""

from pathlib import Path

import pytest

from email_assistant.app.assistant import deps_of
from email_assistant.app.graphs import graph_of
from email_assistant.settings import load_settings
from email_assistant.workflow_registry import NAMES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_the_drawing_is_up_to_date(tmp_path: Path, name: str) -> None:
    """When this fails: put the drawing it shows into the workflow's page in docs/."""
    house = deps_of(load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path))
    graph = graph_of(house, name).get_graph(xray=True)
    assert [each for each in graph.edges if each.conditional and not each.data] == []
    drawn = graph.draw_mermaid()
    page = (ROOT / f"docs/workflows/{name}.md").read_text(encoding="utf-8")
    assert drawn.strip() in page, drawn

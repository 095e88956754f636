"""The drawn graphs in docs/ are those of the code."""

from pathlib import Path

from email_assistant.bootstrap import House
from email_assistant.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]


def test_the_assistants_drawing_is_up_to_date(tmp_path: Path) -> None:
    """When this fails: put the drawing it shows into docs/workflows/email_assistant.md."""
    settings = load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path)
    drawn = House(settings).assistant().get_graph(xray=True).draw_mermaid()
    page = (ROOT / "docs/workflows/email_assistant.md").read_text(encoding="utf-8")
    assert drawn.strip() in page, drawn

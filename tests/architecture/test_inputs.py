"""What callers may put into runs: a field more here is a decision, and is written down in docs/decisions.md."""

import re
from pathlib import Path
from typing import Any

import pytest

import email_assistant
from email_assistant.app.assistant import deps_of
from email_assistant.app.graphs import graph_of, ingest_graph_of
from email_assistant.mail.email_input import parse_email_input
from email_assistant.settings import load_settings
from email_assistant.workflow_registry import NAMES

SOURCE = Path(email_assistant.__file__).parent
FIELDS = {
    "email_assistant": {"email_input"},
    "inbox_organizer": {"email_input"},
    "reply_pipeline": {"email_input", "email"},
    "order_desk": {"email_input", "email"},
    "claims_desk": {"email_input", "messages", "tenant_id", "user_id", "email", "user_role"},
    "ingest": {
        "email", "minutes_since", "graph_name", "include_read", "rerun", "early", "query", "limit", "after", "before",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_a_graph_takes_these_fields_and_no_others(tmp_path: Path, name: str) -> None:
    """What nodes hand to one another (`pending`, `decision`, `acknowledged` …) is dropped on the way in."""
    house = deps_of(load_settings({"EMAIL_ASSISTANT_DATA_DIR": str(tmp_path)}, tmp_path))
    graph: Any = ingest_graph_of(house, _nobody) if name == "ingest" else graph_of(house, name)
    schema = graph.get_input_jsonschema()
    assert set(schema["properties"]) == FIELDS[name]
    if name in NAMES:  # Studio draws its form from this: a field each, and a mail to begin with.
        (example,) = schema["properties"]["email_input"]["examples"]
        assert set(schema["$defs"]["StudioForm"]["properties"]) == set(example)
        assert parse_email_input(example).current.subject == example["subject"]


async def _nobody(graph: str) -> Any:
    raise AssertionError("no look is made here")


def test_configuration_decides_nothing() -> None:
    """Assistants and runs bring configuration and context; graphs read the two ids in it that the server sets, in one place each.

    The checkpoints are asked for by a thread's id, which comes from the server's own rows.
    """
    read = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if re.search(r"\"configurable\"|runtime\.context|context_schema", file.read_text(encoding="utf-8"))
    }
    assert read == {
        "checkpoints/server_rows.py",
        "kit/conversations.py",
        "review/gate.py",
        "workflows/order_desk/run_workflow.py",
    }

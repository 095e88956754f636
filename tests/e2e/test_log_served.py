"""What the server's log tells of mail and of what a model writes: nothing."""

import pytest

from tests.e2e.conftest import Served
from tests.servers.model_server import tool_call, tool_calls

pytestmark = pytest.mark.xdist_group("served")
CANARIES = ("zanzibar", "quetzal", "xylophone")


def test_neither_mail_nor_model_text_is_logged(served: Served) -> None:
    """Also where the model answers with what libraries complain about (trustcall quotes it), and the learning fails."""
    mail, model, words = CANARIES
    draft = tool_calls(("send_email", {"body": f"The {model} is 120 euro."}), ("Done", {}))
    wild = {
        "json_doc_id": model,
        "planned_edits": model,
        "patches": [{"op": model, "path": f"/{model}", "value": model}],
    }
    thread = served.begin(draft, body=f"What does the {mail} cost?")
    garbage = [
        tool_call("PatchDoc", wild),
        tool_call("PatchDoc", f"{model} no json"),
        {"content": f"{model} " * 5},
    ]
    served.model.script(*garbage, draft, *garbage, draft, *garbage)
    thread.answer([{"type": "response", "args": f"Write shorter, please. {words}"}])
    thread.answer([{"type": "ignore", "args": None}])
    log = served.server.log.read_text(encoding="utf-8").lower()
    assert "background run" in log
    assert [word for word in CANARIES if word in log] == []

"""What docs/extending.md tells people to write works as it stands there."""

import mailbox
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph_sdk import get_sync_client

from email_assistant.tools.tool import Toolbox
from email_assistant.workflows.email_assistant.graph import assistant_graph
from tests.architecture.test_removable_workflows import CONFIG, copied, done
from tests.support.desk import desk, mail
from tests.support.dev_server import dev_server
from tests.support.scripted import Script, calls

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
_FILE = re.compile(r"`([\w/]+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)
SETTINGS = {
    "EMAIL_ASSISTANT_EMAIL": "robin@vale.example",
    "EMAIL_ASSISTANT_NAME": "Robin Vale",
    "EMAIL_ASSISTANT_MODEL_FAST": "offline",
    "EMAIL_ASSISTANT_MODEL_STRONG": "offline",
}
MAIL = {
    "from": "Ana Petrova <ana@example.com>",
    "to": "Robin Vale <robin@vale.example>",
    "subject": "Oak shelf",
    "body": "Could you send me the price of the oak shelf?",
    "id": "receipt-1",
}


def blocks() -> dict[str, str]:
    """The files that the page names, with what it says they hold."""
    return dict(_FILE.findall(PAGE.read_text(encoding="utf-8")))


def extended(folder: Path) -> Path:
    """A copy of the project with the page's workflow in it."""
    copy = copied(folder)
    package = copy / "src" / "email_assistant"
    for name, text in blocks().items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    (package / "workflows/receipts/__init__.py").touch()
    registry = package / "workflows/registry.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(
        text.replace('    "claims_desk",\n', '    "claims_desk",\n    "receipts",\n'), encoding="utf-8"
    )
    (copy / "langgraph.json").write_text(done(copy, "-c", CONFIG), encoding="utf-8")
    return copy


def test_the_workflow_of_the_page_is_served_asked_approved_and_sent(tmp_path: Path) -> None:
    """One mail in, its card, an accept, and the receipt is in Sent, once."""
    copy = extended(tmp_path)
    with dev_server(copy, {**SETTINGS, "PYTHONPATH": str(copy / "src")}) as server:
        client: Any = get_sync_client(url=server.url)
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, "receipts", input={"email_input": MAIL})
        (card,) = [
            i["value"][0] for found in client.threads.get(thread)["interrupts"].values() for i in found
        ]
        assert card["action_request"]["action"] == "Send reply to Ana Petrova: Re: Oak shelf"
        assert "has arrived" in card["action_request"]["args"]["body"]
        client.runs.wait(thread, "receipts", command={"resume": [{"type": "accept", "args": None}]})
        assert client.threads.get(thread)["status"] == "idle"
    sent = mailbox.Maildir(copy / "data" / "mailbox", create=False).get_folder("Sent")
    assert [message["Subject"] for message in sent] == ["Re: Oak shelf"]


async def test_the_tool_of_the_page_answers_the_model(tmp_path: Path) -> None:
    """The assistant is offered it, the model calls it, and hears the number."""
    space: dict[str, Any] = {"__name__": "count_unread"}
    exec(compile(blocks()["tools/count_unread.py"], "count_unread", "exec"), space)
    script = Script(turns=[calls(("count_unread", {})), calls(("Done", {}))])
    made = desk(tmp_path, script)
    tools = (*made.parts.toolbox.tools, space["CountUnread"](made.house.mailbox))
    parts = replace(made.parts, toolbox=Toolbox(tools))
    made.graph = assistant_graph(parts).compile(checkpointer=InMemorySaver(), store=made.store)
    message = await made.receive(mail())
    await made.start(message)
    assert [said.text for said in script.heard[1] if said.type == "tool"] == ["1 unread messages."]

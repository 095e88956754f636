"""What docs/extending.md tells people to write works as it stands there."""

import re
import shutil
from dataclasses import replace
from email import message_from_bytes
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

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "email_assistant"
PAGE = ROOT / "docs" / "extending.md"
_FILE = re.compile(r"`([\w/]+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)
_MAILBOX_LINE = re.compile(r'`("\w+": Adapter\(.*?\),)`')
_CHANGES = re.compile(r"^\| [^|]+ \| (.+) \|$", re.MULTILINE)
_PATH = re.compile(r"`([\w/]+(?:\.py|\.md|/))`")
SETTINGS = {
    "EMAIL_ASSISTANT_MAILBOX": "eml",
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
    """A copy of the project with the page's workflow and mailbox in it."""
    copy = copied(folder)
    package = copy / "src" / "email_assistant"
    for name, text in blocks().items():
        file = (copy if name.startswith("tests/") else package) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (package / "workflows/receipts/__init__.py").touch()
    (line,) = _MAILBOX_LINE.findall(PAGE.read_text(encoding="utf-8"))
    for registry, before, put in (
        ("workflow_registry.py", '    "claims_desk",\n', '    "receipts",\n'),
        ("adapter_registry.py", "MAILBOXES: Mapping[str, Adapter] = {\n", f"    {line}\n"),
    ):
        text = (package / registry).read_text(encoding="utf-8")
        assert before in text
        (package / registry).write_text(text.replace(before, before + put, 1), encoding="utf-8")
    (copy / "langgraph.json").write_text(done(copy, "-c", CONFIG), encoding="utf-8")
    return copy


def test_the_workflow_of_the_page_is_served_asked_approved_and_sent(tmp_path: Path) -> None:
    """One mail in, its card, an accept, and the receipt is in Sent of the page's mailbox, once."""
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
    sent = [message_from_bytes(file.read_bytes()) for file in (copy / "data" / "eml" / "sent").iterdir()]
    assert [message["Subject"] for message in sent] == ["Re: Oak shelf"]


def test_the_mailbox_of_the_page_keeps_the_contract(tmp_path: Path) -> None:
    """The suite of the port, run over it as the page says."""
    copy = extended(tmp_path)
    shutil.copytree(
        ROOT / "tests",
        copy / "tests",
        ignore=shutil.ignore_patterns("__pycache__", "node_modules"),
        dirs_exist_ok=True,
    )
    shutil.copytree(ROOT / "eval", copy / "eval", ignore=shutil.ignore_patterns("__pycache__", "report"))
    told = done(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/contract/test_eml_folder.py")
    assert re.search(r"^[1-9]\d passed", told, re.MULTILINE), told


def test_the_files_to_open_are_there() -> None:
    """Whoever looks a change up finds what the table names; a name without a folder is one of this project's roots."""
    changes = _CHANGES.findall(PAGE.read_text(encoding="utf-8"))
    assert len(changes) >= 10
    named = {path for change in changes for path in _PATH.findall(change)}
    workflow = {path for path in named if "WORKFLOW" in path}
    missing = {path for path in named - workflow if not any(_holds(root / path) for root in (PACKAGE, ROOT))}
    assert missing == set()
    for path in workflow:
        assert any(map(_holds, PACKAGE.glob(path.replace("WORKFLOW", "*")))), path


def _holds(path: Path) -> bool:
    """A file, or a folder with one that is written by hand: bytecode stays where a folder went."""
    return path.is_file() or any(file.suffix not in ("", ".pyc") for file in path.rglob("*"))


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

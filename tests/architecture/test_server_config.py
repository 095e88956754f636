"""langgraph.json, for whoever starts the server by hand, is what the package itself starts it with."""

from email_assistant.cli.server_note import API_VERSION, IMAGE_FILE, server_config, server_config_text
from email_assistant.workflow_registry import NAMES
from tests.support.dev_server import ROOT


def test_the_committed_file_is_the_packages() -> None:
    """`make docs` writes it anew after a change."""
    assert (ROOT / "langgraph.json").read_text(encoding="utf-8") == server_config_text()


def test_an_image_has_what_was_tested() -> None:
    """Of what it does not bring; `make lock` writes both files."""
    locked, more = ((ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", IMAGE_FILE))
    assert more.strip()
    assert f"\nlanggraph-api=={API_VERSION}." in locked
    assert {line.partition(" ")[0] for line in more.splitlines()} <= {*locked.split()}


def test_every_graph_of_a_setting_is_served() -> None:
    """Under the names that people, scripts and Agent Inbox know, in their order."""
    assert list(server_config()["graphs"]) == [*NAMES, "ingest"]

"""A server that does not start has said why in its log, in one line."""

import json
import re
from pathlib import Path

import pytest

from email_assistant.cli.running import background_server
from email_assistant.cli.server import wait_until_ready
from tests.support.dev_server import ROOT, forked_server, free_port


def test_what_it_will_not_serve_is_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for it does so no longer than it lives."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMAIL_ASSISTANT_EMAIL", "robin@vale.example")
    monkeypatch.setenv("EMAIL_ASSISTANT_MODEL_FAST", "gpt")
    with background_server(port := free_port(), log := tmp_path / "server.log") as server:
        assert not wait_until_ready(port, lambda: server.poll() is None)
    assert server.returncode == 1
    assert re.fullmatch(r"email-assistant: EMAIL_ASSISTANT_MODEL_FAST.*\n", log.read_text(encoding="utf-8"))


def test_a_server_that_asks_no_guard_does_not_start(tmp_path: Path) -> None:
    """Its log says so in one line, whoever took the guard out of langgraph.json."""
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    del config["auth"]
    (tmp_path / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(AssertionError, match="did not start"), forked_server(tmp_path, {}):
        pass
    log = (tmp_path / "server.log").read_text(encoding="utf-8")
    assert re.search(r"not_started.*the server answers 2\d\d .*to a run that must be refused with 422", log)

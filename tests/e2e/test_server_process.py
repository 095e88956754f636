"""The process that is to be a server: before it is told to begin it has opened nothing, and nothing of it stays behind."""

import json
import re
import socket
import subprocess
from pathlib import Path

import pytest

from email_assistant.cli.server import command, server_process
from email_assistant.errors import EmailAssistantError, ProviderError
from tests.support.dev_server import ROOT, forked_server, free_port


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of its own, and a data folder in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMAIL_ASSISTANT_DATA_DIR", "data")
    monkeypatch.setenv("EMAIL_ASSISTANT_EMAIL", "robin@vale.example")
    return tmp_path


def test_it_ends_with_a_starter_that_is_gone(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A command that is killed before it has given the word closes the gate, and that is all that is left to tell."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(command(free_port()), stdin=theirs.fileno())
    ours.close()
    assert process.wait(60) == 0
    assert (list(folder.iterdir()), capfd.readouterr()) == ([], ("", ""))


def test_a_block_that_ends_before_the_word_ends_it(folder: Path) -> None:
    """At once, because there is nothing to end in good order."""
    with server_process(free_port()) as server:
        pass
    assert server.process.returncode == -9
    assert list(folder.iterdir()) == []


def test_what_it_will_not_serve_is_told_by_its_starter(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In one line, and by then it is gone."""
    monkeypatch.setenv("EMAIL_ASSISTANT_MODEL_FAST", "gpt")
    with server_process(free_port()) as server:
        with pytest.raises(EmailAssistantError, match=r"^EMAIL_ASSISTANT_MODEL_FAST"):
            server.begin()
        assert server.process.returncode == 1
    assert capfd.readouterr() == ("", "")


def test_one_that_died_before_the_word_did_not_start() -> None:
    """Whatever it died of, the command does not wait for it."""
    with server_process(port := free_port()) as server:
        server.process.kill()
        server.process.wait()
        with pytest.raises(ProviderError, match=f"did not start on port {port}"):
            server.begin()


def test_a_server_that_asks_no_guard_does_not_start(folder: Path) -> None:
    """Its log says so in one line, whoever took the guard out of langgraph.json."""
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    del config["auth"]
    (folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(AssertionError, match="did not start"), forked_server(folder, {}):
        pass
    log = (folder / "server.log").read_text(encoding="utf-8")
    assert re.search(r"not_started.*the server answers 2\d\d to a run that must be refused with 422", log)

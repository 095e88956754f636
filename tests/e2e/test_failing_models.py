"""A model that cannot be used: `run`, `ingest`, `review` and `doctor` say why, for how many mails, and what to do."""

import json
import mailbox
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cli_support import OFFLINE, PERSON, Cli, Running, running
from tests.servers.model_server import ModelServer, running_model_server
from tests.support.desk import mail

pytestmark = pytest.mark.xdist_group("cli")

NAMES = ("Ana", "Ben", "Cem", "Dee")
GARBAGE = "openai:parrot did not answer in the form asked for"
MISSING = (
    "EMAIL_ASSISTANT_MODEL_FAST is ollama:parrot, which needs another package: install langchain-ollama with "
    "`.venv/bin/pip install -e '.[ollama]'`"
)


def newcomer(folder: Path, model: str, **settings: str) -> Cli:
    """A user with four mails, and this model for everything."""
    cli = Cli(
        folder,
        folder / "data",
        PERSON | {"EMAIL_ASSISTANT_MODEL_FAST": model, "EMAIL_ASSISTANT_MODEL_STRONG": model} | settings,
    )
    cli.data.mkdir()
    box = mailbox.Maildir(cli.data / "mailbox", create=True)
    for name in NAMES:
        box.add(mail("What does it cost?", sender=f"{name} <{name}@example.com>", message_id=f"<{name}@example.com>",
                     subject=f"About {name}"))  # fmt: skip
    return cli


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A server that answers everything with a word."""
    with running_model_server() as server:
        server.script({"content": "Squawk!", "repeat": True})
        yield server


def assert_told(up: Running, cause: str) -> None:
    """What every command says, first of all, and how it ends."""
    block = f"Nothing works at the moment, 4 mails failed:\n  4 mails: {cause}"
    after_start = up.greeting.split("server.log) …\n")[1].splitlines()
    told = [
        line for line in after_start if line and not line.startswith(("Reading mail", f"Failing: {cause}"))
    ]
    assert "\n".join(told).startswith(block)
    assert "Review them" not in up.greeting
    for command in ("ingest", "review"):
        result = up.cli.run(command)
        assert (result.returncode, result.stdout.startswith(block)) == (1, True), result
        (line,) = result.stderr.splitlines()
        assert line.startswith(f"email-assistant: Nothing works at the moment, 4 mails failed: {cause}")
        assert [name for name in NAMES if f"{name}: About {name}" in result.stdout] == list(NAMES[:3])
        assert ("and 1 more" in result.stdout, ".import" in result.stdout) == (True, False)
    listed = up.cli.run("review", "--json")
    assert (listed.returncode, json.loads(listed.stdout)) == (1, [])
    doctor = up.cli.run("doctor")
    assert doctor.returncode == 1
    assert f"MEND models: {cause}" in doctor.stdout
    assert "to be mended: models" in doctor.stderr
    status = up.cli.run("status").stdout
    assert f"failed: 4 mails ({NAMES[0]}: About {NAMES[0]}; " in status
    assert cause in status


def test_garbage_is_told_and_mended(tmp_path: Path, model: ModelServer) -> None:
    """And once a model answers as it should, the next start takes up what failed, at once."""
    cli = newcomer(tmp_path, "openai:parrot", OPENAI_API_KEY="none", OPENAI_BASE_URL=model.base_url)
    with running(cli) as up:
        assert_told(up, GARBAGE)
        up.output.process.send_signal(signal.SIGINT)
        assert up.output.end()[0] == 1
    mended = Cli(cli.folder, cli.data, PERSON | OFFLINE)
    with running(mended) as up:
        assert "failed" not in up.greeting
        assert "4 cards wait for your review." in up.greeting
        assert [line for line in up.greeting.splitlines() if line.startswith("  • ")]
        assert mended.run("ingest").returncode == 0


def test_a_missing_package_is_told_with_the_command_that_brings_it(tmp_path: Path) -> None:
    """It counts against no mail: all of them are taken up as soon as it is there."""
    with running(newcomer(tmp_path, "ollama:parrot")) as up:
        assert_told(up, MISSING)
        failed = json.loads(up.cli.run("status", "--json").stdout)["failed"]
        assert [(each["attempts"], each["given_up"]) for each in failed] == [(0, False)] * 4

"""The package installed from its wheel, as `pipx install` and `uvx` do: no checkout is anywhere near."""

import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.cli_support import OFFLINE, Cli, running
from tests.support.dev_server import ROOT
from tests.support.installs import built_wheel, environment_with


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the installed commands are."""
    folder = tmp_path_factory.mktemp("installed")
    return environment_with(folder / "environment", str(built_wheel(ROOT, folder)))


def test_an_installed_package_serves_the_samples(commands: Path, tmp_path: Path) -> None:
    """`run` in an empty folder: server, samples and cards come out of the package, and the way to review is told as it is here."""
    command = str(commands / "email-assistant")
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"email-assistant {version('email-assistant')}\n"
    newcomer = Cli(tmp_path, tmp_path / "data", OFFLINE, command=command)
    with running(newcomer) as up:
        assert "trying things out with the sample mailbox in data" in up.greeting
        assert "  • Send reply to Mara Lindqvist" in up.greeting
        assert f"{command} review --url" in up.greeting
        log = (newcomer.data / "server.log").read_text()
    assert str(ROOT) not in log

"""Every workflow but the core's can be taken out: its folder and its line in the registry, and the rest imports, serves and works."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from email_assistant.workflow_registry import NAMES
from tests.support.dev_server import dev_server
from tests.support.sampling import sampled

ROOT = Path(__file__).parents[2]
CORE, *OTHERS = NAMES
COPIED = ("src", "samples", "pyproject.toml", "README.md", "LICENSE")
IMPORT_ALL = """
import importlib, pkgutil, email_assistant
names = [m.name for m in pkgutil.walk_packages(email_assistant.__path__, "email_assistant.") if "migrations" not in m.name]
for name in names:
    importlib.import_module(name)
from email_assistant.workflow_registry import NAMES, workflows
assert len(workflows()) == len(NAMES)
print(len(names), *NAMES)
"""
CONFIG = "from email_assistant.cli.server_note import server_config_text; print(server_config_text())"
CORE_TESTS = (
    "tests/graphs/test_assistant.py", "tests/graphs/test_repeated_answers.py", "tests/unit/review/test_card.py", "tests/unit/effects",
)  # fmt: skip
"""Those of the core that name no other workflow."""


def copied(folder: Path) -> Path:
    """A copy of the project, without what it keeps."""
    for each in COPIED:
        source = ROOT / each
        if source.is_dir():
            shutil.copytree(source, folder / each, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder / each)
    return folder


def without(name: str, folder: Path) -> Path:
    """A copy of the project in which the workflow is taken out as docs/extending.md says."""
    copied(folder)
    shutil.rmtree(folder / "src/email_assistant/workflows" / name)
    registry = folder / "src/email_assistant/workflow_registry.py"
    lines = registry.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.strip() != f'"{name}",']
    assert len(kept) == len(lines) - 1
    registry.write_text("".join(kept), encoding="utf-8")
    (folder / "langgraph.json").write_text(done(folder, "-c", CONFIG), encoding="utf-8")
    return folder


def done(folder: Path, *arguments: str) -> str:
    """What Python printed, with the copy's package in place of the installed one."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "EMAIL_ASSISTANT_DATA_DIR": str(folder / "data"),
    }
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout


@pytest.mark.parametrize("name", sampled(OTHERS, every=len(OTHERS)))
def test_a_workflow_can_be_taken_out(tmp_path: Path, name: str) -> None:
    """All other modules import, the registry and the commands are whole, and the server's configuration is sound."""
    copy = without(name, tmp_path)
    assert name not in done(copy, "-c", IMPORT_ALL).split()
    assert name not in json.loads((copy / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert "status" in done(copy, "-c", "from email_assistant.cli.main import main; main()", "--help")
    assert "valid" in done(copy, "-m", "langgraph_cli", "validate").lower()


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", OTHERS)
def test_the_rest_serves_and_passes_its_tests(tmp_path: Path, name: str) -> None:
    """On a copy without the workflow the core's own tests pass."""
    copy = without(name, tmp_path)
    for each in ("tests", "eval"):
        shutil.copytree(
            ROOT / each, copy / each, ignore=shutil.ignore_patterns("__pycache__", "node_modules", "report")
        )
    with dev_server(copy, {"PYTHONPATH": str(copy / "src")}) as server:
        served = {each["graph_id"] for each in httpx.post(f"{server.url}/assistants/search", json={}).json()}
    assert served == {*NAMES, "ingest"} - {name}
    done(copy, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", *CORE_TESTS)

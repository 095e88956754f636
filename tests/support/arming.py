"""Lets the development server die at a chosen point of its work; the server's side is `armed_platform.py`."""

import json
from pathlib import Path

from tests.support.dev_server import ROOT

KILL_AT = "kill_at"
"""The file in the data folder that names the point; it is gone when the server has come there."""
SAVED, FORGOTTEN = "saved", "forgotten"
"""Whether the server had its state on the disk when it died, or died with what it had since its last look at the clock."""


def armed_project(folder: Path) -> dict[str, str]:
    """Let the server that works in `folder` load the armed platform; returns the settings that takes."""
    project = (
        (ROOT / "langgraph.json")
        .read_text()
        .replace("email_assistant.server.app:", "tests.support.armed_platform:")
    )
    (folder / "langgraph.json").write_text(project)
    assert json.loads(project)["graphs"]["ingest"] == "tests.support.armed_platform:ingest"
    return {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}


def arm(data: Path, point: str, state: str) -> None:
    """The server dies when it comes to this point the next time."""
    data.mkdir(parents=True, exist_ok=True)
    unfinished = data / f"{KILL_AT}.tmp"
    unfinished.write_text(f"{point} {state}")
    unfinished.rename(data / KILL_AT)

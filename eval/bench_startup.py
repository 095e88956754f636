"""How long `email-assistant serve` takes until it answers, beside a bare `langgraph dev` with a trivial graph.

Both are started by turns, each in a folder of its own that it has been started in once before, and asked every twentieth of a second
whether they are there (`/ok`). CPU is what the processes have used by then, all of them together: other work on the machine makes that
little longer, and seconds much.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

from eval.served.running import cpu_seconds
from tests.support.dev_server import free_port

ROUNDS = 7
Start = tuple[float, float]
"""Seconds until it was there, and of CPU."""
PATIENCE_SECONDS = 120.0
BIN = Path(sys.executable).parent
QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
}


def measure(rounds: int = ROUNDS) -> list[tuple[Start, Start]]:
    """Each one's start, round by round."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = Path(folder) / "ours", Path(folder) / "bare"
        ours.mkdir()
        _write_bare(bare)
        for _ in range(rounds + 1):
            serve, dev = str(free_port()), str(free_port())
            dev_options = ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--n-jobs-per-worker", "8"]
            found.append(
                (
                    _until_there(["email-assistant", "serve", "--port", serve], serve, ours),
                    _until_there(["langgraph", "dev", *dev_options, "--port", dev], dev, bare),
                )
            )
    return found[1:]


def _write_bare(folder: Path) -> None:
    folder.mkdir()
    (folder / "bare.py").write_bytes((Path(__file__).parent / "served" / "bare.py").read_bytes())
    config = {"dependencies": ["."], "graphs": {"bare": "./bare.py:graph"}}
    (folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")


def _until_there(words: Sequence[str], port: str, folder: Path) -> Start:
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "OPENAI", "DATABASE"))
    }
    command, quiet = [str(BIN / words[0]), *words[1:]], subprocess.DEVNULL
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=kept | QUIET, stdout=quiet, stderr=quiet)
    try:
        while time.perf_counter() - started < PATIENCE_SECONDS:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/ok", timeout=5).is_success:
                    return time.perf_counter() - started, sum(map(cpu_seconds, _family(process.pid)))
            except httpx.HTTPError:
                time.sleep(0.05)
        raise AssertionError(f"{words[0]} did not start")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def _family(pid: int) -> list[int]:
    """A process, and those that it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(each for child in children for each in _family(int(child)))]


def section() -> str:
    """The figures as Markdown."""
    ours, bare = zip(*measure(), strict=True)
    lines = ["## Start-up", "", " ".join((__doc__ or "").partition("\n\n")[0].split()), ""]
    lines += ["| | seconds, median | from–to | CPU seconds, median |", "|---|---|---|---|"]
    for name, starts in (("email-assistant serve", ours), ("langgraph dev, bare", bare)):
        seconds, cpu = zip(*starts, strict=True)
        spread = f"{min(seconds):.1f}–{max(seconds):.1f}"
        lines.append(
            f"| {name} | {statistics.median(seconds):.1f} | {spread} | {statistics.median(cpu):.1f} |"
        )
    (of_seconds, of_cpu) = (
        statistics.median(start[at] for start in ours) / statistics.median(start[at] for start in bare)
        for at in (0, 1)
    )
    lines += ["", f"Times the bare one: {of_seconds:.2f} in seconds, {of_cpu:.2f} in CPU."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(section())

"""A server of several workers over PostgreSQL and Redis: the free runtime `langgraph-runtime-pg` under stock langgraph-api.

It stands in for LangGraph's Agent Server in tests, and is recommended to nobody. It is of another langgraph-api than the project's, so its
packages are in an environment of their own, which finds all others in this one.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from filelock import FileLock

from tests.support.dev_server import ROOT, DevServer, free_port, link_project, wait_until_up

LOCK = Path(__file__).with_name("engine-requirements.lock")
ENVIRONMENT = Path(__file__).with_name("engine_environment")
INSTALL_SECONDS = 300
HEARTBEAT_SECONDS = 5
"""A killed worker's run is begun again after twice that."""


def installed() -> Path:
    """The folder of the environment's programs, made once for all test processes; raises `RuntimeError` with one line."""
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    stamp = ENVIRONMENT / ".installed"
    here = hashlib.sha256(str(ENVIRONMENT).encode()).hexdigest()[:16]
    with FileLock(
        Path(tempfile.gettempdir()) / f"email-assistant-engine-{here}.lock", timeout=INSTALL_SECONDS
    ):
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
            _done(sys.executable, "-m", "venv", str(ENVIRONMENT))
            pip = str(ENVIRONMENT / "bin" / "pip")
            _done(pip, "install", "--quiet", "--no-deps", "--require-hashes", "-r", str(LOCK))
            (packages,) = ENVIRONMENT.glob("lib/python*/site-packages")
            # After its own: what it has of another version comes first.
            ours = sysconfig.get_path("purelib")
            (packages / "zz_project.pth").write_text(f"{ours}\n", encoding="utf-8")
            stamp.write_text(wanted, encoding="utf-8")
    return ENVIRONMENT / "bin"


def _done(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {' '.join(done.stderr.split())[-300:]}")


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis that keeps nothing, and its URL."""
    port = free_port()
    command = [str(installed() / "redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with (folder / "redis.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait()


@dataclass
class Engine:
    """Workers that share a database, a Redis, and a data folder."""

    folder: Path
    settings: Mapping[str, str]
    database: str
    redis: str
    workers: list[DevServer] = field(default_factory=list)

    def start(self) -> DevServer:
        """One more worker, which answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        link_project(self.folder)
        # The engine keeps the graphs' states itself.
        config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
        config.pop("checkpointer")
        (self.folder / "engine.json").write_text(json.dumps(config), encoding="utf-8")
        outside = {k: v for k, v in os.environ.items() if not k.startswith(("EMAIL_ASSISTANT", "OPENAI"))}
        environment = outside | {
            "PYTHONPATH": str(ROOT / "src"),
            "DATABASE_URI": unquote(self.database),  # Its migrations take no percent sign.
            "DATABASE_URL": self.database,
            "REDIS_URI": self.redis,
            "LG_BG_JOB_HEARTBEAT": str(HEARTBEAT_SECONDS),
            "LANGSMITH_TRACING": "false",
            # Its thread makes a log handler while uvicorn goes through all of them, which may end the start.
            "LANGGRAPH_NO_VERSION_CHECK": "true",
            "EMAIL_ASSISTANT_DATA_DIR": str(self.folder / "data"),
            "EMAIL_ASSISTANT_LOOK_SECONDS": "0",
            "EMAIL_ASSISTANT_TRIED_RUNTIME": "pg",
            **self.settings,
        }
        port = free_port()
        log = self.folder / f"worker-{port}.log"
        command = [
            str(installed() / "langhost"), "serve", "--host", "127.0.0.1", "--port", str(port), "--no-browser",
            "--n-jobs-per-worker", "8", "-c", "engine.json",
        ]  # fmt: skip
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        worker = DevServer(f"http://127.0.0.1:{port}", process, log)
        self.workers.append(worker)
        wait_until_up(worker)
        return worker

    def stop(self) -> None:
        """End all that still run."""
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.process.send_signal(signal.SIGKILL)
                worker.kill()


@contextmanager
def engine(folder: Path, settings: Mapping[str, str], database: str) -> Iterator[Engine]:
    """No workers yet, on that empty PostgreSQL database."""
    folder.mkdir(parents=True, exist_ok=True)
    with redis(folder) as url:
        made = Engine(folder, settings, database, url)
        try:
            yield made
        finally:
            made.stop()

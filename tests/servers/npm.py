"""Installs the stand-ins' npm packages, once, however many test processes ask for them."""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock

FOLDER = Path(__file__).parent
INSTALL_SECONDS = 300


class MissingProgramError(RuntimeError):
    """node or npm is missing or too old; one line says which."""


def installed() -> Path:
    """The folder of the stand-ins with its node_modules as the lock file says.

    Raises `MissingProgramError`, and `RuntimeError` with one line when npm fails.
    """
    node()
    npm = _program("npm")
    wanted = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    stamp = FOLDER / "node_modules" / ".installed"
    with FileLock(_lock_file(), timeout=INSTALL_SECONDS):
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            done = subprocess.run(
                command, cwd=FOLDER, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
            )
            if done.returncode:
                raise RuntimeError(f"npm ci failed in {FOLDER.name}: {' '.join(done.stderr.split())[-300:]}")
            stamp.write_text(wanted, encoding="utf-8")
    return FOLDER


def _lock_file() -> Path:
    """One file for this checkout, outside node_modules (which npm removes) and outside the work tree."""
    checkout = hashlib.sha256(str(FOLDER).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"email-assistant-servers-{checkout}.lock"


def node() -> str:
    """The node program, 20 or newer; raises `MissingProgramError` when there is none."""
    program = _program("node")
    version = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < 20:
        raise MissingProgramError(f"the test stand-ins need node 20 or newer; this is {version}")
    return program


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingProgramError(
            f"the test stand-ins need {name} (node 20 or newer), which is not on the PATH"
        )
    return found

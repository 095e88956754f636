"""The installed command, driven as a user drives it: as a process of its own, on pipes or on a terminal."""

import os
import pty
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.dev_server import free_port
from tests.support.forked_commands import COMMAND, run_forked

SECONDS = 60
PERSON = {"EMAIL_ASSISTANT_EMAIL": "robin@vale.example", "EMAIL_ASSISTANT_NAME": "Robin Vale"}
OFFLINE = {"EMAIL_ASSISTANT_MODEL_FAST": "offline", "EMAIL_ASSISTANT_MODEL_STRONG": "offline"}
OURS = ("EMAIL_ASSISTANT", "OPENAI", "DATABASE_URL", "GMAIL", "VISUAL", "EDITOR")


@dataclass(frozen=True)
class Cli:
    """A user in a folder of their own, with a data folder."""

    folder: Path
    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    command: str = COMMAND

    def environment(self, **more: str) -> dict[str, str]:
        """The user's environment; nothing of this machine's settings is in it."""
        outside = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        here = {
            "EMAIL_ASSISTANT_DATA_DIR": str(self.data),
            "EMAIL_ASSISTANT_LOOK_SECONDS": "0",
            "TERM": "xterm",
            "COLUMNS": "100",
        }
        return outside | here | dict(self.settings) | more

    def run(self, *args: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """The command to its end; the installed one is forked, which saves its imports."""
        if self.command != COMMAND:
            return self.run_unprepared(*args, stdin=stdin, **more)
        environment = self.environment(**more)
        return run_forked(args, cwd=self.folder, env=environment, stdin=stdin, timeout=SECONDS)

    def run_unprepared(self, *args: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        """The command on pipes, to its end, started as users start it."""
        return subprocess.run(
            [self.command, *args],
            check=False,
            cwd=self.folder,
            env=self.environment(**more),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
        )

    @contextmanager
    def background(self, *args: str, **more: str) -> Iterator["Output"]:
        """The command while the block lasts, ended after it; a file takes its output, so that it never has to wait."""
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                [self.command, *args],
                cwd=self.folder,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            with _ended(process), open(f"/proc/self/fd/{log.fileno()}", "rb") as reader:
                yield Logged(process, reader.fileno())

    @contextmanager
    def terminal(self, *args: str, **more: str) -> Iterator["Output"]:
        """The command on a terminal of its own while the block lasts."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [self.command, *args],
            cwd=self.folder,
            env=self.environment(**more),
            preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509 - Ctrl-C needs a controlling terminal
        )
        os.close(theirs)
        try:
            with _ended(process):
                yield Output(process, ours)
        finally:
            os.close(ours)


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(SECONDS)


@dataclass
class Output:
    """What a running command prints, and what is typed to it."""

    process: subprocess.Popen[bytes]
    descriptor: int
    text: str = ""
    _read: int = 0
    _heard: float = 0.0
    """When something came, or waiting began: a busy machine may take long, but not in silence."""

    def until(self, wanted: str) -> str:
        """What came up to the wanted text, from where the last call ended."""
        self._heard = begun = time.monotonic()
        while (at := self.text.find(wanted, self._read)) < 0:
            if not self._more() or time.monotonic() > begun + 5 * SECONDS:
                raise AssertionError(f"{wanted!r} did not come; what came is:\n{self.text[self._read :]}")
        found, self._read = self.text[self._read : at + len(wanted)], at + len(wanted)
        return found

    def type(self, keys: str) -> None:
        """Type on the terminal."""
        os.write(self.descriptor, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C at a question, once it waits for keys: Python forgets one that comes in the instant before."""
        self.until(" ")  # Which readline writes after the question.
        for _ in range(100 * SECONDS):
            if Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "S":
                break
            select.select([], [], [], 0.01)
        self.type("\x03")

    def answer(self, keys: str) -> str:
        """Wait for the question, type the answer and Enter; returns what stood before the question."""
        before = self.until("Your answer")
        self.type(f"{keys}\r")
        return before

    def end(self) -> tuple[int, str]:
        """Wait for the end; the exit code and what was still printed."""
        self._heard = time.monotonic()
        while self._more():
            pass
        return self.process.wait(SECONDS), self.text[self._read :]

    def _more(self) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], SECONDS)
        if not ready:
            raise AssertionError(f"nothing more came; so far:\n{self.text[-3000:]}")
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:  # The terminal's other end was closed.
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)


class Logged(Output):
    """The output of a command that writes to a file."""

    def _more(self) -> bool:
        ended = self.process.poll() is not None
        data = os.read(self.descriptor, 65536)
        self.text += data.decode("utf-8", "replace")
        if data:
            self._heard = time.monotonic()
        elif time.monotonic() > self._heard + SECONDS:
            raise AssertionError(f"nothing more came; so far:\n{self.text[-3000:]}")
        if not data and not ended:
            select.select([], [], [], 0.05)  # A file offers nothing to wait on.
        return bool(data) or not ended


@dataclass(frozen=True)
class Running:
    """A user whose `run` is up."""

    cli: Cli
    port: int
    output: Output
    greeting: str


@contextmanager
def running(cli: Cli, *, command: str = "run", **more: str) -> Iterator[Running]:
    """`run` (or `serve`) on a free port until the block ends."""
    port = free_port()
    with cli.background(command, "--port", str(port), **more) as output:
        greeting = output.until("until Ctrl-C." if command == "run" else "Ctrl-C ends it.")
        yield Running(cli, port, output, greeting)


def servers_on(port: int) -> list[int]:
    """The ids of the processes that were started to serve the port."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"serve" in words and b"--port" in words and str(port).encode() in words:
            found.append(int(folder.name))
    return found


def told(result: Any) -> str:
    """The one line on stderr of a command that failed."""
    assert (result.returncode, result.stdout) == (1, ""), result
    (line,) = result.stderr.splitlines()
    assert line.startswith("email-assistant: ")
    return str(line)

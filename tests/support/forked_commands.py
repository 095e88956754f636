"""Installed commands in processes that are forked from one which has imported what they need: each begins in a moment, not in seconds.

What is about the process itself (a terminal, signals, how it starts) takes a process that nobody has prepared: `tests.e2e.cli_support`.
This file is run as a program, too: it is what the commands are forked from.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, Any

COMMANDS = Path(sys.executable).parent
COMMAND = str(COMMANDS / "email-assistant")
ENTRIES = {"email-assistant": "email_assistant.cli.main:main", "langgraph": "langgraph_cli.cli:cli"}
REQUEST_BYTES = 1 << 17
LATE = (
    "aiosqlite",
    "anyio._backends._asyncio",
    "httpcore",
    "icalendar",
    "typer.rich_utils",
)


class Forked:
    """A running process, told of as `subprocess.Popen` tells of one."""

    def __init__(self, status: IO[bytes]) -> None:
        """Waits until the process is there; `status` tells its id, then how it has ended."""
        self._status = status
        self.args = "a forked command"
        self.returncode: int | None = None
        self.pid = self._told()

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self.returncode is None and self._has_told(0):
            self.returncode = self._told()
            self._status.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has one; `subprocess.TimeoutExpired` after so many seconds."""
        if self.returncode is None:
            self._has_told(timeout)
        if (code := self.poll()) is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _has_told(self, timeout: float | None) -> bool:
        """Whether it has something to tell, waited for so many seconds. `select` knows no file above the 1,024th."""
        poll = select.poll()
        poll.register(self._status, select.POLLIN)
        return bool(poll.poll(None if timeout is None else timeout * 1000))

    def _told(self) -> int:
        if not (line := self._status.readline()):
            raise AssertionError("the process that commands are forked from has ended")
        return int(line)


def start_forked(
    command: str, args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdio: Sequence[IO[bytes]]
) -> Forked:
    """Start an installed command, of those in `ENTRIES`, in a session of its own, with what it reads, prints to and complains to."""
    os.umask(umask := os.umask(0o077))
    request = {"command": command, "args": list(args), "cwd": str(cwd), "env": dict(env), "umask": umask}
    reading, writing = os.pipe()
    try:
        files = [*(each.fileno() for each in stdio), writing]
        socket.send_fds(_parent(), [json.dumps(request).encode()], files)
    finally:
        os.close(writing)
    return Forked(open(reading, "rb", buffering=0))


def run_forked(
    args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """`email-assistant` to its end, as `subprocess.run` gives it; what it prints goes to files, which never keep it waiting.

    Raises `subprocess.TimeoutExpired` after so many seconds, and nothing of the process is left.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        process = start_forked("email-assistant", args, cwd=cwd, env=env, stdio=(given, out, err))
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            raise
        out.seek(0)
        err.seek(0)
        printed, complained = out.read().decode(), err.read().decode()
    return subprocess.CompletedProcess([COMMAND, *args], code, printed, complained)


@cache
def _parent() -> socket.socket:
    """The way to the process that forks; it ends with ours, when the other end of its socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, __file__], stdin=theirs, stdout=subprocess.DEVNULL, start_new_session=True
        )
    return ours


def _serve() -> Any:
    """Fork for each request, until there are none; returns in the forked processes only, with the command's function."""
    requests = socket.socket(fileno=os.dup(0))
    while True:
        message, files, _, _ = socket.recv_fds(requests, REQUEST_BYTES, 4)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            return _begun(json.loads(message), files)
        for each in files:
            os.close(each)


def _begun(request: dict[str, Any], files: list[int]) -> Any:
    """Go on as the command in a process of its own, while this one waits to tell its id and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, told = files
    if process := os.fork():
        os.write(told, f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    os.close(told)
    os.setsid()
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
    for stream in streams:
        os.close(stream)
    os.umask(request["umask"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [str(COMMANDS / request["command"]), *request["args"]]
    module, _, function = ENTRIES[request["command"]].partition(":")
    return getattr(import_module(module), function)


def _prepare() -> None:
    """Import the package, which only defines things, and what is imported only when a command works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A command that imports them itself says nothing of them either.
        import email_assistant

        for each in walk_packages(email_assistant.__path__, "email_assistant."):
            import_module(each.name)
        for name in LATE:
            import_module(name)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.path[0] = str(COMMANDS)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for those that wait for commands.
    _prepare()
    sys.exit(_serve()())

"""The installed command in processes that are forked from one which has imported what commands need: each begins in a moment, not in two
seconds.

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
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import BinaryIO

COMMAND = str(Path(sys.executable).parent / "email-assistant")
REQUEST_BYTES = 1 << 17
LATE = (
    "aiosqlite",
    "alembic.command",
    "anyio._backends._asyncio",
    "httpcore",
    "icalendar",
    "typer.rich_utils",
)


def run_forked(
    args: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str, timeout: float
) -> subprocess.CompletedProcess[str]:
    """The command to its end, as `subprocess.run` gives it; what it prints goes to files, which never keep it waiting.

    Raises `subprocess.TimeoutExpired` after so many seconds, and nothing of the process is left.
    """
    os.umask(umask := os.umask(0o077))
    request = {"args": list(args), "cwd": str(cwd), "env": dict(env), "umask": umask}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        code = _ended(json.dumps(request).encode(), [given, out, err], timeout)
        out.seek(0)
        err.seek(0)
        printed, complained = out.read().decode(), err.read().decode()
    return subprocess.CompletedProcess([COMMAND, *args], code, printed, complained)


def _ended(request: bytes, files: list[BinaryIO], timeout: float) -> int:
    """The exit code of the process: negative for a signal."""
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as told:
        try:
            socket.send_fds(_parent(), [request], [*(each.fileno() for each in files), writing])
        finally:
            os.close(writing)
        deadline, lines = time.monotonic() + timeout, b""
        while lines.count(b"\n") < 2:
            ready, _, _ = select.select([told], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                os.kill(int(lines.split()[0]), signal.SIGKILL)
                raise subprocess.TimeoutExpired(COMMAND, timeout)
            if not (more := told.read(100)):
                raise AssertionError("the process that commands are forked from has ended")
            lines += more
    return int(lines.split()[1])


@cache
def _parent() -> socket.socket:
    """The way to the process that forks; it ends with ours, when the other end of its socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen(
            [sys.executable, __file__], stdin=theirs, stdout=subprocess.DEVNULL, start_new_session=True
        )
    return ours


def _serve() -> list[str]:
    """Fork for each request, until there are none; returns in the forked processes only, with the command's words."""
    requests = socket.socket(fileno=os.dup(0))
    while True:
        message, files, _, _ = socket.recv_fds(requests, REQUEST_BYTES, 4)
        if not message:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            return _command(json.loads(message), files)
        for each in files:
            os.close(each)


def _command(request: dict[str, object], files: list[int]) -> list[str]:
    """Go on as the command in a process of its own, while this one waits to tell its id and how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, told = files
    if process := os.fork():
        os.write(told, f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    os.close(told)
    for descriptor, stream in enumerate(streams):
        os.dup2(stream, descriptor)
        os.close(stream)
    os.umask(int(str(request["umask"])))
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    return list(request["args"])  # type: ignore[call-overload]


def _prepare() -> None:
    """Import the package, which only defines things, and what is imported only when a command works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A command that imports them itself says nothing of them either.
        import email_assistant

        for each in walk_packages(email_assistant.__path__, "email_assistant."):
            if "migrations" not in each.name:
                import_module(each.name)
        for name in LATE:
            import_module(name)
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    sys.path[0] = str(Path(COMMAND).parent)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for those that wait for commands.
    _prepare()
    sys.argv = [COMMAND, *_serve()]
    from email_assistant.cli.main import main

    sys.exit(main())

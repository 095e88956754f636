"""Runs a stand-in as a process of its own."""

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

START_SECONDS = 30


@contextmanager
def serving(command: Sequence[str], title: str) -> Iterator[str]:
    """Run a server that prints {"url": …} as its first line; gives the URL, and ends the server with the block.

    Raises `RuntimeError` with one line, in which `title` names the server, when it does not start.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # A server that neither speaks nor dies is ended, which ends the wait for its first line.
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline() if process.stdout else ""
        watchdog.cancel()
        if not line:
            said = " ".join(process.communicate()[1].split())
            raise RuntimeError(f"{title} did not start: {said[-300:]}")
        yield json.loads(line)["url"]
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()

"""Where the browser brings Google's answer: a web server on this machine that takes it and ends (RFC 8252 §7.3).

Browsers open connections that they never use and ask for icons; none of that is mistaken for the answer.
"""

import errno
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from email_assistant.errors import ConfigError

HOST = "127.0.0.1"
SILENCE_SECONDS = 10.0
"""A connection that says nothing for so long is closed."""

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>email_assistant</title>
<body style="font:1.1rem/1.5 sans-serif;margin:4rem auto;max-width:32rem"><p>{}</p></body></html>"""
_TAKEN = "Thank you. You may close this page; the terminal says how it went."
_NOTHING = "There is nothing here."


@dataclass(frozen=True, slots=True)
class Listener:
    """The server while it listens."""

    port: int
    _answers: "queue.SimpleQueue[Mapping[str, str]]"

    @property
    def uri(self) -> str:
        """Where the browser is to be sent."""
        return f"http://{HOST}:{self.port}/"

    def wait(self, seconds: float) -> Mapping[str, str] | None:
        """The parameters of the first answer, or None when none came in time."""
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return None


@contextmanager
def listening(port: int = 0) -> Iterator[Listener]:
    """Listen on the port (0: a free one) while the block lasts; raises `ConfigError` when it cannot be had."""
    answers: queue.SimpleQueue[Mapping[str, str]] = queue.SimpleQueue()
    try:
        server = _Server((HOST, port), _Handler)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is taken" if taken else f"cannot be used ({error.strerror})"
        raise ConfigError(f"port {port} {why}: leave --port out, or choose another one") from None
    server.answers = answers
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Listener(server.server_address[1], answers)
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    # On Windows this option would let two programs have the same port.
    allow_reuse_address = os.name != "nt"
    daemon_threads = True
    answers: "queue.SimpleQueue[Mapping[str, str]]"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SILENCE_SECONDS

    def do_GET(self) -> None:
        """Take an answer; anything else is not found."""
        parts = urlsplit(self.path)
        told = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != "/" or "state" not in told or not ({"code", "error"} & set(told)):
            self._page(404, _NOTHING)
            return
        self._page(200, _TAKEN)
        self.server.answers.put(told)

    def _page(self, status: int, text: str) -> None:
        body = _PAGE.format(text).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        # The address of this page holds the code.
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """What answers is nobody's business."""
        return "email_assistant"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the request line holds the code."""

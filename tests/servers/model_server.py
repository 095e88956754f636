"""A real model server on the loopback whose answers a test writes down beforehand."""

import json
import subprocess
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from tests.servers import npm

START_SECONDS = 30
Answer = Mapping[str, Any]
"""An answer as `model_server.mjs` describes it."""


@dataclass(frozen=True)
class ModelServer:
    """A running server. Requests take the first answer that fits; without one they get a 400."""

    url: str

    @property
    def base_url(self) -> str:
        """What `OPENAI_BASE_URL` is set to."""
        return f"{self.url}/v1"

    def script(self, *answers: Answer) -> None:
        """Forget earlier answers and requests, and give these."""
        self._control("DELETE", "script")
        self._control("POST", "script", list(answers))

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What was received since `script`: method, path, headers and body of each request."""
        found: list[dict[str, Any]] = self._control("GET", "requests")
        return found

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The JSON bodies received since `script`."""
        return [r["body"] for r in self.requests]

    def _control(self, method: str, name: str, value: Any = None) -> Any:
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(f"{self.url}/__ctl/{name}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)


def tool_call(name: str, arguments: Mapping[str, Any] | str, **overrides: Any) -> Answer:
    """An answer that calls one tool; `arguments` as a string are sent as they are, valid or not."""
    return tool_calls((name, arguments), **overrides)


def tool_calls(*calls: tuple[str, Mapping[str, Any] | str], **overrides: Any) -> Answer:
    """An answer that calls several tools in one turn."""
    written = [{"name": n, "arguments": a if isinstance(a, str) else json.dumps(a)} for n, a in calls]
    return {"toolCalls": written} | overrides


def written_out(value: Mapping[str, Any], form: str = "json_schema", **overrides: Any) -> Answer:
    """An answer of a server that ignores tools and gives JSON to those who ask in this form, else text."""
    return {"content": json.dumps(value), "onlyBy": form} | overrides


def failing(status: int, message: str = "scripted", **headers: str) -> Answer:
    """A refusal in OpenAI's form; `retry_after="2"` is sent as the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"status": status, "headers": named, "body": {"error": {"message": message}}}


@contextmanager
def running_model_server(port: int = 0) -> Iterator[ModelServer]:
    """A server of one's own on a free port (or `port`), ended with the block.

    Raises `RuntimeError` with one line when node or npm is missing or the server does not start.
    """
    command = [npm.node(), str(npm.installed() / "model_server.mjs"), str(port)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # A server that neither speaks nor dies is ended, which ends the wait for its first line.
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    try:
        url = _url(process)
        watchdog.cancel()
        yield ModelServer(url)
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def _url(process: "subprocess.Popen[str]") -> str:
    output: IO[str] | None = process.stdout
    line = output.readline() if output else ""
    if not line:
        raise RuntimeError(
            f"the model server did not start: {' '.join(process.communicate()[1].split())[-300:]}"
        )
    url: str = json.loads(line)["url"]
    return url

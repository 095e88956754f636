"""A stand-in for Jira Cloud on loopback: what the claims desk uses of its REST API v3, with the faults that are asked for.

Issues are found by a search only when `indexed` is called, or at once when `lags` is False: like there, a new issue may not be
shown for a while.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

JQL = re.compile(r'labels = "([^"]+)" ORDER BY created ASC, key ASC')

CUT = "cut"
"""A fault: the request is carried out, and the connection ends before the answer."""


@dataclass
class World:
    """What a stand-in holds."""

    issues: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    """Method, path, headers in lower case, and body."""
    faults: list[tuple[str, int | str, dict[str, str]]] = field(default_factory=list)
    """For the next requests of a method: a status, `CUT`, or "hang" until `release`; with headers."""
    lags: bool = False
    seen: int = 0
    release: threading.Event = field(default_factory=threading.Event)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def indexed(self) -> None:
        """From now on the search shows all issues."""
        self.seen = len(self.issues)

    def fault(self, method: str, what: int | str, **headers: str) -> None:
        """The next request of this method that has no fault yet gets this one."""
        self.faults.append((method, what, {name.replace("_", "-"): value for name, value in headers.items()}))

    def take_fault(self, method: str) -> tuple[int | str, dict[str, str]] | None:
        """The fault of this request."""
        with self.guard:
            for each in self.faults:
                if each[0] == method:
                    self.faults.remove(each)
                    return each[1], each[2]
        return None

    def asked(self, method: str) -> list[tuple[str, dict[str, str], Any]]:
        """The requests of a method: path, headers, body."""
        return [(path, headers, body) for each, path, headers, body in self.requests if each == method]


class Answering(BaseHTTPRequestHandler):
    """One connection; subclasses say what a request does."""

    world: World

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Read."""
        self._serve("GET")

    def do_HEAD(self) -> None:
        """Look."""
        self._serve("HEAD")

    def do_POST(self) -> None:
        """Write."""
        self._serve("POST")

    def act(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """Carry the request out: status and JSON."""
        raise NotImplementedError

    def _serve(self, method: str) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.world.guard:
            self.world.requests.append((method, parts.path, headers, body))
        fault = self.world.take_fault(method)
        if fault and isinstance(fault[0], int):
            return self._answer(fault[0], {"errorMessages": ["a fault"]}, fault[1])
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with self.world.guard:
            status, answer = self.act(method, parts.path, query, body)
        if fault and fault[0] == "hang":
            self.world.release.wait(30)
        if fault:
            self.close_connection = True
            return None
        return self._answer(status, answer, {})

    def _answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


class Jira(Answering):
    """What Jira does."""

    def act(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """Create, search, and tell who one is."""
        match method, path:
            case "POST", "/rest/api/3/issue":
                return self._create(body["fields"])
            case "GET", "/rest/api/3/search/jql":
                return self._search(query)
            case "GET", "/rest/api/3/myself":
                return 200, {"displayName": "Claims Bot"}
            case "GET", "/rest/api/3/project/CLAIMS":
                return 200, {"key": "CLAIMS", "issueTypes": [{"name": "Task"}, {"name": "Bug"}]}
        return 404, {"errorMessages": ["No project could be found with key."], "errors": {}}

    def _create(self, fields: dict[str, Any]) -> tuple[int, Any]:
        if fields["issuetype"] != {"name": "Task"}:
            return 400, {"errorMessages": [], "errors": {"issuetype": "Specify a valid issue type"}}
        assert "\n" not in fields["summary"]
        assert 0 < len(fields["summary"]) < 256
        assert all(" " not in label for label in fields["labels"])
        issue = {
            "id": str(10_000 + len(self.world.issues)),
            "key": f"CLAIMS-{len(self.world.issues) + 1}",
            "fields": fields
            | {
                "created": "2026-11-20T10:30:00.000+0100",
                "status": {"name": "To Do", "statusCategory": {"key": "new"}},
            },
        }
        self.world.issues.append(issue)
        if not self.world.lags:
            self.world.indexed()
        return 201, {"id": issue["id"], "key": issue["key"], "self": "…"}

    def _search(self, query: dict[str, str]) -> tuple[int, Any]:
        wanted = JQL.fullmatch(query["jql"])
        assert wanted, query["jql"]
        shown = [
            issue for issue in self.world.issues[: self.world.seen] if wanted[1] in issue["fields"]["labels"]
        ]
        names = query["fields"].split(",")
        told = [
            {"id": issue["id"], "key": issue["key"], "fields": {n: issue["fields"][n] for n in names}}
            for issue in shown[: int(query["maxResults"])]
        ]
        return 200, {"issues": told, "isLast": len(shown) <= len(told)}


@contextmanager
def served(handler: type[Answering], world: World) -> Iterator[str]:
    """The address of a stand-in, until the block ends."""
    bound: Callable[..., Answering] = type("Bound", (handler,), {"world": world})
    server = ThreadingHTTPServer(("127.0.0.1", 0), bound)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        world.release.set()
        server.shutdown()
        thread.join()
        server.server_close()

"""CalDAV servers on loopback: Radicale, and Xandikos, which writes to guests where it is not told otherwise."""

import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

import httpx

from email_assistant.mail_accounts import Account, CalendarServer
from tests.support.dev_server import free_port
from tests.support.mail_servers import LOCAL, PASSWORD, server_process

D, C = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}"
ME = "robin@example.com"


@dataclass(frozen=True)
class CaldavServer:
    """Where it listens, and what another program of its user does there."""

    kind: str
    base: str
    home: str
    """The path of the user's calendars."""
    login: str
    password: str = PASSWORD

    def fresh(self) -> "CaldavServer":
        """The same with no calendar yet: Radicale lets in whom it does not know."""
        if self.kind == "xandikos":
            for each in self.calendars():
                self.ask("DELETE", each)
            return self
        login = uuid4().hex[:12]
        return replace(self, login=login, home=f"/{login}/")

    def account(self, url: str = "") -> Account:
        """The user's account, at the server or at one of its calendars."""
        return Account(email=ME, calendar=CalendarServer(url=self.base + url, login=self.login))

    def ask(
        self, method: str, path: str, body: str | bytes = b"", headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """One request."""
        auth, headers = (self.login, self.password), {"Content-Type": "application/xml", **(headers or {})}
        return httpx.request(method, self.base + path, content=body, headers=headers, auth=auth, timeout=30)

    def make(self, name: str, title: str = "", more: str = "") -> str:
        """A calendar; its path. `more` are further properties."""
        path = f"{self.home}{name}/"
        body = (
            '<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>'
            f"<D:displayname>{title or name}</D:displayname>{more}</D:prop></D:set></C:mkcalendar>"
        )
        told = self.ask("MKCALENDAR", path, body)
        assert told.status_code == 201, told.text
        return path

    def calendars(self) -> list[str]:
        """The paths of the user's calendars."""
        told = self.ask("PROPFIND", self.home, headers={"Depth": "1"})
        return [
            path
            for response in ElementTree.fromstring(told.content).iter(f"{D}response")
            if response.find(f".//{C}calendar") is not None and (path := response.findtext(f"{D}href"))
        ]

    def put(self, calendar: str, name: str, raw: bytes) -> None:
        """A text into a calendar, in the place of what is called so there."""
        self.ask("PUT", f"{calendar}{name}", raw, {"Content-Type": "text/calendar"}).raise_for_status()

    def texts(self, calendar: str) -> dict[str, bytes]:
        """What is in a calendar, by its path."""
        told = self.ask("PROPFIND", calendar, headers={"Depth": "1"})
        hrefs = [e.text or "" for e in ElementTree.fromstring(told.content).iter(f"{D}href")]
        return {each: self.ask("GET", each).content for each in hrefs if each.endswith(".ics")}


@contextmanager
def radicale(users: Mapping[str, str] | None = None) -> Iterator[CaldavServer]:
    """Lets in everybody, or those of whom the passwords are given; it invites nobody."""
    port, folder = free_port(), Path(tempfile.mkdtemp(prefix="radicale"))
    options = [f"--server-hosts={LOCAL}:{port}", f"--storage-filesystem-folder={folder / 'kept'}"]
    if users is None:
        options += ["--auth-type=none"]
    else:
        (folder / "users").write_text("".join(f"{name}:{word}\n" for name, word in users.items()), "utf-8")
        options += ["--auth-type=htpasswd", f"--auth-htpasswd-filename={folder / 'users'}"]
        options += ["--auth-htpasswd-encryption=plain", "--auth-delay=0"]
    try:
        with server_process([sys.executable, "-m", "radicale", "--config", "", *options], port):
            yield CaldavServer("radicale", f"http://{LOCAL}:{port}", "/robin/", "robin")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def xandikos() -> Iterator[CaldavServer]:
    """Asks for no password, and says that it schedules (RFC 6638)."""
    port, folder = free_port(), Path(tempfile.mkdtemp(prefix="xandikos"))
    options = ["serve", "-d", str(folder / "kept"), "--defaults", "--current-user-principal", "/robin/"]
    options += ["-l", LOCAL, "-p", str(port), "--state-dir", str(folder / "state")]
    try:
        with server_process([sys.executable, "-m", "xandikos", *options], port):
            yield CaldavServer("xandikos", f"http://{LOCAL}:{port}", "/robin/calendars/", "robin")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Between:
    """A proxy in front of a server, for what none of them does."""

    port: int = 0
    refused: frozenset[str] = frozenset()
    """Words of requests that the server does not know: they are answered with 501."""
    lost: str = ""
    """The answer to the next request of this method is lost, after the server has done it."""
    before: Callable[[], None] | None = None
    """What another program does just before the next event is written."""
    instead: tuple[bytes, bytes] | None = None
    """What answers say, and what is passed on in its place."""
    seen: list[str] = field(default_factory=list)
    """The methods that came."""


@contextmanager
def between(server: CaldavServer) -> Iterator[tuple[CaldavServer, Between]]:
    """The server behind such a proxy."""
    proxy = Between()

    class Passing(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65_537)
            self.close_connection = True
            if not self.raw_requestline or not self.parse_request():
                return
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            proxy.seen.append(self.command)
            if any(word.encode() in body for word in proxy.refused):
                self.send_error(501)
                return
            if self.command == "PUT" and (before := proxy.before):
                proxy.before = None
                before()
            kept = {k: v for k, v in self.headers.items() if k.lower() not in {"host", "accept-encoding"}}
            told = httpx.request(self.command, server.base + self.path, content=body, headers=kept)
            if self.command == proxy.lost:
                proxy.lost = ""
                return
            content = told.content.replace(*proxy.instead) if proxy.instead else told.content
            self.send_response(told.status_code)
            for name in {"etag", "dav", "location", "content-type", "www-authenticate"} & set(told.headers):
                self.send_header(name, told.headers[name])
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer((LOCAL, 0), Passing) as listening:
        threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True).start()
        proxy.port = listening.server_address[1]
        try:
            yield replace(server, base=f"http://{LOCAL}:{proxy.port}"), proxy
        finally:
            listening.shutdown()

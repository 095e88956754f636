"""A stand-in for Microsoft's sign-in on loopback, and mail servers that let its tokens in: it does what Microsoft's pages say.

Discovery, a code for a device (RFC 8628), tokens, and their renewal, each of which ends the refresh token before it.
"""

import json
import shutil
import tempfile
import threading
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from aiosmtpd.smtp import AuthResult

from tests.support.mail_servers import LOCAL, ImapServer, Relay, dovecot, pymap
from tests.support.mail_tls import Certified

CLIENT_ID = "11111111-2222-3333-4444-555555555555"
CODE = "ABCD-EFGH"
MAY = ("IMAP.AccessAsUser.All", "SMTP.Send")
REASON = b'{"status":"401"}'
PENDING = "authorization_pending"
PATH = "/common/oauth2/v2.0"
DOVECOT = """
auth_mechanisms = plain xoauth2
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {file}
}}
"""


@dataclass
class SignIns:
    """What it has given, and how it answers."""

    user: str
    authority: str = ""
    """What the program is told of it."""
    place: str = ""
    """Where servers ask whose token one is; the token ends it."""
    seconds: int = 3_600
    """How long a token is good."""
    refusal: str = ""
    """What is answered instead of a token."""
    waits: int = 0
    """How often the code is not typed in yet."""
    asked: list[dict[str, str]] = field(default_factory=list)
    """The forms that codes and tokens were asked for with."""
    tokens: set[str] = field(default_factory=set)
    """Those that are good."""
    refreshing: set[str] = field(default_factory=set)
    """Those that bring others, each once."""
    given: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Status and JSON."""
        if path == "/tokeninfo":
            is_good = form["access_token"] in self.tokens
            return (200, {"email": self.user}) if is_good else (401, {"error": "invalid_token"})
        if path.endswith("/openid-configuration"):
            ends = {"authorization": "authorize", "token": "token", "device_authorization": "devicecode"}
            base = self.authority.removesuffix("/common") + PATH
            return 200, {f"{name}_endpoint": f"{base}/{end}" for name, end in ends.items()}
        self.asked.append(form)
        if path == f"{PATH}/devicecode":
            told = {
                "device_code": "device",
                "user_code": CODE,
                "verification_uri": "https://login.example/device",
            }
            return 200, told | {"expires_in": 900, "interval": 1, "message": "unused"}
        assert path == f"{PATH}/token", path
        is_early = self.waits > 0 and "device_code" in form
        self.waits -= is_early
        if error := self.refusal or (PENDING if is_early else ""):
            return 400, {"error": error, "error_description": f"AADSTS70000: {error}.\r\nTrace ID: 1\r\n"}
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.refreshing:
                return 400, {
                    "error": "invalid_grant",
                    "error_description": "AADSTS70000: used.\r\nTrace ID: 1",
                }
            self.refreshing.remove(form["refresh_token"])
        return 200, self._token(form["client_id"])

    def _token(self, client_id: str) -> dict[str, Any]:
        self.given += 1
        access, refresh = f"access-token-{self.given}", f"refresh-token-{self.given}"
        self.tokens.add(access)
        self.refreshing.add(refresh)
        claims = {"sub": "1", "oid": "1", "tid": "2", "aud": client_id, "preferred_username": self.user}
        return {
            "token_type": "Bearer", "access_token": access, "refresh_token": refresh, "expires_in": self.seconds,
            "id_token": f"{_part({})}.{_part(claims)}.", "client_info": _part({"uid": "1", "utid": "2"}),
            "scope": " ".join(f"https://outlook.office.com/{each}" for each in MAY),
        }  # fmt: skip


def _part(values: dict[str, str]) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@contextmanager
def microsoft(shows: Certified, user: str) -> Iterator[SignIns]:
    """The stand-in, until the block ends: with TLS for the program, in clear for servers that ask whose a token is."""
    made = SignIns(user)

    class Answering(BaseHTTPRequestHandler):
        """One connection."""

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Answer what the address asks."""
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            form = {name: values[0] for name, values in parse_qs(f"{parts.query}&{raw}").items()}
            with made.guard:
                status, told = made.answer(parts.path, form)
            content = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

    servers = [ThreadingHTTPServer((LOCAL, 0), Answering) for _ in range(2)]
    servers[0].socket = shows.context.wrap_socket(servers[0].socket, server_side=True)
    made.authority = f"https://{LOCAL}:{servers[0].server_port}/common"
    made.place = f"http://{LOCAL}:{servers[1].server_port}/tokeninfo?access_token="
    for each in servers:
        threading.Thread(target=each.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield made
    finally:
        for each in servers:
            each.shutdown()
            each.server_close()


@contextmanager
def token_pymap(sign_ins: SignIns) -> Iterator[ImapServer]:
    """pymap that lets the stand-in's tokens in."""
    program = str(Path(__file__).with_name("token_pymap.py")), sign_ins.place
    with pymap(program=program, user=sign_ins.user) as server:
        yield server


@contextmanager
def token_dovecot(sign_ins: SignIns) -> Iterator[ImapServer]:
    """Dovecot that does."""
    folder = Path(tempfile.mkdtemp(prefix="oa", dir="/tmp"))
    folder.chmod(0o755)  # Its own user reads it.
    file = folder / "oauth2.conf"
    file.write_text(f"tokeninfo_url = {sign_ins.place}\nusername_attribute = email\n", encoding="utf-8")
    try:
        with dovecot(sign_ins.user, DOVECOT.format(file=file)) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class TokenRelay(Relay):
    """A relay that lets its user in by a token; to a wrong one it says why, and waits for an empty line."""

    sign_ins: SignIns | None = None
    answers: list[bytes] = field(default_factory=list)
    """What followed on that."""

    async def auth_XOAUTH2(self, server: Any, args: list[str]) -> AuthResult:
        """Whether the token is good."""
        assert self.sign_ins is not None
        said = b64decode(args[1]).decode()
        if said in {f"user={self.sign_ins.user}\1auth=Bearer {each}\1\1" for each in self.sign_ins.tokens}:
            return AuthResult(success=True)
        await server.push(f"334 {b64encode(REASON).decode()}")
        self.answers.append(await server._reader.readline())
        return AuthResult(success=False, handled=False)

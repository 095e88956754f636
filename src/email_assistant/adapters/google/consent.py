"""Signing in: a person consents in a browser, Google answers with a code, the code is exchanged for a token.

The flow is that of an installed application (RFC 8252) with PKCE (RFC 7636); the addresses come from `Places`, never
from the client's file. The browser brings Google's answer to a web server on this machine that takes it and ends (§7.3);
browsers open connections that they never use and ask for icons, and none of that is mistaken for the answer.
"""

import errno
import ipaddress
import json
import os
import queue
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from google.oauth2.credentials import Credentials
from google_auth_oauthlib.flow import InstalledAppFlow

from email_assistant.adapters.google.access import OAuthClient, Places, missing_scopes, title
from email_assistant.errors import (
    AccessError,
    ConfigError,
    EmailAssistantError,
    ProviderError,
    TransientError,
)

WAIT_SECONDS = 300.0
EXCHANGE_SECONDS = 30.0
AGAIN = "run `email-assistant gmail auth` again"
_NEW_CLIENT = "download its JSON from the Google console again and name it with --client"

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


def sign_in(
    places: Places,
    client: OAuthClient,
    scopes: Sequence[str],
    show: Callable[[str, str], None],
    *,
    port: int = 0,
    seconds: float = WAIT_SECONDS,
) -> Credentials:
    """Ask for consent and return credentials that have every one of `scopes`, and a refresh token. Blocks.

    `show` gets the address to open in a browser, and the one on this machine that Google's answer will come to;
    `port` is that address's port (0: a free one). The answer is waited for at most `seconds`.

    Raises `AccessError` for a consent that was refused, partial, late or somebody else's, `ConfigError` for a
    client or port that will not do, `TransientError` or `ProviderError` for what goes wrong at Google.
    """
    flow = InstalledAppFlow.from_client_config(_config(places, client), scopes=list(scopes))
    flow.oauth2session.register_compliance_hook("access_token_response", _checked)
    with _allowing_http(places), listening(port) as listener:
        flow.redirect_uri = listener.uri
        url, state = flow.authorization_url(access_type="offline", prompt="consent")
        show(url, listener.uri)
        code = _code(listener, state, seconds)
        token = _exchange(flow, code)
    return _credentials(token, places, client, scopes)


def _config(places: Places, client: OAuthClient) -> dict[str, Any]:
    return {
        "installed": {
            "client_id": client.client_id,
            "client_secret": client.client_secret,
            "auth_uri": places.auth_uri,
            "token_uri": places.token_uri,
        }
    }


@contextmanager
def _allowing_http(places: Places) -> Iterator[None]:
    """Let oauthlib talk to a stand-in for Google on this machine, and take a consent to less than was asked for."""
    switches = {"OAUTHLIB_RELAX_TOKEN_SCOPE": "1"}
    if urlsplit(places.token_uri).scheme == "http":
        if not _is_here(places.token_uri):
            raise ConfigError(
                "EMAIL_ASSISTANT_GOOGLE_ENDPOINT is http on another machine, where a sign-in could be read on the way: "
                "use https"
            )
        switches["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    before = {name: os.environ.get(name) for name in switches}
    os.environ.update(switches)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _code(listener: Listener, state: str, seconds: float) -> str:
    answer = listener.wait(seconds)
    if answer is None:
        raise AccessError(f"nobody consented within {seconds / 60:.0f} minutes; nothing was saved: {AGAIN}")
    if not secrets.compare_digest(answer.get("state", "").encode(), state.encode()):
        raise AccessError(
            f"the browser's answer belongs to another sign-in; {AGAIN} and use the link it prints"
        )
    if "error" in answer:
        raise _refused(answer["error"])
    return answer["code"]


def _refused(error: str) -> AccessError:
    if error == "access_denied":
        return AccessError(
            f"access was refused in the browser; nothing was saved: {AGAIN} and press Allow (while the app is in testing, "
            "only its test users can)"
        )
    return AccessError(f"Google did not ask for consent ({error[:100]}); nothing was saved: {AGAIN}")


def _exchange(flow: InstalledAppFlow, code: str) -> Mapping[str, Any]:
    try:
        # With the client in the body, as Google's own documentation sends it.
        token: Mapping[str, Any] = flow.fetch_token(
            code=code, include_client_id=True, timeout=EXCHANGE_SECONDS
        )
    except requests.RequestException as error:
        raise TransientError(
            f"Google's sign-in service cannot be reached ({type(error).__name__}): check the connection, then {AGAIN}"
        ) from None
    return token


def _checked(response: requests.Response) -> requests.Response:
    """The token endpoint's answer when it holds a token (RFC 6749 §5.1); raises what else it means."""
    if response.status_code >= 500:
        raise TransientError(f"Google's sign-in service failed ({response.status_code}): {AGAIN} later")
    try:
        told = json.loads(response.text)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise ProviderError(f"Google's sign-in service gave no token ({response.status_code}): {AGAIN} later")
    if response.status_code != 200 or "error" in told:
        code = " ".join(str(told.get("error") or response.status_code).split())
        raise _exchange_error(code, " ".join(str(told.get("error_description") or "").split()))
    if not _is_usable(told):
        raise ProviderError(f"Google's sign-in service gave a token that cannot be used: {AGAIN} later")
    return response


def _is_usable(told: Mapping[str, Any]) -> bool:
    token, seconds, scope = told.get("access_token"), told.get("expires_in", 3600), told.get("scope", "")
    holds = type(seconds) is int and 0 < seconds < 10**9
    return isinstance(token, str) and bool(token) and holds and isinstance(scope, str)


def _exchange_error(code: str, description: str) -> EmailAssistantError:
    match code:
        case "invalid_client" | "unauthorized_client":
            return ConfigError(
                f"Google does not know the OAuth client, or its secret is wrong: {_NEW_CLIENT}"
            )
        case "redirect_uri_mismatch":
            return ConfigError(
                "the OAuth client is not of type Desktop app: create one of that type in the console"
            )
        case "invalid_grant":
            return AccessError(
                f"Google did not take the code (used already, too old, or this machine's clock is wrong): {AGAIN}"
            )
    return ProviderError(f"Google's sign-in service refused ({code[:60]}): {description[:200] or AGAIN}")


def _credentials(
    token: Mapping[str, Any], places: Places, client: OAuthClient, asked: Sequence[str]
) -> Credentials:
    # An answer that names no scope granted all that was asked for (RFC 6749 §5.1).
    granted = [str(scope) for scope in token.get("scope") or asked]
    if missing := missing_scopes(granted, asked):
        names = " and ".join(f'"{title(scope)}"' for scope in missing)
        raise AccessError(f"consent was given without {names}; nothing was saved: {AGAIN} and tick every box")
    if not token.get("refresh_token"):
        raise AccessError(
            "Google gave no refresh token; nothing was saved: remove the app at "
            f"https://myaccount.google.com/connections, then {AGAIN}"
        )
    expires = token.get("expires_at")
    return Credentials(
        token["access_token"],
        refresh_token=str(token["refresh_token"]),
        token_uri=places.token_uri,
        client_id=client.client_id,
        client_secret=client.client_secret,
        scopes=granted,
        # google-auth compares with a naive time in UTC.
        expiry=datetime.fromtimestamp(expires, UTC).replace(tzinfo=None) if expires else None,
    )


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

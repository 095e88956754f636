"""Access to Google: its addresses, the OAuth client, the account's token and its permissions.

All of Google may be at one base URL, as a stand-in is. Client and token come from settings, else from files in the data folder.
"""

import json
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

import googleapiclient
from google.oauth2.credentials import Credentials

from email_assistant.adapters.files import write_atomically
from email_assistant.errors import AccessError, ConfigError, EmailAssistantError
from email_assistant.settings import Settings

TOKEN_FILE = "gmail_token.json"  # noqa: S105 - a file's name
SECRET_FILE = "gmail_secret.json"  # noqa: S105 - a file's name
SIGN_IN = "run `email-assistant gmail auth`"
NEW_CLIENT = "download the client's JSON from the Google console, as docs/google.md tells"
PRIVATE = 0o600

_PREFIX = "https://www.googleapis.com/auth/"
GMAIL_SCOPE = f"{_PREFIX}gmail.modify"
CALENDAR_SCOPES = _EVENTS, _CALENDARS = f"{_PREFIX}calendar.events", f"{_PREFIX}calendar.readonly"
_WIDER = {
    GMAIL_SCOPE: {"https://mail.google.com/"},
    _EVENTS: {f"{_PREFIX}calendar"},
    _CALENDARS: {f"{_PREFIX}calendar"},
}
"""Scopes that include another one."""

_TITLES = {
    GMAIL_SCOPE: "Read, compose and send emails from your Gmail account",
    _EVENTS: "View and edit events on all your calendars",
    _CALENDARS: "See and download any calendar you can access using your Google Calendar",
}

Service = Literal["gmail", "calendar"]

VERSIONS: dict[Service, str] = {"gmail": "v1", "calendar": "v3"}
_DOCUMENTS = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"


@dataclass(frozen=True, slots=True)
class Places:
    """Every address the program talks to Google at; `endpoint` is `EMAIL_ASSISTANT_GOOGLE_ENDPOINT`, or None."""

    endpoint: str | None = None

    @property
    def auth_uri(self) -> str:
        """Where a person consents."""
        return f"{self._base or 'https://accounts.google.com'}/o/oauth2/v2/auth"

    @property
    def token_uri(self) -> str:
        """Where codes and refresh tokens are exchanged."""
        return f"{self._base}/oauth2/token" if self.endpoint else "https://oauth2.googleapis.com/token"

    def document(self, service: Service) -> dict[str, Any]:
        """The service's discovery document, so that its calls go to these places.

        Its root URL is rewritten: the client's `api_endpoint` option leaves uploads on Google's hosts.
        """
        document = dict(_document(service))
        if self.endpoint:
            document["rootUrl"] = f"{self._base}/"
            document["baseUrl"] = document["rootUrl"] + document["servicePath"]
            document.pop("mtlsRootUrl", None)
        return document

    @property
    def _base(self) -> str:
        return (self.endpoint or "").rstrip("/")


@cache
def _document(service: Service) -> dict[str, Any]:
    file = _DOCUMENTS / f"{service}.{VERSIONS[service]}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """The program as Google knows it."""

    client_id: str
    client_secret: str


@dataclass
class GoogleTokens:
    """Reads and keeps the account's token.

    `token` and `secret` are the values of `GMAIL_TOKEN` and `GMAIL_SECRET`; what they leave out is looked for in
    `folder`. A token that was refreshed is written back to its file (mode 600); one from the settings stays there.
    """

    places: Places
    folder: Path
    token: str | None = None
    secret: str | None = None
    _writing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of the account that settings name."""
        token, secret = settings.gmail_token, settings.gmail_secret
        return cls(
            Places(settings.google_endpoint),
            settings.data_path,
            token=token.get_secret_value() if token else None,
            secret=secret.get_secret_value() if secret else None,
        )

    @property
    def token_path(self) -> Path:
        """The token's file."""
        return self.folder / TOKEN_FILE

    @property
    def secret_path(self) -> Path:
        """The OAuth client's file, as the Google console gives it."""
        return self.folder / SECRET_FILE

    def load(self) -> Credentials:
        """The credentials; raises `AccessError` when nobody has signed in, `ConfigError` for what cannot be read."""
        source, text = "GMAIL_TOKEN", self.token
        if not text:
            nobody = (
                "nobody has signed in to Google yet: run `email-assistant gmail auth`, or set GMAIL_TOKEN"
            )
            source, text = str(self.token_path), _text_of(self.token_path, AccessError(nobody))
        return self._credentials(_json_object(text, source, SIGN_IN), source)

    def client(self) -> OAuthClient:
        """The OAuth client; raises `ConfigError` that says what is wrong with it, or that there is none."""
        if self.secret:
            return read_client(self.secret, "GMAIL_SECRET")
        path = self.secret_path
        none = f"no OAuth client: download its JSON from the Google console to {path}, or set GMAIL_SECRET"
        return read_client(_text_of(path, ConfigError(none)), str(path))

    def save(self, credentials: Credentials) -> None:
        """Keep the credentials in the token's file, readable by its owner only; no-op when `GMAIL_TOKEN` is set."""
        if self.token:
            return
        with self._writing:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.token_path.exists():
                os.chmod(self.token_path, PRIVATE)  # A new file is private anyhow, an old one keeps its mode.
            write_atomically(self.token_path, credentials.to_json().encode())

    def _credentials(self, values: dict[str, Any], source: str) -> Credentials:
        if not values.get("token") and not values.get("refresh_token"):
            raise ConfigError(f"{source} has neither 'token' nor 'refresh_token': {SIGN_IN}")
        client = self._client_of(values)
        return Credentials(
            values.get("token") or None,
            refresh_token=values.get("refresh_token") or None,
            # Never the file's own word: a token is exchanged at Google, or where the endpoint setting says.
            token_uri=self.places.token_uri,
            client_id=client.client_id,
            client_secret=client.client_secret,
            scopes=_scopes(values),
            expiry=_expiry(values, source),
        )

    def _client_of(self, values: dict[str, Any]) -> OAuthClient:
        if values.get("client_id") and values.get("client_secret"):
            return OAuthClient(str(values["client_id"]), str(values["client_secret"]))
        if values.get("refresh_token"):
            return self.client()
        return OAuthClient("", "")


def read_client(text: str, source: str) -> OAuthClient:
    """The OAuth client in the console's JSON; raises `ConfigError` naming `source` and what is missing."""
    client = _json_object(text, source, NEW_CLIENT)
    inner = client.get("installed") or client.get("web") or client
    if client.get("type") == "service_account":
        raise ConfigError(f"{source} is a service account's key: create an OAuth client of type Desktop app")
    if "web" in client and "installed" not in client:
        raise ConfigError(f"{source} is a client of type Web application: create one of type Desktop app")
    if not isinstance(inner, dict) or not inner.get("client_id") or not inner.get("client_secret"):
        raise ConfigError(f"{source} has no 'client_id' and 'client_secret': {NEW_CLIENT}")
    return OAuthClient(str(inner["client_id"]), str(inner["client_secret"]))


def _text_of(path: Path, missing: EmailAssistantError) -> str:
    """The text of the file; raises `missing` when there is none, `ConfigError` when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise missing from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None


def _json_object(text: str, source: str, mend: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        raise ConfigError(f"{source} is not JSON: {mend}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{source} is not a JSON object: {mend}")
    return value


def _scopes(values: dict[str, Any]) -> list[str] | None:
    scopes = values.get("scopes") or values.get("scope")
    if isinstance(scopes, str):
        return scopes.split()
    return [str(s) for s in scopes] if isinstance(scopes, list) else None


def _expiry(values: dict[str, Any], source: str) -> datetime | None:
    value = values.get("expiry")
    if not value:
        return None
    try:
        instant = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        raise ConfigError(f"{source} has an unreadable 'expiry': {str(value)[:40]}") from None
    # google-auth compares with a naive time in UTC.
    return instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant


def needed_scopes(*, gmail: bool = True, calendar: bool = True) -> tuple[str, ...]:
    """The scopes that the mailbox and the calendar need, and no more."""
    return ((GMAIL_SCOPE,) if gmail else ()) + (CALENDAR_SCOPES if calendar else ())


def missing_scopes(granted: Iterable[str], needed: Sequence[str]) -> list[str]:
    """Those of the needed scopes that the granted ones do not include, in order."""
    have = set(granted)
    return [scope for scope in needed if scope not in have and not _WIDER.get(scope, set()) & have]


def title(scope: str) -> str:
    """The permission in the words of Google's consent page, else the scope without its prefix."""
    return _TITLES.get(scope, scope.removeprefix(_PREFIX))

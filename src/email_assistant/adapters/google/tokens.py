"""The token of the account and the OAuth client: from settings, else from files in the data folder."""

import json
import os
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from google.oauth2.credentials import Credentials

from email_assistant.adapters.files import write_atomically
from email_assistant.adapters.google.places import Places
from email_assistant.errors import AccessError, ConfigError

TOKEN_FILE = "gmail_token.json"  # noqa: S105 - a file's name
SECRET_FILE = "gmail_secret.json"  # noqa: S105 - a file's name
SIGN_IN = "run `email-assistant gmail auth`"
NEW_CLIENT = "download the client's JSON from the Google console, as docs/google.md tells"
GMAIL_SCOPE = "https://www.googleapis.com/auth/gmail.modify"
CALENDAR_SCOPES = (
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/calendar.readonly",
)
PRIVATE = 0o600


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
        if self.token:
            told = _json_object(self.token, "GMAIL_TOKEN", SIGN_IN)
            return self._credentials(told, "GMAIL_TOKEN")
        try:
            text = self.token_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise AccessError(
                "nobody has signed in to Google yet: run `email-assistant gmail auth`, or set GMAIL_TOKEN"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{self.token_path} cannot be read: {error}") from None
        return self._credentials(_json_object(text, str(self.token_path), SIGN_IN), str(self.token_path))

    def client(self) -> OAuthClient:
        """The OAuth client; raises `ConfigError` that says what is wrong with it, or that there is none."""
        if self.secret:
            return read_client(self.secret, "GMAIL_SECRET")
        try:
            text = self.secret_path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ConfigError(
                f"no OAuth client: download its JSON from the Google console to {self.secret_path}, or set GMAIL_SECRET"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{self.secret_path} cannot be read: {error}") from None
        return read_client(text, str(self.secret_path))

    def save(self, credentials: Credentials) -> None:
        """Keep the credentials in the token's file, readable by its owner only; no-op when `GMAIL_TOKEN` is set."""
        if self.token:
            return
        with self._writing:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.token_path.exists():
                os.chmod(self.token_path, PRIVATE)  # A new file is private anyhow, an old one keeps its mode.
            write_atomically(self.token_path, credentials.to_json().encode())

    def _credentials(self, told: dict[str, Any], source: str) -> Credentials:
        if not told.get("token") and not told.get("refresh_token"):
            raise ConfigError(f"{source} has neither 'token' nor 'refresh_token': {SIGN_IN}")
        client = self._client_of(told)
        return Credentials(
            told.get("token") or None,
            refresh_token=told.get("refresh_token") or None,
            # Never the file's own word: a token is exchanged at Google, or where the endpoint setting says.
            token_uri=self.places.token_uri,
            client_id=client.client_id,
            client_secret=client.client_secret,
            scopes=_scopes(told),
            expiry=_expiry(told, source),
        )

    def _client_of(self, told: dict[str, Any]) -> OAuthClient:
        if told.get("client_id") and told.get("client_secret"):
            return OAuthClient(str(told["client_id"]), str(told["client_secret"]))
        if told.get("refresh_token"):
            return self.client()
        return OAuthClient("", "")


def read_client(text: str, source: str) -> OAuthClient:
    """The OAuth client in the console's JSON; raises `ConfigError` naming `source` and what is missing."""
    told = _json_object(text, source, NEW_CLIENT)
    inner = told.get("installed") or told.get("web") or told
    if told.get("type") == "service_account":
        raise ConfigError(f"{source} is a service account's key: create an OAuth client of type Desktop app")
    if "web" in told and "installed" not in told:
        raise ConfigError(f"{source} is a client of type Web application: create one of type Desktop app")
    if not isinstance(inner, dict) or not inner.get("client_id") or not inner.get("client_secret"):
        raise ConfigError(f"{source} has no 'client_id' and 'client_secret': {NEW_CLIENT}")
    return OAuthClient(str(inner["client_id"]), str(inner["client_secret"]))


def _json_object(text: str, source: str, mend: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        raise ConfigError(f"{source} is not JSON: {mend}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{source} is not a JSON object: {mend}")
    return value


def _scopes(told: dict[str, Any]) -> list[str] | None:
    scopes = told.get("scopes") or told.get("scope")
    if isinstance(scopes, str):
        return scopes.split()
    return [str(s) for s in scopes] if isinstance(scopes, list) else None


def _expiry(told: dict[str, Any], source: str) -> datetime | None:
    value = told.get("expiry")
    if not value:
        return None
    try:
        instant = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        raise ConfigError(f"{source} has an unreadable 'expiry': {str(value)[:40]}") from None
    # google-auth compares with a naive time in UTC.
    return instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant

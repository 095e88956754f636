"""Accounts at any provider: the tables `[accounts.NAME]` of the settings files."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from email_assistant.errors import AccessError

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""What an account may be called."""
SERVICE = "email-assistant"
"""What the system's keyring has passwords under."""
Auth = Literal["password", "microsoft"]
"""What lets a user in: a password, or a token that Microsoft gives."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
Security = Literal["tls", "starttls", "none"]
"""Encrypted from the first byte, from the first command on, or never: that only on this machine."""


def is_encrypted(url: str) -> bool:
    """Whether nobody reads what goes to this web address, which names a host: https, or this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK))


class Server(BaseModel):
    """Where mail is read, or given in for sending."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(pattern=r"^[A-Za-z0-9.:-]{1,253}$")
    port: int = Field(ge=1, le=65_535)
    security: Security = "tls"
    login: str = ""
    """The name that it knows the user by; the account's address when it is empty."""
    ca_file: str = ""
    """A file with the certificate authorities that vouch for it, where it is none of the usual ones."""

    @model_validator(mode="after")
    def _plain_is_local(self) -> "Server":
        if self.security == "none" and self.host not in LOOPBACK:
            raise ValueError(
                f'must have security = "tls" or "starttls": {self.host} is not this machine, and the password would be read on the way'
            )
        return self


class ReadingServer(Server):
    """Where mail is read."""

    sent: str = ""
    """The folder that sent mail is in; it counts before what the server says."""
    drafts: str = ""
    """The folder that drafts are in; as `sent`."""


class CalendarServer(BaseModel):
    """Where calendars are (CalDAV)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = Field(max_length=2000)
    """Of one calendar, which meetings are made in, or of the server, where the account has one calendar."""
    login: str = ""
    """As of `Server`."""
    ca_file: str = ""
    """As of `Server`."""

    @model_validator(mode="after")
    def _is_encrypted(self) -> "CalendarServer":
        if not is_encrypted(self.url):
            raise ValueError(
                'must have a url that begins with "https://"; "http://" is for this machine alone'
            )
        return self


class Account(BaseModel):
    """One person's mail at a provider."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    email: str = Field(pattern=r"^[^\s@]\S*@\S*[^\s@]$")
    imap: ReadingServer | None = None
    """Where its mail is; None for one whose calendar alone is used."""
    smtp: Server | None = None
    """None: replies become drafts, and a person sends them with another program."""
    calendar: CalendarServer | None = None
    auth: Auth = "password"
    """What its mail servers are shown."""

    @model_validator(mode="after")
    def _token_goes_to_mail_alone(self) -> "Account":
        if self.auth == "microsoft" and self.calendar:
            raise ValueError('must have no calendar with auth = "microsoft": its token is for mail alone')
        return self

    def kept_secret(self, name: str, folder: Path) -> "KeptSecret":
        """What lets its user in, as it is kept for the account of that name."""
        if self.auth == "microsoft":
            return KeptSecret(folder / f"{name}.token", f"{self.email} (Microsoft)")
        return Password(name, None, folder, self.email).kept

    def login(self, server: "Server | CalendarServer") -> str:
        """The name that one of its servers knows the user by."""
        return server.login or self.email


@dataclass(frozen=True, slots=True)
class KeptSecret:
    """A text in a file that nobody else can read, or in the system's keyring."""

    file: Path
    """Where it is kept when there is no keyring."""
    user: str = ""
    """Under which the keyring has it."""

    def read(self) -> str:
        """What is kept, "" for nothing; raises `AccessError` when it cannot be read. Blocks."""
        return self._in_file() or self._in_keyring()

    def keep(self, text: str) -> str:
        """Keep it in the keyring, or else in the file; says where. Blocks; raises `OSError`."""
        if _keep_in_keyring(self.user, text):
            self.file.unlink(missing_ok=True)  # It would be read first.
            return "the system's keyring"
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self.file.with_suffix(".part")
        part.unlink(missing_ok=True)
        with open(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
        ) as written:
            written.write(f"{text}\n")
            written.flush()
            os.fsync(written.fileno())
        part.replace(self.file)
        return ""

    def _in_file(self) -> str:
        try:
            return self.file.read_text(encoding="utf-8").rstrip("\r\n")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise AccessError(f"{self.file} cannot be read: {error}") from error

    def _in_keyring(self) -> str:
        keyring = _keyring()
        try:
            return (keyring.get_password(SERVICE, self.user) or "") if keyring and self.user else ""
        except keyring.errors.KeyringError as error:
            raise AccessError(f"the system's keyring cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Password:
    """Of one account: the one that the environment gives, else what its file holds, which nobody else can read, else the keyring's."""

    account: str
    given: str | None
    folder: Path
    """Of the data folder: where passwords lie."""
    email: str = ""
    """Under which the system's keyring has it."""

    @property
    def file(self) -> Path:
        """Where it is kept when there is no keyring."""
        return self.folder / f"{self.account}.password"

    @property
    def kept(self) -> KeptSecret:
        """The one that the environment does not give."""
        return KeptSecret(self.file, self.email)

    @property
    def hint(self) -> str:
        """Where to look when a server does not take it."""
        place = "EMAIL_ASSISTANT_ACCOUNT_PASSWORD" if self.given else str(self.file)
        return f"; the password of the account {self.account} is the one in {place}"

    def __call__(self) -> str:
        """The password; raises `AccessError` when there is none, or one that mail servers cannot be told. Blocks."""
        return as_sent(self.given or self.kept.read() or self._missing())

    def _missing(self) -> NoReturn:
        raise AccessError(
            f"the password of the account {self.account} is not known: write it into {self.file}, or set "
            "EMAIL_ASSISTANT_ACCOUNT_PASSWORD"
        )


def as_sent(password: str) -> str:
    """The password, which has to be ASCII; raises `AccessError`: what others would be sent as differs from server to server."""
    if password.isascii() and password.isprintable():
        return password
    raise AccessError(
        "the password has characters that mail programs cannot send (beyond ASCII): choose another one, or an app password"
    )


def _keyring() -> Any:
    """The module, where the extra `keyring` is installed and the system has a keyring that works."""
    try:
        import keyring
        import keyring.errors

        return keyring if keyring.get_keyring().priority > 0 else None
    except ImportError:
        return None


def _keep_in_keyring(user: str, text: str) -> bool:
    keyring = _keyring()
    try:
        if keyring is None or not user:
            return False
        keyring.set_password(SERVICE, user, text)
        return bool(keyring.get_password(SERVICE, user) == text)
    except keyring.errors.KeyringError:
        return False

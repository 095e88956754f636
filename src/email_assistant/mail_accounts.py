"""Accounts at any provider: the tables `[accounts.NAME]` of the settings files."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from email_assistant.errors import AccessError

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""What an account may be called."""
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
    imap: Server | None = None
    """Where its mail is; None for one whose calendar alone is used."""
    smtp: Server | None = None
    """None: replies become drafts, and a person sends them with another program."""
    calendar: CalendarServer | None = None


@dataclass(frozen=True, slots=True)
class Password:
    """Of one account: the one that the environment gives, else what its file holds, which nobody else can read."""

    account: str
    given: str | None
    folder: Path
    """Of the data folder: where passwords lie."""

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return self.folder / f"{self.account}.password"

    def __call__(self) -> str:
        """The password; raises `AccessError` when there is none. Blocks."""
        if self.given:
            return self.given
        try:
            return self.file.read_text(encoding="utf-8").rstrip("\n")
        except FileNotFoundError:
            raise AccessError(
                f"the password of the account {self.account} is not known: write it into {self.file}, or set "
                "EMAIL_ASSISTANT_ACCOUNT_PASSWORD"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise AccessError(f"{self.file} cannot be read: {error}") from error

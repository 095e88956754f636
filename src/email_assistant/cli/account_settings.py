"""The data folder's settings file, and which settings a sign-in writes to it, so that the account is used from then on."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError

import email_assistant
from email_assistant.adapters.files import write_atomically
from email_assistant.errors import ConfigError
from email_assistant.settings import DATA_FILE, Settings

if TYPE_CHECKING:  # Slow to import, and whoever only prints does without.
    from email_assistant.adapters.google.account import GoogleAccount


MAILBOX, CALENDAR = "EMAIL_ASSISTANT_MAILBOX", "EMAIL_ASSISTANT_CALENDAR"
EMAIL, ALIASES = "EMAIL_ASSISTANT_EMAIL", "EMAIL_ASSISTANT_ALIASES"
NAME, TIMEZONE, NOW = "EMAIL_ASSISTANT_NAME", "EMAIL_ASSISTANT_TIMEZONE", "EMAIL_ASSISTANT_NOW"

_FIELDS = {str(field.alias): name for name, field in Settings.model_fields.items()}


@dataclass(frozen=True)
class Plan:
    """What a sign-in changes."""

    changes: Mapping[str, str | None]
    """Settings to write to the data folder's file; None takes one out."""
    sample: tuple[str, ...]
    """Settings of the sample person, which go."""
    elsewhere: Mapping[str, str]
    """Settings that the environment or email_assistant.toml has with another value, and the value they need."""


def plan(
    settings: Settings,
    stored: Mapping[str, Any],
    account: "GoogleAccount",
    *,
    calendar: bool,
    timezone: str = "",
) -> Plan:
    """What to change, `stored` being the data folder's file: what somebody has set stays, but the sample person goes."""
    sample = _sample_person(stored)
    kept = {name: value for name, value in stored.items() if name not in sample}
    needed = {MAILBOX: "gmail"} | ({CALENDAR: "google"} if calendar else {})
    if not calendar and stored.get(CALENDAR) == "google":
        needed[CALENDAR] = "ics"  # The token may no longer read it.
    changes: dict[str, str | None] = dict.fromkeys(sample)
    elsewhere: dict[str, str] = {}
    for name, value in needed.items():
        if _is_elsewhere(settings, stored, name):
            elsewhere |= {name: value} if _value(settings, name) != value else {}
        elif stored.get(name) != value:
            changes[name] = value
    if _person(settings, stored, kept) in {"", account.email.lower()}:
        wanted = {EMAIL: account.email, NAME: account.name, TIMEZONE: timezone}
        for name, value in wanted.items():
            if name not in kept and not _is_elsewhere(settings, stored, name) and _is_valid(name, value):
                changes[name] = value
        if not _is_elsewhere(settings, stored, ALIASES):
            changes |= _aliases(str(kept.get(ALIASES, "")), account.aliases)
    return Plan(changes, sample, elsewhere)


def _aliases(stored: str, found: tuple[str, ...]) -> dict[str, str]:
    known = [alias.strip() for alias in stored.split(",") if alias.strip()]
    new = [alias for alias in found if alias.lower() not in {k.lower() for k in known}]
    value = ", ".join([*known, *new])
    return {ALIASES: value} if new and _is_valid(ALIASES, value) else {}


def _person(settings: Settings, stored: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
    """Whose address the settings will name, in lower case; "" when nobody's."""
    if _is_elsewhere(settings, stored, EMAIL):
        return settings.email.lower()
    return str(kept.get(EMAIL, "")).lower()


def _sample_person(stored: Mapping[str, Any]) -> tuple[str, ...]:
    """The stored settings that are the sample person's, none when the person is somebody else."""
    sample = read_settings_file(samples_folder() / DATA_FILE)
    if not sample or stored.get(EMAIL) != sample[EMAIL]:
        return ()
    return tuple(
        name for name in sample if stored.get(name) == sample[name] or (name == NOW and name in stored)
    )


def _is_elsewhere(settings: Settings, stored: Mapping[str, Any], name: str) -> bool:
    """Whether the value comes from the environment or from email_assistant.toml."""
    given = _FIELDS[name] in settings.model_fields_set
    return given and (name not in stored or str(stored[name]) != _value(settings, name))


def _value(settings: Settings, name: str) -> str:
    return str(getattr(settings, _FIELDS[name]))


def _is_valid(name: str, value: str) -> bool:
    """Whether the value may be written: a file with a wrong one would stop every command."""
    try:
        Settings.model_validate({name: value})
    except ValidationError:
        return False
    return bool(value)


def samples_folder() -> Path:
    """Where the samples are: in the installed package, or in the checkout that it runs from."""
    package = Path(email_assistant.__file__).resolve().parent
    return next(
        folder / "samples" for folder in (package, package.parents[1]) if (folder / "samples").is_dir()
    )


def read_settings_file(path: Path) -> dict[str, Any]:
    """The file's settings, none when there is no file; raises `ConfigError` when it cannot be read."""
    return _parsed(_text(path), path)


def change_settings_file(path: Path, changes: Mapping[str, str | None]) -> None:
    """Set these settings, and take out those whose value is None. The file is replaced whole, or not at all.

    Raises `ConfigError` when the file cannot be read, or has a table in a setting's place.
    """
    text = _text(path)
    before = _parsed(text, path)
    if any(isinstance(before.get(name), dict) for name in changes):
        raise ConfigError(f"{path} is written in a way that cannot be changed safely: change it by hand")
    document = tomlkit.parse(text)
    for name, value in changes.items():
        if value is None:
            document.pop(name, None)
        else:
            document[name] = value
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, tomlkit.dumps(document).encode())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None

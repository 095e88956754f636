"""Which settings a sign-in writes to the data folder, so that the account is used from then on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from email_assistant.cli.samples import samples_folder
from email_assistant.cli.settings_file import read_settings_file
from email_assistant.settings import DATA_FILE, Settings

if TYPE_CHECKING:  # Google's libraries are slow to import; other commands do without.
    from email_assistant.adapters.google.account import GoogleAccount

MAILBOX, CALENDAR = "EMAIL_ASSISTANT_MAILBOX", "EMAIL_ASSISTANT_CALENDAR"
EMAIL, ALIASES = "EMAIL_ASSISTANT_EMAIL", "EMAIL_ASSISTANT_ALIASES"
NAME, TIMEZONE = "EMAIL_ASSISTANT_NAME", "EMAIL_ASSISTANT_TIMEZONE"

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


def missing_aliases(settings: Settings, aliases: tuple[str, ...]) -> list[str]:
    """Those of the account's aliases that the settings do not name."""
    return [alias for alias in aliases if alias.lower() not in settings.own_addresses]


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
    return tuple(name for name in sample if stored.get(name) == sample[name])


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

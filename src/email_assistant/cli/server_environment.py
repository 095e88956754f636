"""What the server's process begins with: settings that were looked at, and an environment that has every one of them."""

import os
from datetime import datetime
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.engine import make_url

from email_assistant.app import Container
from email_assistant.cli.console import container, remind_of_person, run_async
from email_assistant.journal.urls import normalise_url
from email_assistant.settings import Settings


def checked_house() -> Container:
    """The house, after everything in it that settings can get wrong was looked at.

    Raises `ConfigError`, and `AccessError` when nobody has signed in to the account at Google that they name.
    """
    built = container()
    _ = built.mailbox, built.calendar, built.embedder
    if built.settings.uses_google:
        built.google_tokens.load()
    for tier in ("fast", "strong"):
        built.model_settings.spec(tier)
    remind_of_person(built)
    built.check_files()
    run_async(built.database.migrate())
    return built


def environment(settings: Settings, *, colour: bool = False) -> dict[str, str]:
    """The shell's environment with this command's settings in it; `colour` is for a log that goes to a terminal."""
    log = {"LOG_COLOR": str(colour).lower(), "LOG_LEVEL": settings.log_level.upper()}
    return log | dict(os.environ) | child_settings(settings)


def take(settings: Settings, *, colour: bool) -> None:
    """Make that the environment of this process, which is the server's."""
    os.environ.update(environment(settings, colour=colour))


def child_settings(settings: Settings) -> dict[str, str]:
    """Every setting that was given, wherever it was given; folders are absolute, because the child works elsewhere."""
    told = {
        str(field.alias): _plain(getattr(settings, name))
        for name, field in type(settings).model_fields.items()
        if name in settings.model_fields_set and getattr(settings, name) is not None
    }
    return told | _absolute(settings)


def _plain(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _absolute(settings: Settings) -> dict[str, str]:
    places = {"EMAIL_ASSISTANT_DATA_DIR": str(settings.data_path)}
    for name, value, path in (
        ("EMAIL_ASSISTANT_MAILBOX", settings.mailbox, settings.mailbox_path),
        ("EMAIL_ASSISTANT_CALENDAR", settings.calendar, settings.calendar_path),
    ):
        if ":" in value and path:
            places[name] = f"{value.partition(':')[0]}:{path.absolute()}"
    if settings.database_url:
        places["DATABASE_URL"] = _absolute_database(settings.database_url)
    return places


def _absolute_database(url: str) -> str:
    """A SQLite path made absolute; any other URL as it is. Raises `ConfigError` for what is no database URL."""
    parsed = make_url(normalise_url(url))
    if parsed.get_backend_name() != "sqlite":
        return url
    file = str(Path(parsed.database or "").absolute())
    return parsed.set(database=file).render_as_string(hide_password=False)

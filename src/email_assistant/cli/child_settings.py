"""This command's settings as environment variables, so that the server it starts has the very same ones."""

from datetime import datetime
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.engine import make_url

from email_assistant.journal.urls import normalise_url
from email_assistant.settings import Settings


def child_settings(settings: Settings) -> dict[str, str]:
    """Every setting that was given, wherever it was given; folders are absolute, because the child works elsewhere."""
    told = {
        str(field.alias): _plain(getattr(settings, name))
        for name, field in Settings.model_fields.items()
        if name in settings.model_fields_set and getattr(settings, name) is not None
    }
    return told | _absolute(settings)


def _plain(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _absolute(settings: Settings) -> dict[str, str]:
    places = {"EMAIL_ASSISTANT_DATA_DIR": str(settings.data_path)}
    if ":" in settings.mailbox and settings.maildir_path:
        places["EMAIL_ASSISTANT_MAILBOX"] = f"maildir:{settings.maildir_path.absolute()}"
    if ":" in settings.calendar and settings.ics_path:
        places["EMAIL_ASSISTANT_CALENDAR"] = f"ics:{settings.ics_path.absolute()}"
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

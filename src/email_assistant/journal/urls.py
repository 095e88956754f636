"""Database URLs as people write them, brought to the drivers this package uses."""

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from email_assistant.errors import ConfigError

HINT = "write it like sqlite:///folder/file.db or postgresql://user@host/database"
_POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})
_ASYNCPG_SSL = {"true": "require", "True": "require", "false": "disable", "False": "disable"}
_ASYNCPG_ONLY = frozenset(
    {"prepared_statement_cache_size", "prepared_statement_name_func", "command_timeout"}
)


def normalise_url(url: str) -> str:
    """The URL with the driver in use: `sqlite+aiosqlite` or `postgresql+psycopg`; the password is kept.

    Raises `ConfigError` that names DATABASE_URL and never shows the password.
    """
    parsed = _parsed(url)
    backend = parsed.drivername.partition("+")[0]
    if backend in _POSTGRES_SCHEMES:
        return _postgres(parsed).render_as_string(hide_password=False)
    if backend == "sqlite":
        return _sqlite(parsed).render_as_string(hide_password=False)
    raise ConfigError(f"DATABASE_URL: {backend!r} is not supported; {HINT}")


def _parsed(url: str) -> URL:
    try:
        return make_url(url.strip())
    except (ArgumentError, ValueError):
        # The text of the cause would repeat the URL with its password.
        raise ConfigError(f"DATABASE_URL is not a database URL; {HINT}") from None


def _postgres(url: URL) -> URL:
    if not url.database:
        raise ConfigError(f"DATABASE_URL names no database; {HINT}")
    query = {k: v for k, v in url.query.items() if k not in _ASYNCPG_ONLY}
    ssl = query.pop("ssl", None)
    if isinstance(ssl, str):
        # libpq's name for what asyncpg calls ssl.
        query.setdefault("sslmode", _ASYNCPG_SSL.get(ssl, ssl))
    return url.set(drivername="postgresql+psycopg", query=query)


def _sqlite(url: URL) -> URL:
    if url.host or url.username or url.password:
        raise ConfigError(f"DATABASE_URL: a SQLite URL has three slashes before the path; {HINT}")
    path = url.database or ""
    if path in {"", ":memory:"} or path.startswith("file:"):
        raise ConfigError(f"DATABASE_URL: SQLite needs a file, the record must outlive the process; {HINT}")
    return url.set(drivername="sqlite+aiosqlite")

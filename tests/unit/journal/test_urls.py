"""Database URLs as people write them."""

import pytest
from sqlalchemy.engine import make_url

from email_assistant.errors import ConfigError
from email_assistant.journal.engines import normalise_url

PASSWORD = "s3cr3t-word"
OURS = "options=-csearch_path%3Demail_assistant"


@pytest.mark.parametrize(
    "url",
    ["postgres://ann:pw@db.example.com:5433/mail", "postgresql+asyncpg://ann:pw@db.example.com:5433/mail"],
)
def test_postgres_spellings(url: str) -> None:
    """Every spelling of a PostgreSQL URL ends at psycopg, password and all, in our schema."""
    assert normalise_url(url) == f"postgresql+psycopg://ann:pw@db.example.com:5433/mail?{OURS}"


def test_a_schema_that_the_user_names_is_theirs() -> None:
    """Other options of libpq stay beside ours."""
    named = "postgresql+psycopg://h.example/d?options=-csearch_path%3Dmine"
    assert normalise_url(named) == named
    other = normalise_url("postgresql://h.example/d?options=-cgeqo%3Doff")
    assert make_url(other).query["options"] == "-cgeqo=off -csearch_path=email_assistant"


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+pysqlite"])
def test_sqlite_spellings(scheme: str) -> None:
    """Every spelling of a SQLite URL ends at aiosqlite."""
    assert normalise_url(f"{scheme}:////var/data/a.db") == "sqlite+aiosqlite:////var/data/a.db"


def test_asyncpg_options_are_translated() -> None:
    """Options that only asyncpg knows are renamed for libpq or dropped, others are kept."""
    url = "postgresql+asyncpg://h.example/d?ssl=require&prepared_statement_cache_size=0&application_name=x"
    assert normalise_url(url) == f"postgresql+psycopg://h.example/d?application_name=x&{OURS}&sslmode=require"


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://ann:{PASSWORD}@db.example.com/mail",
        f"postgresql://ann:{PASSWORD}@db.example.com:port/mail",
        f"sqlite://ann:{PASSWORD}@folder/file.db",
        "sqlite:///:memory:",
        "",
    ],
)
def test_wrong_urls(url: str) -> None:
    """A URL that cannot be used is an error that names the setting and hides the password."""
    with pytest.raises(ConfigError, match="DATABASE_URL") as caught:
        normalise_url(url)
    assert PASSWORD not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None

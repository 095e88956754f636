"""What needs no upgrade is told without Alembic, by the same revision."""

from importlib.resources import files

from alembic.config import Config
from alembic.script import ScriptDirectory

from email_assistant.journal.migrate import newest_revision


def test_the_newest_revision_is_the_one_that_migrations_lead_to() -> None:
    """Files are numbered as their revisions are."""
    config = Config()
    config.set_main_option("script_location", str(files("email_assistant.journal") / "migrations"))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == newest_revision()

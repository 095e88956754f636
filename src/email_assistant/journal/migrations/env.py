"""What Alembic executes: migrate on the connection it is handed, inside the caller's transaction."""

from alembic import context

import email_assistant.journal.tables  # noqa: F401 - declares them
from email_assistant.journal.sql import METADATA, VERSION_TABLE


def migrate() -> None:
    """Run the migrations that are missing."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        version_table=VERSION_TABLE,
        transactional_ddl=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


# Alembic executes this file under this name; importing the package's module does nothing.
if __name__ == "env_py":
    migrate()

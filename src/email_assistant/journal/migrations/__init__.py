"""Alembic's script folder; `journal.migrate` runs it, without an alembic.ini."""

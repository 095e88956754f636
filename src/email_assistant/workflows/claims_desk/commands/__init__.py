"""The desk's commands."""

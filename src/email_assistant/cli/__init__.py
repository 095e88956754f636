"""The `email-assistant` command."""

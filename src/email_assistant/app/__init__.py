"""Builds what settings name. Building opens nothing: connections are made on first use."""

from email_assistant.app.house import House, house

__all__ = ["House", "house"]

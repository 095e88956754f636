"""Builds what settings name. Building opens nothing: connections are made on first use."""

from email_assistant.bootstrap.house import House, house
from email_assistant.settings import MAIL_GRAPHS

__all__ = ["MAIL_GRAPHS", "House", "house"]

"""Builds what settings name. Building opens nothing: connections are made on first use."""

from email_assistant.app.container import Container, container

__all__ = ["Container", "container"]

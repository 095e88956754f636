"""Killing the assistant while approvals are under way."""

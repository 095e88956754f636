"""Jira and the refund endpoint."""

"""Measurements of the assistant."""

"""Preference profiles: read, learned from decisions, kept with their history."""

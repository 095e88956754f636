"""Answering a team's mail by rule, every step on record."""

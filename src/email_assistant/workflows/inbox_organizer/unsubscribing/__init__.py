"""Leaving mailings: by one click, by mail, and what became of it."""

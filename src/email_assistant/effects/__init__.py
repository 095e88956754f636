"""Performing approved actions exactly once."""

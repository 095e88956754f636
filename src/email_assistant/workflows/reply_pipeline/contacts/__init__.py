"""Contacts from files, and the commands that show them."""

"""Bringing mail in: one run a conversation, claimed before it is started, found again after a crash."""

"""Asking for a reply, sending it, and what gets none: the end of every workflow that answers once a round."""

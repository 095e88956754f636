"""The states of the graphs' threads on disk, and what the development server holds in memory beside them.

What is about mail belongs into the journal.
"""

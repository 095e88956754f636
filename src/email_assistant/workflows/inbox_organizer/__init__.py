"""Sorting the inbox: categories, importance, labels, notes, events, leaving mailings. Answers to what it asks make it surer."""

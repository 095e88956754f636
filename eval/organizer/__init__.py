"""The organizer on labelled mail: categories, importance, events, lists to leave, and how many cards that takes."""

"""The workflows that are served, one folder each, and what they share (`kit`). A folder here holds all that is its workflow's own."""

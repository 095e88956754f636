"""The workflows that are served, one folder each. A folder here holds all that is its workflow's own."""

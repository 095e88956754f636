"""The workflows, one folder each; they do not import one another."""

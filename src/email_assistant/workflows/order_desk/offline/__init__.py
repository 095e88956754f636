"""The rules that read orders and write replies when no model does."""

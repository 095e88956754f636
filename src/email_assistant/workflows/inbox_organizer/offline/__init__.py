"""The rules that sort, weigh and note when no model does."""

"""Prompt templates: one Markdown file a model call, rendered strictly."""

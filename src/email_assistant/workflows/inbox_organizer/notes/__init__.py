"""Notes on what mail was about, in a vault of Markdown files."""

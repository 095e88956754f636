"""A human-in-the-loop email assistant on LangGraph."""

"""What langgraph.json names, and the doors before it."""

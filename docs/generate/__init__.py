"""The pages of `docs/` that are made from the code, and langgraph.json: `make docs` writes them, a test compares them."""

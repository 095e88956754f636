"""Where the server finds the embedding of its store; see `py`."""

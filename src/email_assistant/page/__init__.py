"""The review page: where a day's mail is decided, at `/review` of the server."""

"""Model calls against a real loopback server."""

"""The outside world behind the ports: one module for each provider."""

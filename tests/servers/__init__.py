"""Loopback stand-ins from npm for the services that the assistant talks to."""

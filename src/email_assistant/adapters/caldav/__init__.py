"""Calendars of a CalDAV server (RFC 4791)."""

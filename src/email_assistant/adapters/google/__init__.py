"""Gmail and Google Calendar behind the ports."""

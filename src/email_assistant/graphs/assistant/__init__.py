"""`email_assistant`: triage, then a response agent whose tools are approved by the human."""

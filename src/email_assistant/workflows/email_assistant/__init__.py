"""The assistant: triage, a response agent whose tools are approved, and learning. This is the core; the other workflows can go."""

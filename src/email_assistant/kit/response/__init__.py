"""The response agent: a model's tool calls, each approved by a person. A graph holds it as a node; all its files are here."""

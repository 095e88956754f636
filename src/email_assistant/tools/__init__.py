"""The tools the response agent is offered, each with its risk."""

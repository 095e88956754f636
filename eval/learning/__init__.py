"""Learning from corrections: a simulated user with fixed tastes, and what the assistant makes of them."""

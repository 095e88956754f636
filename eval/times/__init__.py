"""How well the rules understand when somebody wants to meet."""

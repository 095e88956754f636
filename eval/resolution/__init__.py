"""How well mentions of products are resolved."""

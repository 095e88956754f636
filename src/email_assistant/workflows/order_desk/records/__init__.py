"""The shop's tables: catalogue, stock and orders."""

"""Selling by mail: what a mail orders, what is in stock, what the reply promises. Holds the shop, its tables and its commands."""

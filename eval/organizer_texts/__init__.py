"""Texts of the generated mail, and what fills their slots; all written for this project."""

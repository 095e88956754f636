"""Verifying claims: customers, policies, rulings, tickets and refunds, with their tables, adapters and commands."""

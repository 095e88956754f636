"""The desk's tables: customers, policies, incidents, tickets and refunds."""

"""What a shop sells: products, promotions, what a customer means by a product, and what an order comes to.

Pure rules and types: no model, no database, no clock.
"""

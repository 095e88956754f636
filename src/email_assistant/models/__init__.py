"""Language models: typed calls, tiers, retries, usage; or fixed rules in their place."""

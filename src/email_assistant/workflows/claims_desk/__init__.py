"""The claims desk: a claim is matched with a customer and a policy, ruled on, and its tickets and refunds are approved."""

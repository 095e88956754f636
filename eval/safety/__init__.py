"""Mail that attacks, and a model that obeys it: what leaves, what is remembered, and what the cards show."""

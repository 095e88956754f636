"""What a mail costs on each graph: model calls, tokens, cards, and the time outside the model."""

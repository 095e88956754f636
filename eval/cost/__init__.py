"""What a mail costs on each graph: model calls, tokens and cards."""

"""What a mail costs: model calls, tokens and cards on each graph, and the time outside the model beside a bare LangGraph graph's."""

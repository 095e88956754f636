"""What past mail of this mailbox can tell: retrieval over the LangGraph store's semantic index."""

"""The `order_desk` graph: customers' orders and questions by mail."""

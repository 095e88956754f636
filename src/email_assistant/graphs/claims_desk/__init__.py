"""The `claims_desk` graph: claims and questions to a bank or an insurer, by mail and chat."""

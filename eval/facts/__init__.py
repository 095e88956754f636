"""Templates of drafts, sentences that promise, and replies, for `eval.fact_check`."""

"""Which product a mention means: by id, by name, by meaning; one score for all, and a question where it is not certain."""

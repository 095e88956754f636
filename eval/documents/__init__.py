"""How well the chunks that answer are found: labelled questions about the documents of samples/claims, and the measure of it."""

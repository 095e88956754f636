"""What texts are compared by, and a served store: what rooms find past mail, documents and products with."""

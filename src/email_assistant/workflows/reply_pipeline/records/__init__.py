"""The pipeline's tables: contacts."""

"""The graphs and the page on an engine of several workers."""

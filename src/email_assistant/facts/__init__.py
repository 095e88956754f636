"""What a draft claims, and whether a source supports it; days and times as people write them."""

"""Every graph killed wherever it has just changed something, and what comes of it."""

"""Small charts as SVG, for pages that need no script and no network."""

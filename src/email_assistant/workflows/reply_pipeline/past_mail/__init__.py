"""Past mail and its answers, found again when similar mail comes in."""

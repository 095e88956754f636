"""Mail coming in: looking, listing, claiming, starting runs; recovery."""

"""The migrations, oldest first. One that was released is never changed; the first makes what the oldest known revision has."""

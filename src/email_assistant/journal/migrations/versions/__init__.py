"""The migrations, oldest first. One that was released is never changed."""

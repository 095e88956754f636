"""What workflows are made of: conversations, senders, lessons, the observer. Nothing here knows which workflows there are."""

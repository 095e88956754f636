"""`inbox_organizer`: a category for every mail, and what follows from it, approved by the human."""

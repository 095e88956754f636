"""What the organizer keeps: corrections, hints, mailings; and what of the journal is read for its reports."""

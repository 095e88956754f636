"""The organizer's records: corrections, hints, mailings; and figures read from the journal for its reports."""

"""The organizer's records: corrections, hints, mailings."""

"""The organizer's commands."""

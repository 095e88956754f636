"""Tests of the organizer's parts."""

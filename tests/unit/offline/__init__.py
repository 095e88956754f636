"""Tests of the offline rules."""

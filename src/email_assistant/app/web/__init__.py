"""Middleware and routes before the server: who may call, how much, and what a run may bring."""

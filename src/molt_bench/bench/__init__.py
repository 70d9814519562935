"""Bench: which games are played, and when it is enough."""

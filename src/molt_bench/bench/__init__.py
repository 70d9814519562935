"""Bench: which games a run plays, and when it stops."""

"""Runs: a run on disk, with one owner for its lines, journal, replies and folder."""

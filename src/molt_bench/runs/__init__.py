"""Runs: a run on disk, one owner for its lines, its journal, its exchanges and its folder."""

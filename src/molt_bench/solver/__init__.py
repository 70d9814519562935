"""Solver: what is left of a hand from the turn on, solved for two whole ranges."""

"""Poker: pure rules, with no I/O, no clock, no async and no global randomness."""

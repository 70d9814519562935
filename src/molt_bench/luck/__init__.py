"""Luck: how much of a result is due to cards and dice, removed without bias."""

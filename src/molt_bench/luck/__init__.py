"""Luck: how much of a result the cards and the dice made, taken out without favouring anyone."""

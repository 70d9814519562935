"""The blueprint: a bot that plays from a table, near-equilibrium in an abstraction of the game."""

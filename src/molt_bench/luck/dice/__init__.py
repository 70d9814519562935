"""The luck of an agent's own dice, and whether its word about them holds."""

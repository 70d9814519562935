"""Live agents: they come to the table by themselves, and fetch their decisions."""

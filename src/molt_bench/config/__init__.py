"""Config: what a user can set, checked, with defaults."""

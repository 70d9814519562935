"""Config: the user's settings, validated, with defaults."""

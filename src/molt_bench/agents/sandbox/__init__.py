"""Sandbox: the box in which programs and other people's Python files play, so that nobody has to trust them."""

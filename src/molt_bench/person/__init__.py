"""A person at the table: plays any agent in the terminal."""

"""Agents: everything that can play, and how it is made."""

"""Adapters: bridges from what others use to what this benchmark speaks."""

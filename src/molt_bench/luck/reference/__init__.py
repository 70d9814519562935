"""Grades of decisions, by the values of a reference bot."""

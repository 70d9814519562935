"""Exam: decisions asked of everyone, valued by a solved game."""

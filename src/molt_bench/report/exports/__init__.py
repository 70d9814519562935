"""Exports: the hands of a run for other programs, and its tables for papers."""

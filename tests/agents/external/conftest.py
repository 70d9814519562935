"""Fixtures of the tests of external agents."""

from tests.agents.external.playing import folders

__all__ = ["folders"]

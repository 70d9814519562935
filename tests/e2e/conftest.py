"""Fixtures for the end-to-end tests."""

import pytest

from tests.e2e.shell import BOTS


@pytest.fixture
def bots(tmp_path):
    """Return the path of a file of agents."""
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return path

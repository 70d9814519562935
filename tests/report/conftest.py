"""The runs that the viewer's tests play, to be reported."""

from tests.e2e.two_runs import bots_id, models_id, runs

__all__ = ["bots_id", "models_id", "runs"]

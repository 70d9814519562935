"""The runs that the viewer's tests play, to be reported."""

from tests.plugins.view.conftest import bots_id, models_id, runs

__all__ = ["bots_id", "models_id", "runs"]

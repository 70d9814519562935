"""The runs that the viewer's tests have, too."""

from tests.view.conftest import bots_id, library, models_id, runs

__all__ = ["bots_id", "library", "models_id", "runs"]

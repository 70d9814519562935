"""What the viewer answers, as a browser reads it."""

import msgspec

from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.server import answer
from tests.e2e.shell import strict_json


def told(place, run=None, page=""):
    """Return the data of a page of a run, from a library or its folder; without a run the list of all."""
    library = place if isinstance(place, Library) else Library(place)
    path = "api/runs.json" if run is None else f"api/runs/{run}{page}.json"
    return strict_json(msgspec.json.encode(answer(library, path)).decode())

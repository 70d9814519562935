"""Plug-ins: agents that installed packages register by an entry point."""

from functools import cache
from importlib import metadata
from typing import Any, Final

#: Installed packages register agents under this group of entry points.
ENTRY_POINT_GROUP: Final = "molt_bench.agents"


@cache
def plugins() -> dict[str, Any]:
    """Return the entry points of installed packages that register agents, by name."""
    return {point.name: point for point in metadata.entry_points(group=ENTRY_POINT_GROUP)}

"""Pages are checked with axe: every finding counts, also a minor one."""

from typing import Any

import pytest


def findings(page: Any) -> list[tuple[str, str, list[str]]]:
    """Return what axe finds on a page: the rule, how grave it is, and the first elements that break it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        (found["id"], found["impact"], [node["html"][:200] for node in found["nodes"][:3]])
        for found in axe.run(page).response["violations"]
    ]

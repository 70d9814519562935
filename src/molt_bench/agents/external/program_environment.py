"""The environment of a program: PATH, a home of its own, and what its settings pass on."""

import os
from collections.abc import Mapping

from molt_bench.agents.external.process_cleanup import TAG


def program_environment(passed_on: Mapping[str, str], home: str, tag: str = "") -> dict[str, str]:
    """Return the environment of a program: of ours only PATH and what is passed on, so none of our API keys."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        **passed_on,
        **({TAG: tag} if tag else {}),
    }

"""`molt-bench agents`: what a config can name as a participant."""

from molt_bench.agents.factories import plugins
from molt_bench.agents.kinds import BUILTIN_AGENTS, KINDS


def agents() -> None:
    """List the agents that a config can name."""
    for name, bot in BUILTIN_AGENTS.items():
        about = (bot.__doc__ or "").partition("\n")[0]
        print(f"{name:12} {about}")
    for kind in KINDS:
        if kind.usage:
            print(f"{kind.usage:12} {kind.about}")
    for name, point in plugins().items():
        print(f"{name:12} Plug-in: {point.value}")

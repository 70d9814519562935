"""Opening: what a journal begins with, and what is known of those who play in it without making any of them play."""

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.kinds import BUILTIN_AGENTS, make_agent
from molt_bench.config.sections import BenchmarkConfig


def known_policies(config: BenchmarkConfig) -> dict[str, PolicyOf]:
    """Return what built-in bots publish about their dice."""
    found = {}
    for participant in config.participants:
        spec = participant.spec()
        policy = getattr(make_agent(spec, seed=spec.id), "policy", None) if spec.type in BUILTIN_AGENTS else None
        if callable(policy):
            found[spec.id] = policy
    return found

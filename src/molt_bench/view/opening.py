"""Opening: what a journal begins with, and what is known of those who play in it without making any of them play."""

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.kinds import published_policy
from molt_bench.config.sections import BenchmarkConfig


def known_policies(config: BenchmarkConfig) -> dict[str, PolicyOf]:
    """Return the policies of built-in bots; the viewer never runs the user's own code."""
    found = {each.id: published_policy(each.spec(), run_user_code=False) for each in config.participants}
    return {name: policy for name, policy in found.items() if policy is not None}

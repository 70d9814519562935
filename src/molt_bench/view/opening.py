"""Opening: what a journal begins with, and what is known of those who play in it without making any of them play."""

from pathlib import Path

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.kinds import published_policy
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError
from molt_bench.runs.journal import Chain, Header


def header_in(chain: Chain, path: Path, lines: list[tuple[int, bytes]]) -> Header:
    """Return the first line of a journal.

    Raises:
        JournalError: It is damaged, not there yet, or of another format.
    """
    header = chain.read(lines[0][1]) if lines else None
    if not isinstance(header, Header):
        raise JournalError(f"{path} line 1: expected the header of a journal")
    return header


def known_policies(config: BenchmarkConfig) -> dict[str, PolicyOf]:
    """Return the policies of built-in bots; the viewer never runs the user's own code."""
    found = {each.id: published_policy(each.spec(), run_user_code=False) for each in config.participants}
    return {name: policy for name, policy in found.items() if policy is not None}

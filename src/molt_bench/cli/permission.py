"""The user's permission to run the agents of a stored run, which are named first."""

from collections.abc import Collection

from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.announced_agents import announced, permission_of
from molt_bench.cli.streams import notice
from molt_bench.errors import NotPermitted
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line


def permission_for(stored: Run, participants: Collection[str], *, run_agents: bool) -> Permission:
    """Return the permission to make participants of a run that are not built in: the flag `--run-agents` gives it.

    Raises:
        NotPermitted: The flag is not set.
        AgentError: The code of a participant is not the recorded one.
    """
    if not participants:
        return BUILT_IN
    if not run_agents:
        types = {each.id: each.type for each in stored.config.participants}
        named = ", ".join(f"{name!r} ({types[name]})" for name in participants)
        raise NotPermitted(
            on_one_line(f"{stored.folder}: this would run agents that the run names: {named}; ")
            + "if you trust it, add --run-agents"
        )
    found = announced(stored, participants)
    for each in found:
        notice(f"{stored.folder} names {each.text}")
    return permission_of(found)

"""The user's permission to run the agents of a stored run: they are named first, then a terminal is asked."""

from collections.abc import Collection

from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.arena.announced_agents import announced, permission_of
from molt_bench.cli.streams import agreed, can_ask, notice
from molt_bench.errors import NotPermitted
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line


def ask_permission(stored: Run, participants: Collection[str], *, run_agents: bool) -> Permission:
    """Return the permission to make participants of a run that are not built in, once the user has agreed.

    What would be run is named first. On a terminal the user is asked; elsewhere, the flag is the permission.

    Raises:
        NotPermitted: The user does not agree, or cannot be asked and has not set the flag.
        AgentError: The code of a participant is not the recorded one.
    """
    if not participants:
        return BUILT_IN
    if not can_ask() and not run_agents:
        types = {each.id: each.type for each in stored.config.participants}
        named = ", ".join(f"{name!r} ({types[name]})" for name in participants)
        raise NotPermitted(
            on_one_line(f"{stored.folder}: this would run agents that the run names: {named}; ")
            + "if you trust it, add --run-agents"
        )
    found = announced(stored, participants)
    for each in found:
        notice(f"{stored.folder} names {each.text}")
    try:
        willing = not can_ask() or agreed(f"Run {'this agent' if len(found) == 1 else f'these {len(found)} agents'}?")
    except KeyboardInterrupt:
        willing = False
    if not willing:
        raise NotPermitted("nothing was run")
    return permission_of(found)

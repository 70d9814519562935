"""The registry: from a participant's spec to an agent that can play."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.scripted import (
    CallStationAgent,
    FolderAgent,
    ManiacAgent,
    RandomAgent,
    ScriptedAgent,
    ShoverAgent,
    TightAgent,
)
from molt_bench.agents.tag import TagAgent
from molt_bench.errors import AgentError, ConfigError, shown
from molt_bench.seeds import Seed
from molt_bench.specs import ParticipantSpec

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]

#: The built-in bots by the name they have in configs.
BUILTIN_AGENTS: Final[Mapping[str, type[ScriptedAgent]]] = MappingProxyType(
    {
        bot.kind: bot
        for bot in (
            RandomAgent,
            TightAgent,
            CallStationAgent,
            ManiacAgent,
            TagAgent,
            FolderAgent,
            ShoverAgent,
        )
    }
)


def make_agent(
    participant: ParticipantSpec | str, *, factories: Mapping[str, AgentFactory] | None = None, seed: Seed = 0
) -> PokerAgent:
    """Make the agent of a participant.

    Args:
        participant: Who takes part; a type alone will do.
        factories: The caller's own agents by type; a built-in name given here is the caller's.
        seed: The dice of a built-in bot, unless its params say otherwise.

    Raises:
        ConfigError: There is no such type, or it does not take these params.
        AgentError: The factory raised, or returned something that is no agent.
    """
    spec = ParticipantSpec(id=participant, type=participant) if isinstance(participant, str) else participant
    factories = factories or {}
    if spec.type in factories:
        return _made(spec, factories[spec.type], spec.params)
    if spec.type not in BUILTIN_AGENTS:
        raise ConfigError("type", spec.type, _known_types(spec.type, (*BUILTIN_AGENTS, *factories)))
    params = {"seed": seed, "name": spec.id, **spec.params}
    unknown = sorted(params.keys() - {"seed", "name"})
    if unknown:
        raise ConfigError("params", unknown[0], f"what {spec.type!r} takes: seed or name")
    bot: Any = BUILTIN_AGENTS[spec.type](**params)
    agent: PokerAgent = bot
    return agent


def _made(spec: ParticipantSpec, factory: AgentFactory, params: Mapping[str, Any]) -> PokerAgent:
    try:
        agent = factory(**params)
    except Exception as error:
        raise AgentError(f"participant {spec.id!r}: its factory raised {type(error).__name__}: {error}") from error
    if not callable(getattr(agent, "act", None)):
        raise AgentError(
            f"participant {spec.id!r}: its factory returned {shown(agent)}, which is no agent: expected an object with "
            "a name and a method act(observation)"
        )
    return agent


def _known_types(wanted: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(wanted, known, n=1)
    listed = ", ".join(known)
    return f"{near[0]!r} perhaps, or another of {listed}" if near else f"one of {listed}"

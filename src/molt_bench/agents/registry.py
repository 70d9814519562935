"""The registry: from a participant's spec to an agent that can play."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from types import MappingProxyType, ModuleType
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
from molt_bench.seeds import Seed, derive
from molt_bench.specs import ParticipantSpec

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]

#: The type of participants that are language models.
LLM: Final = "llm"
#: Installed packages bring agents under this group of entry points.
ENTRY_POINT_GROUP: Final = "molt_bench.agents"

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
    if factories and spec.type in factories:
        return _made(spec, factories[spec.type])
    if is_llm(spec.type):
        from molt_bench.agents.llm.agent import lone_agent
        from molt_bench.agents.llm.settings import settings_from

        return lone_agent(spec.id, settings_from(llm_params(spec.type, spec.params)))
    if spec.type not in BUILTIN_AGENTS:
        return _made(spec, _found_factory(spec.type, (*BUILTIN_AGENTS, *(factories or ()))))
    params = {"seed": seed, "name": spec.id, **spec.params}
    unknown = sorted(params.keys() - {"seed", "name"})
    if unknown:
        raise ConfigError("params", unknown[0], f"what {spec.type!r} takes: seed or name")
    bot: Any = BUILTIN_AGENTS[spec.type](**params)
    agent: PokerAgent = bot
    return agent


def is_llm(kind: str) -> bool:
    """Say whether a type is a language model: `llm`, or `llm:openai:gpt-4.1`."""
    return kind == LLM or kind.startswith(f"{LLM}:")


def llm_params(kind: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of a language model, with the model that its type names."""
    model = kind.removeprefix(LLM).removeprefix(":")
    return {"model": model, **params} if model else dict(params)


def plugins() -> dict[str, Any]:
    """Return the entry points of installed packages that bring agents, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


@cache
def _found_factory(kind: str, known: tuple[str, ...]) -> AgentFactory:
    """Return the factory that a type names: `module:factory`, `path/to/file.py:factory` or a plug-in."""
    place, colon, name = kind.rpartition(":")
    if not colon:
        points = plugins()
        if kind not in points:
            raise ConfigError("type", kind, _known_types(kind, (*known, LLM, *points)))
        place, colon, name = points[kind].value.partition(":")
    try:
        module = _module_from_file(place) if place.endswith(".py") else import_module(place)
        factory: AgentFactory = getattr(module, name)
    except Exception as error:
        raise ConfigError(
            "type", kind, f"module:factory that can be imported ({type(error).__name__}: {error})"
        ) from error
    if not callable(factory):
        raise ConfigError("type", kind, f"a factory, and {name} is a {type(factory).__name__}")
    return factory


def _module_from_file(path: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    name = f"molt_bench_agent_{derive(path, 'module') & 0xFFFFFFFF:08x}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = module_from_spec(spec)
    sys.modules[name] = module
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.append(folder)  # so that it finds the modules beside it
    spec.loader.exec_module(module)
    return module


def source_hash(kind: str) -> str | None:
    """Return the SHA-256 of the file that a type's factory comes from; None for built-in agents and plug-ins."""
    from importlib.util import find_spec

    place, colon, _ = kind.rpartition(":")
    if not colon or kind in BUILTIN_AGENTS or is_llm(kind):
        return None
    try:
        found = None if place.endswith(".py") else find_spec(place)
        path = place if place.endswith(".py") else found.origin if found else None
        with open(path or "", "rb") as file:
            return sha256(file.read()).hexdigest()
    except (OSError, ImportError, ValueError):
        return None


def _made(spec: ParticipantSpec, factory: AgentFactory) -> PokerAgent:
    try:
        agent = factory(**spec.params)
    except Exception as error:
        raise AgentError(f"participant {spec.id!r}: its factory raised {type(error).__name__}: {error}") from error
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
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

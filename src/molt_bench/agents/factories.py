"""The user's own agents in Python: `module:factory`, `path/to/file.py:factory` and plug-ins, found by their type."""

import os
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import Any, Final, TypeAlias

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.suggestions import meant_by, near_name
from molt_bench.errors import AgentError, ConfigError, one_of, shown
from molt_bench.seeds import derive
from molt_bench.specs import ParticipantSpec

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]

#: Installed packages register agents under this group of entry points.
ENTRY_POINT_GROUP: Final = "molt_bench.agents"


def call_factory(spec: ParticipantSpec, factory: AgentFactory) -> PokerAgent:
    """Make an agent with a participant's params; raises AgentError if the factory raises, or returns none."""
    try:
        agent = factory(**spec.params)
    except Exception as error:
        raise AgentError(f"participant {spec.id!r}: its factory raised {type(error).__name__}: {error}") from error
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise AgentError(
            f"participant {spec.id!r}: its factory returned {shown(agent)}, which is not an agent: expected an object "
            "with a name and a method act(observation)"
        )
    return agent


@cache
def plugins() -> dict[str, Any]:
    """Return the entry points of installed packages that register agents, by name."""
    from importlib.metadata import entry_points  # slow, and rarely needed

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def find_factory(participant_type: str, other_types: tuple[str, ...]) -> AgentFactory:
    """Return the factory that a type names: `module:factory`, `path/to/file.py:factory` or the name of a plug-in.

    Raises ConfigError if there is none, or it cannot be imported; the message suggests one of `other_types`.
    """
    place, colon, name = participant_type.rpartition(":")
    if not colon:
        points = plugins()
        if participant_type not in points:
            if meant := meant_by(participant_type):
                raise ConfigError("type", participant_type, meant)
            known = (*other_types, *points)
            raise ConfigError("type", participant_type, one_of(known, participant_type))
        place, colon, name = points[participant_type].value.partition(":")
    try:
        module = _module_from_file(place, os.path.abspath(place)) if place.endswith(".py") else import_module(place)
        factory: AgentFactory = getattr(module, name)
    except Exception as error:
        near = near_name(place, name) if place.endswith(".py") and isinstance(error, AttributeError) else ""
        raise ConfigError(
            "type", participant_type, f"module:factory that can be imported ({type(error).__name__}: {error}){near}"
        ) from error
    if not callable(factory):
        raise ConfigError("type", participant_type, f"a factory, and {name} is a {type(factory).__name__}")
    return factory


@cache
def _module_from_file(path: str, absolute: str) -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location  # only runs with the user's own code need it

    name = f"molt_bench_agent_{derive(path, 'module') & 0xFFFFFFFF:08x}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    module = module_from_spec(spec)
    sys.modules[name] = module
    folder = os.path.dirname(absolute)
    if folder not in sys.path:
        sys.path.append(folder)  # so that it finds the modules beside it
    spec.loader.exec_module(module)
    return module


def file_hash(participant_type: str) -> str | None:
    """Return the SHA-256 of the file that a type's factory comes from; None for a plug-in, or if it cannot be read."""
    from importlib.util import find_spec  # only runs with the user's own code need it

    place, colon, _ = participant_type.rpartition(":")
    if not colon:
        return None
    try:
        found = None if place.endswith(".py") else find_spec(place)
        path = place if place.endswith(".py") else found.origin if found else None
        with open(path or "", "rb") as file:
            return sha256(file.read()).hexdigest()
    except (OSError, ImportError, ValueError):
        return None

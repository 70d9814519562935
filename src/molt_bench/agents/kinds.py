"""The registry: from a participant's spec to an agent that can play."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
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
from molt_bench.specs import DEFAULT_TIMEOUT_S, ParticipantSpec

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]

#: The type of participants that are language models.
LLM: Final = "llm"
#: The type of participants that are programs of their own, in any language.
EXEC: Final = "exec"
#: The type of participants that are web servers.
HTTP: Final = "http"
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
    participant: ParticipantSpec | str,
    *,
    factories: Mapping[str, AgentFactory] | None = None,
    seed: Seed = 0,
    action_timeout_s: float = DEFAULT_TIMEOUT_S,
    folder: Path | None = None,
) -> PokerAgent:
    """Make the agent of a participant.

    Args:
        participant: Who takes part; a type alone will do.
        factories: The caller's own agents by type; a built-in name given here is the caller's.
        seed: The dice of a built-in bot, unless its params say otherwise.
        action_timeout_s: Seconds for one answer of a program or a server, which limit their time themselves.
        folder: Where a file gets what a program writes to its standard error; None keeps none of it.

    Raises:
        ConfigError: There is no such type, or it does not take these params.
        AgentError: The factory raised, or returned something that is no agent.
    """
    spec = ParticipantSpec(id=participant, type=participant) if isinstance(participant, str) else participant
    if factories and spec.type in factories:
        return _made(spec, factories[spec.type])
    if is_llm(spec.type):
        from molt_bench.agents.llm.agent import lone_agent
        from molt_bench.agents.llm.model_settings import settings_from

        return lone_agent(spec.id, settings_from(llm_params(spec.type, spec.params)))
    if is_exec(spec.type):
        from molt_bench.agents.external.exec_agent import ExecAgent
        from molt_bench.agents.external.program_settings import ExecSettings
        from molt_bench.agents.fields import checked

        program = checked(ExecSettings, exec_params(spec.type, spec.params))
        return ExecAgent(spec.id, program, action_timeout_s=action_timeout_s, folder=folder)
    if is_http(spec.type):
        from molt_bench.agents.external.http_agent import HttpAgent
        from molt_bench.agents.external.program_settings import HttpSettings
        from molt_bench.agents.fields import checked

        server = checked(HttpSettings, http_params(spec.type, spec.params))
        return HttpAgent(spec.id, server, action_timeout_s=action_timeout_s)
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


def is_exec(kind: str) -> bool:
    """Say whether a type is a program: `exec`, or `exec:./bot --flag`."""
    return kind == EXEC or kind.startswith(f"{EXEC}:")


def exec_params(kind: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of a program, with the command that its type names."""
    command = kind.removeprefix(EXEC).removeprefix(":")
    return {"command": command, **params} if command else dict(params)


def is_http(kind: str) -> bool:
    """Say whether a type is a web server: `http`, a URL, or `http:` and a URL."""
    return kind == HTTP or kind.startswith((f"{HTTP}:", "https:"))


def http_params(kind: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of a web server, with the URL that its type names."""
    url = kind if kind.startswith(("http://", "https:")) else kind.removeprefix(HTTP).removeprefix(":")
    return {"url": url, **params} if url else dict(params)


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
            raise ConfigError("type", kind, _known_types(kind, (*known, LLM, EXEC, HTTP, *points)))
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


def source_hash(kind: str, params: Mapping[str, Any] | None = None) -> str | None:
    """Return the SHA-256 of the file that a type's factory comes from, or of those that a program's command names.

    None for built-in agents, plug-ins, language models and web servers.
    """
    from importlib.util import find_spec

    if is_exec(kind):
        from molt_bench.agents.external.command import command_hash

        command: str | Sequence[str] = exec_params(kind, params or {}).get("command", "")
        return command_hash(command)
    place, colon, _ = kind.rpartition(":")
    if not colon or kind in BUILTIN_AGENTS or is_llm(kind) or is_http(kind):
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

"""The user's own agents in Python: `module:factory`, `path/to/file.py:factory` and plug-ins, found by their type."""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module, util
from operator import attrgetter
from types import ModuleType
from typing import TypeAlias

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.code_file import CodeFile, code_file
from molt_bench.agents.type_suggestions import near_name
from molt_bench.errors import AgentError, ConfigError
from molt_bench.plugin import AGENTS, points
from molt_bench.seeds import derive
from molt_bench.specs import ParticipantSpec
from molt_bench.visible_text import shown

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]


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


def find_factory(participant_type: str, *, code_sha256: str | None = None) -> AgentFactory:
    """Return the factory that a type names: `module:factory`, `path/to/file.py:factory` or the name of a plug-in.

    Its code is loaded for that. With `code_sha256`, just the bytes with that hash are: a file that has another one is
    not run. Raises ConfigError if there is none, or it cannot be imported.
    """
    source, name = source_and_name(participant_type)
    try:
        factory: AgentFactory = attrgetter(name)(_module(source, code_sha256))
    except AgentError:
        raise
    except Exception as error:
        near = ""
        if source.endswith(".py") and isinstance(error, AttributeError):
            near = near_name(source, name)
        raise ConfigError(
            "type", participant_type, f"module:factory that can be imported ({type(error).__name__}: {error}){near}"
        ) from error
    if not callable(factory):
        raise ConfigError("type", participant_type, f"a factory, and {name} is a {type(factory).__name__}")
    return factory


def _module(source: str, code_sha256: str | None) -> ModuleType:
    """Load a file or import a module; with a hash, from the bytes that have it and no others."""
    if source.endswith(".py"):
        return _module_from_file(source, os.path.abspath(source), code_sha256)
    if "" not in sys.path:
        sys.path.insert(0, "")  # as with `python -m`: modules in the current folder can be named
    if code_sha256 is None:
        return import_module(source)
    return _module_from_bytes(source, code_sha256)


def _module_from_bytes(source: str, code_sha256: str) -> ModuleType:
    """Import a module from the bytes that have this hash; what it imports, its packages included, is not checked."""
    found = _with_hash(source, code_file(source), code_sha256)
    if not found.path.endswith(".py"):
        raise AgentError(f"{found.path} is compiled code, which cannot be run from the bytes that were checked")
    if source in sys.modules:
        return sys.modules[source]
    package = source.rpartition(".")[0]
    if package:
        import_module(package)
    inside = [os.path.dirname(found.path)] if os.path.basename(found.path) == "__init__.py" else None
    spec = util.spec_from_file_location(source, found.path, submodule_search_locations=inside)
    if spec is None:
        raise ImportError(f"{found.path} cannot be loaded")
    # Executed here and not by its loader, which would prefer a compiled file beside it that nobody has checked.
    return _executed(util.module_from_spec(spec), found)


@cache
def _module_from_file(path: str, absolute: str, code_sha256: str | None) -> ModuleType:
    name = f"molt_bench_agent_{derive(path, 'module') & 0xFFFFFFFF:08x}"
    spec = util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded")
    found = code_file(path)
    if code_sha256 is not None:
        found = _with_hash(path, found, code_sha256)
    module = util.module_from_spec(spec)
    folder = os.path.dirname(absolute)
    if folder not in sys.path:
        sys.path.append(folder)  # so that it finds the modules beside it
    if code_sha256 is not None and found is not None:
        return _executed(module, found)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _executed(module: ModuleType, found: CodeFile) -> ModuleType:
    sys.modules[module.__name__] = module
    try:
        exec(compile(found.content, found.path, "exec"), module.__dict__)
    except BaseException:
        sys.modules.pop(module.__name__, None)
        raise
    return module


def _with_hash(source: str, found: CodeFile | None, code_sha256: str) -> CodeFile:
    if found is None or found.sha256 != code_sha256:
        raise AgentError(f"{source} is not the code with SHA-256 {code_sha256}, so it is not run")
    return found


def source_and_name(participant_type: str) -> tuple[str, str]:
    """Return the file or module that a type names, and the name in it; "" for a plug-in that is not there."""
    source, colon, name = participant_type.rpartition(":")
    if colon:
        return source, name
    point = points(AGENTS).get(participant_type)
    source, _, name = ("", "", "") if point is None else point.value.partition(":")
    return source, name.partition("[")[0].strip()


def factory_file(participant_type: str) -> CodeFile | None:
    """Return the file that a type's factory comes from, without running anything; None if it cannot be read."""
    try:
        return code_file(source_and_name(participant_type)[0])
    except (OSError, ValueError):
        return None


def file_hash(participant_type: str) -> str | None:
    """Return the SHA-256 of the file that a type's factory comes from; None if it cannot be read."""
    found = factory_file(participant_type)
    return None if found is None else found.sha256

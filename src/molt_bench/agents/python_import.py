"""The user's own agents in Python: what `module:factory` and `path/to/file.py:factory` name.

What is run is exactly the bytes that were read, and a hash is of those. Every game in a sandbox begins with what is
imported here, so that is little.
"""

import inspect
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from errno import EINVAL
from functools import cached_property
from importlib import import_module, util
from importlib.machinery import ModuleSpec, PathFinder
from operator import attrgetter
from types import ModuleType
from typing import Any, Final, TypeAlias
from zlib import crc32

import msgspec

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import AgentError, ConfigError
from molt_bench.visible_text import shown

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]


class CodeFile(msgspec.Struct, frozen=True, dict=True):
    """A file of code: its absolute path with links followed, and its bytes, read once."""

    path: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes."""
        found: str = import_module("hashlib").sha256(self.content).hexdigest()  # few who load code ask for it
        return found


#: What this process has run, by the path of the file or the name of the module.
_LOADED: Final[dict[str, tuple[ModuleType, CodeFile | None]]] = {}


def call_factory(participant: str, factory: AgentFactory, params: Mapping[str, Any], context: Any = None) -> PokerAgent:
    """Make an agent with a participant's params; raises AgentError if the factory raises, or returns none.

    One that takes a `context` gets it beside them.
    """
    given = {"context": context} if context is not None and _takes_context(factory) else {}
    try:
        agent = factory(**params, **given)
    except (Exception, SystemExit) as error:
        raise AgentError(f"participant {participant!r}: its factory {_raised(error)}") from error
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise AgentError(
            f"participant {participant!r}: its factory returned {shown(agent)}, which is not an agent: expected an "
            "object with a name and a method act(observation)"
        )
    return agent


def _takes_context(factory: AgentFactory) -> bool:
    try:
        return "context" in inspect.signature(factory).parameters
    except (TypeError, ValueError):  # it does not say what it takes
        return False


def find_factory(code: str, *, code_sha256: str | None = None, anew: bool = False) -> AgentFactory:
    """Return the factory that `module:factory` or `path/to/file.py:factory` names.

    Its code is loaded for that, unless it was before; with `anew`, a file that has changed since is loaded again. With
    `code_sha256`, only the bytes with that hash are run. Raises ConfigError if there is none, or it cannot be loaded.
    """
    source, _, name = code.rpartition(":")
    try:
        module = _loaded(source, code_sha256, anew=anew)
    except AgentError:
        raise
    except (Exception, SystemExit) as error:
        expected = f"module:factory that can be imported, and {source} {_raised(error)}{_place(error, source)}"
        raise ConfigError("type", code, expected) from error
    try:
        factory: AgentFactory = attrgetter(name)(module)
    except AttributeError as error:
        found = _agents_in(module)
        near = f"; it has {', '.join(found[:5])}" if found else ""
        raise ConfigError("type", code, f"a name that {source} defines{near}") from error
    if not callable(factory):
        raise ConfigError("type", code, f"a factory, and {name} is a {type(factory).__name__}")
    return factory


def file_meant(path: str) -> str:
    """Return what to expect in place of a file without the name of an agent in it."""
    if not os.path.isfile(path):
        return f"a file that is there, and the name of an agent in it: {path}:NAME"
    try:
        found = _agents_in(_loaded(path, None, anew=True))
    except (Exception, SystemExit) as error:
        return f"{path}:NAME, and a file that can be imported: it {_raised(error)}{_place(error, path)}"
    if not found:
        return f"{path}:NAME, the name of a class with act(observation), or of a function that returns an agent"
    others = f" (or {', '.join(found[1:4])})" if found[1:] else ""
    return f"{path}:NAME; did you mean '{path}:{found[0]}'?{others}"


def factory_file(code: str) -> CodeFile | None:
    """Return the file that a factory comes from: as it was loaded, or else as it is; None for none."""
    source = code.rpartition(":")[0]
    if _key(source) in _LOADED:
        return _LOADED[_key(source)][1]
    try:
        return _code_file(source)
    except (OSError, ValueError):
        return None


def file_hash(code: str) -> str | None:
    """Return the SHA-256 of that file; None if it cannot be read."""
    found = factory_file(code)
    return None if found is None else found.sha256


def _key(source: str) -> str:
    return os.path.abspath(source) if source.endswith(".py") else source


def _loaded(source: str, code_sha256: str | None, *, anew: bool) -> ModuleType:
    """Return the module of a file, or of that name; with a hash, of the bytes that have it and no others."""
    known = _LOADED.get(_key(source))
    if known is not None and not (anew and source.endswith(".py")) and code_sha256 in (None, _hash_of(known[1])):
        return known[0]
    file = _code_file(source)
    if code_sha256 is not None and _hash_of(file) != code_sha256:
        raise AgentError(f"{source} is not the code with SHA-256 {code_sha256}, so it is not run")
    if known is not None and _hash_of(known[1]) == _hash_of(file):
        return known[0]
    if source.endswith(".py"):
        folder = os.path.dirname(_key(source))
        if folder not in sys.path:
            sys.path.append(folder)  # so that it finds the modules beside it
        name = f"molt_bench_agent_{crc32(source.encode()):08x}"
    else:
        name = source
        if "" not in sys.path:
            sys.path.insert(0, "")  # as with `python -m`: modules in the current folder can be named
    if file is not None and file.path.endswith(".py") and (source.endswith(".py") or name not in sys.modules):
        module = _executed(name, file)
    elif code_sha256 is not None and name not in sys.modules:
        raise AgentError(f"{source} is compiled code, which cannot be run from the bytes that were checked")
    else:
        module = import_module(name)
    _LOADED[_key(source)] = module, file
    return module


def _hash_of(file: CodeFile | None) -> str | None:
    return None if file is None else file.sha256


def _executed(name: str, file: CodeFile) -> ModuleType:
    """Run a file as a module; not by its loader, which would prefer a compiled file beside it that nobody has checked.

    What it imports is not checked, the packages that it lies in included.
    """
    if "." in name:
        import_module(name.rpartition(".")[0])
    inside = [os.path.dirname(file.path)] if os.path.basename(file.path) == "__init__.py" else None
    spec = util.spec_from_file_location(name, file.path, submodule_search_locations=inside)
    if spec is None:
        raise ImportError(f"{file.path} cannot be loaded")
    module = util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(file.content, file.path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _raised(error: BaseException) -> str:
    """Return what is said of what code of the user's raised."""
    if isinstance(error, SystemExit):
        return f"ended the program: sys.exit({'' if error.code is None else shown(error.code)})"
    return f"raised {type(error).__name__}: {error}"


def _place(error: BaseException, source: str) -> str:
    """Return the line of the user's file that raised, for the end of a message."""
    path, line, at = os.path.realpath(source), 0, error.__traceback__
    while at is not None:
        line = at.tb_lineno if os.path.realpath(at.tb_frame.f_code.co_filename) == path else line
        at = at.tb_next
    return f" (line {line})" if line else ""


def _agents_in(module: ModuleType) -> list[str]:
    """Return the names of a module that look like agents: its own classes that act, then functions without params."""
    own = [(name, each) for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__]
    acting = [(name, each) for name, each in own if isinstance(each, type) and callable(getattr(each, "act", None))]
    bases = {base for _, each in acting for base in each.__mro__[1:]}
    makers = [(name, each) for name, each in own if inspect.isfunction(each)]
    found: list[tuple[str, Any]] = [*sorted(acting, key=lambda item: item[1] in bases), *makers]
    return [name for name, each in found if not name.startswith("_") and not _needs_params(each)]


def _needs_params(make: Callable[..., Any]) -> bool:
    takes = inspect.signature(make).parameters.values()
    return any(
        each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in takes
    )


def _code_file(source: str) -> CodeFile | None:
    """Return the file of `path/to/file.py` or of a module; None if there is no such module, or it has no file.

    Raises OSError if the file cannot be read.
    """
    if source.endswith(".py"):
        path = source
    else:
        spec = _module_spec(source)
        if spec is None or not spec.has_location or spec.origin is None:
            return None
        path = spec.origin
    real = os.path.realpath(path)
    with open(real, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a device may never end
            raise OSError(EINVAL, "not a file", real)
        return CodeFile(real, file.read())


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; opening a pipe without a writer would block otherwise."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _module_spec(module: str) -> ModuleSpec | None:
    """Return where a module comes from. `importlib.util.find_spec` would import the packages that it lies in."""
    path: Sequence[str] | None = None
    found, parts = None, module.split(".")
    for at, part in enumerate(parts):
        name = ".".join(parts[: at + 1])
        found = _found(name, path) if part.isidentifier() and (not at or path is not None) else None
        if found is None:
            return None
        path = found.submodule_search_locations
    return found


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        # The current folder comes first, as with `python -m`.
        where = ["", *sys.path] if finder is PathFinder and path is None else path
        found = finder.find_spec(name, where)
        if found is not None:
            return found
    return None

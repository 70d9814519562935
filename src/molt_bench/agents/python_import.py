"""The user's own agents in Python: what `module:factory` and `path/to/file.py:factory` name.

Of a file, exactly the bytes that were read are run, and the hash is of those. Every game in a sandbox begins with what
is imported here, so that is little.
"""

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import count
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from molt_bench.agents.base import PokerAgent
from molt_bench.errors import AgentError, ConfigError
from molt_bench.visible_text import shown

#: Makes an agent; takes nothing, or the params of the participant's spec.
AgentFactory: TypeAlias = Callable[..., PokerAgent]


class CodeFile(NamedTuple):
    """A file of code: its absolute path with links followed, and its bytes, read once."""

    path: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes."""
        found: str = import_module("hashlib").sha256(self.content).hexdigest()  # few who load code ask for it
        return found


#: What this process has run, by the path of the file or the name of the module; and how often a file was.
_LOADED: Final[dict[str, tuple[ModuleType, CodeFile | None]]] = {}
_numbers: Final = count(1)


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


def find_factory(code: str, *, code_sha256: str | None = None, anew: bool = False) -> AgentFactory:
    """Return the factory that `module:factory` or `path/to/file.py:factory` names.

    Its code is loaded for that, unless it was before; with `anew`, a file that has changed since is loaded again. With
    `code_sha256`, only code with that hash is run. Raises ConfigError if there is none, or it cannot be loaded.
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
    """Return the file that a factory comes from: as it was loaded, or else as it is; None if it cannot be read."""
    source = code.rpartition(":")[0]
    if _key(source) in _LOADED:
        return _LOADED[_key(source)][1]
    try:
        return _code_file(source)
    except (OSError, ValueError):
        return None


def _key(source: str) -> str:
    return os.path.abspath(source) if source.endswith(".py") else source


def _loaded(source: str, code_sha256: str | None, *, anew: bool) -> ModuleType:
    """Return the module of a file, or of that name; with a hash, of the code that has it and no other."""
    key, is_file = _key(source), source.endswith(".py")
    module, file = _LOADED.get(key, (None, None))
    if module is not None and not (anew and is_file) and code_sha256 in (None, file and file.sha256):
        return module
    known, file = file, _code_file(source)
    if code_sha256 is not None and (file is None or file.sha256 != code_sha256):
        raise AgentError(f"{source} is not the code with SHA-256 {code_sha256}, so it is not run")
    if module is None or file != known:
        module = _executed(source, file) if is_file and file is not None else _imported(source)
        _LOADED[key] = module, file
    return module


def _imported(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as with `python -m`: modules in the current folder can be named
    return import_module(name)


def _executed(source: str, file: CodeFile) -> ModuleType:
    """Run a file as a module; not by a loader, which would prefer an unchecked compiled file beside it."""
    folder = os.path.dirname(os.path.abspath(source))
    if folder not in sys.path:
        sys.path.append(folder)  # so that it finds the modules beside it
    module = ModuleType(f"molt_bench_agent_{next(_numbers)}")
    module.__file__ = file.path
    sys.modules[module.__name__] = module
    try:
        exec(compile(file.content, file.path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
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
        line = at.tb_lineno if at.tb_frame.f_code.co_filename == path else line
        at = at.tb_next
    return f" (line {line})" if line else ""


def _agents_in(module: ModuleType) -> list[str]:
    """Return the names of a module that look like agents: its own classes that act, then its functions."""
    own = {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
    acting = [name for name, each in own.items() if isinstance(each, type) and callable(getattr(each, "act", None))]
    bases = {base for name in acting for base in own[name].__mro__[1:]}
    makers = [name for name, each in own.items() if isinstance(each, FunctionType)]
    return [
        name for name in (*sorted(acting, key=lambda name: own[name] in bases), *makers) if not name.startswith("_")
    ]


def _takes_context(make: AgentFactory) -> bool:
    try:
        return "context" in import_module("inspect").signature(make).parameters  # slow to load
    except (TypeError, ValueError):  # it does not say what it takes
        return False


def _code_file(source: str) -> CodeFile | None:
    """Return the file of `path/to/file.py` or of a module; None if there is no such module, or it has no file.

    No package is imported for that. Raises OSError if the file cannot be read.
    """
    path: str | None = source
    if not source.endswith(".py"):
        path, folders = None, ["", *sys.path]
        for part in source.split("."):
            spec = PathFinder.find_spec(part, folders)
            if spec is None:
                return None
            path, folders = spec.origin, [*(spec.submodule_search_locations or ())]
    if path is None:
        return None
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # a device may never end
        raise OSError(f"{path} is not a file")
    with open(path, "rb") as file:
        return CodeFile(path, file.read())

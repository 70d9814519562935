"""The registry of kinds: from the type of a participant to its kind, and from its spec to an agent that can play.

Kinds are entry points of the group `molt_bench.agents`, ours in our own `pyproject.toml`. One is loaded when a type of
its kind is met first.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final, TypeVar, cast

import msgspec

from molt_bench.agents import settings_base
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import AUTO, SandboxSettings, box_in, obstacle
from molt_bench.agents.python_import import AgentFactory, call_factory, file_meant
from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.agents.settings_base import AgentSettings, OpenSettings
from molt_bench.entry_points import AGENTS, broken, is_ours, package_of, points
from molt_bench.errors import AgentError, ConfigError
from molt_bench.plugin import Ask, Context, Kind
from molt_bench.specs import NO_BOX, ParticipantSpec
from molt_bench.suggestions import one_of

Made = TypeVar("Made")
#: The kind of files of Python, of modules, and of plug-ins that are a factory.
_PYTHON: Final = "python"


class _Bot(Kind):
    """One of our bots."""

    built_in = True

    def __init__(self, name: str, bot: type[ScriptedAgent]) -> None:
        self.name = self.usage = name
        self.bot = bot

    @property
    def about(self) -> str:
        return (self.bot.__doc__ or "").partition("\n")[0]

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        params = {"name": spec.id, **spec.params}
        unknown = sorted(params.keys() - {*self.bot.takes})
        if unknown:
            raise ConfigError("params", unknown[0], f"what {spec.type!r} takes: {' or '.join(self.bot.takes)}")
        return cast(PokerAgent, self.bot(**params))


class _Missing(Kind):
    """A type that nothing is registered for. A run that names it can be read; its agent cannot be made."""

    settings = OpenSettings
    takes_params = True

    def __init__(self, problem: str = "") -> None:
        self._problem = problem

    def make(self, spec: ParticipantSpec, context: Context) -> PokerAgent:
        meant = "" if context.boxed else meant_by(spec.type)  # which loads a file of the user's own
        known = [name for name in points(AGENTS) if kind_of(name).name in ("", name)]
        raise ConfigError("type", spec.type, self._problem or meant or one_of([*known, "FILE.py:NAME"], spec.type))


def meant_by(participant_type: str) -> str:
    """Return what to expect in place of a type that is a file or a command; "" if it looks like neither."""
    if participant_type.endswith(".py") and " " not in participant_type:
        return file_meant(participant_type)
    first, space, _ = participant_type.partition(" ")
    here = "./" if os.path.isfile(first) and "/" not in first else ""
    if os.path.isfile(first) or first.startswith(("./", "/")) or (space and shutil.which(first)):
        return f"exec: before a program; did you mean 'exec:{here}{participant_type}'?"
    return ""


class _Own(Kind):
    """An agent that the caller of a function makes."""


#: The kind of agents that are made by an object of the caller's.
OBJECT: Final[Kind] = _Own()
_MISSING: Final[Kind] = _Missing()
_KINDS: Final[dict[type[Kind], Kind]] = {}


@cache
def _loaded(point: EntryPoint) -> Kind:
    try:
        found = point.load()
        if isinstance(found, type) and issubclass(found, Kind):
            if found.built_in:
                raise ValueError("built_in is for the bots of molt-bench itself")
            return _made(found)
    except Exception as error:  # foreign code: it may raise anything
        return _Missing(f"an agent that can be played: {broken(point, error)}")
    return _Bot(point.name, found) if is_ours(point) else _python()


def _made(kind: type[Kind]) -> Kind:
    """Return the one object of a kind, which may be registered under several prefixes."""
    return _KINDS.setdefault(kind, kind())


def _python() -> Kind:
    if _PYTHON not in points(AGENTS):
        raise AgentError("molt-bench is not installed, so its kinds of agents are not known: pip install -e . does it")
    return _loaded(points(AGENTS)[_PYTHON])


def kind_of(participant_type: str, factories: Collection[str] = ()) -> Kind:
    """Return the kind of a participant; a type among the caller's own `factories` is the caller's."""
    if participant_type in factories:
        return OBJECT
    word, colon, _ = participant_type.partition(":")
    point = points(AGENTS).get(word)
    kind = _MISSING if point is None else _loaded(point)
    if colon and not kind.short:
        return _python()
    return kind


def all_kinds() -> tuple[Kind, ...]:
    """Return every kind that is installed; each once, ours first."""
    return tuple(dict.fromkeys(_loaded(point) for point in points(AGENTS).values()))


def all_agents() -> Iterator[tuple[str, str]]:
    """Yield what a config can name, and a line about each."""
    ours = sorted(all_kinds(), key=lambda kind: not kind.built_in)
    yield from ((kind.usage, kind.about) for kind in ours if kind.usage)
    named = ((name, point) for name, point in points(AGENTS).items() if not is_ours(point))
    yield from ((name, f"Plug-in: {point.value}") for name, point in named if name not in _loaded(point).usage)


def package_of_kind(participant_type: str) -> str | None:
    """Return the package whose plug-in plays a type; None if that is molt-bench itself, or a file of the user's."""
    point = points(AGENTS).get(participant_type.partition(":")[0])
    ours = point is None or is_ours(point) or (":" in participant_type and not kind_of(participant_type).short)
    return None if point is None or ours else package_of(point)


#: The built-in bots by the name that they have in configs.
BUILTIN_AGENTS: Mapping[str, type[ScriptedAgent]]


def __getattr__(name: str) -> Mapping[str, type[ScriptedAgent]]:
    """Return the built-in bots, which are loaded when they are asked for."""
    if name != "BUILTIN_AGENTS":
        raise AttributeError(name)
    return {kind.name: kind.bot for kind in all_kinds() if isinstance(kind, _Bot)}


def settings_of(spec: ParticipantSpec) -> AgentSettings | None:
    """Return the settings of a participant, checked; None if its kind has none. Raises ConfigError."""
    kind = kind_of(spec.type)
    if kind.settings is None:
        if spec.settings:
            field, value = next(iter(spec.settings.items()))
            raise ConfigError(field, value, f"nothing: {kind.name or spec.type!r} has no such setting")
        return None
    given = {} if kind.takes_params else {**kind.given(spec.type), **spec.params}
    settings: type[AgentSettings] = kind.settings
    return settings_base.checked(settings, {**given, **spec.settings})


def box_label(spec: ParticipantSpec, *, boxed: bool = False) -> str | None:
    """Return the label of the box that a participant plays in here, or `NO_BOX`; None if its kind knows no boxes.

    Raises ConfigError if it has to have one, and this machine cannot make it.
    """
    settings = settings_of(spec)
    if not isinstance(settings, SandboxSettings):
        return None
    box = box_in(settings, required=boxed)
    return NO_BOX if box is None else box.label


def make_agent(
    participant: ParticipantSpec | str,
    *,
    factories: Mapping[str, AgentFactory] | None = None,
    action_timeout_s: float | None = None,
    folder: Path | None = None,
    ask: Ask | None = None,
) -> PokerAgent:
    """Make the agent of a participant. Agents of a run are made by `molt_bench.agents.permission`.

    Args:
        participant: The participant; a type alone will do.
        factories: The caller's own agents by type; they take precedence over all others.
        action_timeout_s: Seconds for one answer of an agent that limits its own time: a program, a server or a language
            model. None for the default of its kind.
        folder: Folder for what a program writes to its standard error; None discards it.
        ask: Asks a language model in place of our own client: an async function that takes the system prompt and the
            message, and returns the reply and why it ended, as the provider names it, or None.

    Raises:
        ConfigError: There is no such type, or it does not take these params.
        AgentError: The factory raised, or returned something that is not an agent.
    """
    spec = ParticipantSpec(id=participant, type=participant) if isinstance(participant, str) else participant
    context = Context(folder=folder, ask=ask)
    return make_within(context, spec, factories, action_timeout_s=action_timeout_s)


def make_within(
    context: Context,
    spec: ParticipantSpec,
    factories: Mapping[str, AgentFactory] | None = None,
    *,
    action_timeout_s: float | None = None,
) -> PokerAgent:
    """Make an agent as `make_agent` does, with a context that tells more; its settings and time limit are filled in."""
    kind = kind_of(spec.type, factories or ())
    if kind is OBJECT and factories is not None:
        return call_factory(spec.id, factories[spec.type], spec.params)
    context = _filled(kind, spec, context, action_timeout_s)
    return _meant(spec, lambda: cast(PokerAgent, kind.make(spec, context)))


def shared_maker(
    spec: ParticipantSpec, *, action_timeout_s: float | None = None
) -> tuple[Callable[[], PokerAgent], list[str]]:
    """Return what makes a participant's agent for one game after another, and what the user should know about it.

    Its agents may share a connection; one that cannot be had is an error now.
    """
    kind = kind_of(spec.type)
    context = _filled(kind, spec, Context(), action_timeout_s)
    make = _meant(spec, lambda: kind.maker(spec, context))
    warnings = kind.warnings(spec, context)
    if isinstance(context.settings, SandboxSettings) and context.settings.sandbox == AUTO and obstacle():
        warnings = [*warnings, f"{spec.id} without a sandbox, since {obstacle()}: can read your files"]
    return lambda: _meant(spec, make), warnings


def _filled(kind: Kind, spec: ParticipantSpec, context: Context, action_timeout_s: float | None) -> Context:
    limit_s = kind.timeout_s if action_timeout_s is None else action_timeout_s
    return msgspec.structs.replace(context, settings=settings_of(spec), timeout_s=limit_s)


def _meant(spec: ParticipantSpec, make: Callable[[], Made]) -> Made:
    """Make something of a participant; for a type that is unknown, say which one of another kind may be meant."""
    try:
        return make()
    except ConfigError as error:
        meant = next(filter(None, (each.meant(spec.type) for each in all_kinds())), "") if error.field == "type" else ""
        if not meant:
            raise
        raise ConfigError("type", spec.type, f"{error.expected}; did you mean {meant!r}?") from error

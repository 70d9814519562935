"""The kinds of agents, one row each, and the way from a participant's spec to an agent that can play.

A new kind is a row in `KINDS`, the settings it takes and the file of its agent. Rows name both as `module:name`, loaded
when first used: importing this module must stay fast, since the command line's help and every worker do.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

import msgspec

from molt_bench.agents import settings_base
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.resolver import ResolverAgent
from molt_bench.agents.external.command import command_hash, label_of
from molt_bench.agents.external.supervised_program import OnRemains
from molt_bench.agents.python_import import AgentFactory, call_factory, check_factory, file_hash, find_factory
from molt_bench.agents.sandbox import choice, hosted_python
from molt_bench.agents.sandbox.choice import Box
from molt_bench.agents.scripted import (
    CallStationAgent,
    FolderAgent,
    ManiacAgent,
    RandomAgent,
    ScriptedAgent,
    ShoverAgent,
    TightAgent,
)
from molt_bench.agents.settings_base import AgentSettings
from molt_bench.agents.tag import TagAgent
from molt_bench.errors import AgentError, ConfigError
from molt_bench.specs import DEFAULT_TIMEOUT_S, MODEL_TIMEOUT_S, ParticipantSpec

#: Boxes that participants play in: one where that is possible, one in any case, or none.
AUTO: Final = "auto"
REQUIRED: Final = "bwrap"
OFF: Final = "off"

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
            BlueprintAgent,
            ResolverAgent,
        )
    }
)


class AgentKind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of agent.

    Attributes:
        name: Name of the kind; with settings, it is the `type` in a config and starts short forms such as `exec:./bot`.
        types: Other types of this kind.
        short_field: The setting that the rest of a short form gives.
        whole_prefixes: Starts of short forms that are that setting as a whole, such as a URL.
        settings: Its settings, as `module:class`; "" for a kind that takes params.
        agent: What makes its agent from a name and its settings, as `module:name`; "" for a kind that takes params.
        label: Returns the default id of a participant from its type.
        code_hash: Returns the SHA-256 of a participant's code from its type and params; None where there is none.
        timeout_s: Seconds for one answer where the config sets no limit.
        starts: Whether we start processes for it.
        sandbox: The box that it plays in unless its participant says otherwise; None if it does not play in one.
        waits: Whether its games wait for something outside this process, so that many can be under way at once.
        remote: Whether it is reached over the network.
        portable: Whether a worker process can make it from its spec.
        recorded: Whether its answers are recorded before they are used, so that it is never asked again.
        remembers: Whether it may remember one game in another, unless its participant says otherwise.
        comes: Whether it connects to us by itself, so that only a server can seat it.
        in_person: Whether a person at the terminal of this process answers for it.
        built_in: Whether it is one of our bots, which know nothing but the observation.
        user_code: Whether it runs the user's own Python code in this process.
        usage: How a config names it, for the list of agents; "" leaves it out.
        about: One line about it, for the same list.
    """

    name: str
    label: Callable[[str], str] = lambda participant_type: _factory_label(participant_type)
    types: Collection[str] = ()
    short_field: str = ""
    whole_prefixes: tuple[str, ...] = ()
    settings: str = ""
    agent: str = ""
    code_hash: Callable[[str, Mapping[str, Any]], str | None] = lambda _type, _params: None
    timeout_s: float = DEFAULT_TIMEOUT_S
    starts: bool = False
    sandbox: str | None = None
    waits: bool = False
    remote: bool = False
    portable: bool = False
    recorded: bool = False
    remembers: bool = False
    comes: bool = False
    in_person: bool = False
    built_in: bool = False
    user_code: bool = False
    usage: str = ""
    about: str = ""

    @property
    def foreign(self) -> bool:
        """Whether making it runs, starts or contacts what a config names, which the user has to permit."""
        return not (self.built_in or self.comes or self.in_person)

    def matches(self, participant_type: str) -> bool:
        """Return whether a participant's type is of this kind."""
        if not self.settings:
            return participant_type in self.types
        short_forms = (f"{self.name}:", *self.whole_prefixes) if self.short_field else ()
        return participant_type == self.name or participant_type.startswith(short_forms)

    def params(self, participant_type: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the params of a participant, with the setting that its type gives in short form."""
        whole = participant_type.startswith(self.whole_prefixes)
        value = participant_type if whole else participant_type.removeprefix(self.name).removeprefix(":")
        return {self.short_field: value, **params} if value and self.settings else dict(params)

    def settings_class(self) -> type[AgentSettings]:
        """Return the model of its settings."""
        return cast("type[AgentSettings]", _loaded(self.settings))


def _loaded(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _command_label(participant_type: str) -> str:
    return label_of(kind_of(participant_type).params(participant_type, {}).get("command", participant_type))


def _url_label(participant_type: str) -> str:
    url: str = HTTP.params(participant_type, {}).get("url", participant_type)
    return url.partition("://")[2].partition("?")[0].rstrip("/") or participant_type


def _factory_label(participant_type: str) -> str:
    return Path(participant_type.rpartition(":")[0]).stem if ":" in participant_type else participant_type


def _command_hash(participant_type: str, params: Mapping[str, Any]) -> str | None:
    return command_hash(kind_of(participant_type).params(participant_type, params).get("command", ""))


LLM: Final = AgentKind(
    name="llm",
    short_field="model",
    settings="molt_bench.llm.settings:LLMSettings",
    agent="molt_bench.llm.agent:lone_agent",
    label=lambda participant_type: participant_type.split(":", 2)[-1],
    timeout_s=MODEL_TIMEOUT_S,
    waits=True,
    remote=True,
    usage="llm:MODEL",
    about="A language model, such as llm:openai:gpt-4.1; needs the extra llm.",
)
EXEC: Final = AgentKind(
    name="exec",
    short_field="command",
    settings="molt_bench.agents.external.program_settings:ExecSettings",
    agent="molt_bench.agents.external.exec_agent:ExecAgent",
    label=_command_label,
    code_hash=_command_hash,
    starts=True,
    sandbox=AUTO,
    waits=True,
    recorded=True,
    usage="exec:COMMAND",
    about="A program in any language that speaks JSON lines, such as exec:./bot --fast.",
)
ACPC: Final = msgspec.structs.replace(
    EXEC,
    name="acpc",
    settings="molt_bench.agents.external.program_settings:AcpcSettings",
    agent="molt_bench.agents.external.acpc_agent:AcpcAgent",
    usage="acpc:COMMAND",
    about="A bot of the Annual Computer Poker Competition, such as acpc:./startme.sh.",
)
HTTP: Final = AgentKind(
    name="http",
    short_field="url",
    whole_prefixes=("http://", "https:"),
    settings="molt_bench.agents.external.program_settings:HttpSettings",
    agent="molt_bench.agents.external.http_agent:HttpAgent",
    label=_url_label,
    waits=True,
    remote=True,
    recorded=True,
    remembers=True,  # a server keeps running between games
    usage="http:URL",
    about="A web server that takes the same messages, such as http://127.0.0.1:9000/act.",
)
LIVE: Final = AgentKind(
    name="live",
    settings="molt_bench.agents.live.agent:LiveSettings",
    agent="molt_bench.agents.live.agent:nobody_there",
    timeout_s=MODEL_TIMEOUT_S,
    waits=True,
    remote=True,
    remembers=True,
    recorded=True,
    comes=True,
    usage="live",
    about="An agent that connects to us by itself; see molt-bench serve.",
)
HUMAN: Final = AgentKind(
    name="human",
    settings="molt_bench.agents.human:HumanSettings",
    agent="molt_bench.agents.human:HumanAgent",
    timeout_s=inf,
    waits=True,
    remembers=True,
    recorded=True,
    in_person=True,
    usage="human",
    about="A person at the terminal: you.",
)
BOT: Final = AgentKind(name="bot", types=BUILTIN_AGENTS, portable=True, built_in=True)
#: The user's own: `module:factory`, `path/to/file.py:factory`, or a plug-in by its name. Every other type is one.
FACTORY: Final = AgentKind(
    name="factory",
    code_hash=lambda participant_type, _params: file_hash(participant_type),
    sandbox=OFF,
    portable=True,
    user_code=True,
)
#: The same in a box, in a process of its own.
BOXED_FACTORY: Final = msgspec.structs.replace(FACTORY, starts=True, waits=True)
#: The user's own, made by an object that the caller passes in.
OBJECT: Final = AgentKind(name="object", user_code=True)

#: Every kind that a type can name, in the order they are tried.
KINDS: Final = (LLM, EXEC, ACPC, HTTP, LIVE, HUMAN, BOT, FACTORY)


def kind_of(participant_type: str, factories: Collection[str] = ()) -> AgentKind:
    """Return the kind of a participant; a type among the caller's own `factories` is the caller's."""
    if participant_type in factories:
        return OBJECT
    return next((kind for kind in KINDS if kind.matches(participant_type)), FACTORY)


def box_setting(spec: ParticipantSpec, kind: AgentKind) -> str | None:
    """Return which box a participant is to play in; None if its kind plays in none."""
    return None if kind.sandbox is None else spec.sandbox or kind.sandbox


def box_for(spec: ParticipantSpec, factories: Collection[str] = ()) -> Box | None:
    """Return the box that a participant plays in on this machine; None for none.

    Raises ConfigError if it has to have one, and this machine cannot make it.
    """
    kind = kind_of(spec.type, factories)
    setting = box_setting(spec, kind)
    if setting is None:
        if spec.sandbox in (None, OFF, AUTO):
            return None
        raise ConfigError("sandbox", spec.sandbox, f"none: {spec.id!r} is neither a program nor a file of Python code")
    return choice.box_of(setting, network=spec.network)


def missing_box(spec: ParticipantSpec) -> str:
    """Return why a participant that would have a box has none on this machine; "" if it has one, or wants none."""
    kind = kind_of(spec.type)
    return "" if box_setting(spec, kind) != AUTO or box_for(spec) is not None else choice.obstacle()


def playing_kind(spec: ParticipantSpec, factories: Collection[str] = ()) -> AgentKind:
    """Return the kind of a participant as it plays on this machine: Python code may do so in a box."""
    kind = kind_of(spec.type, factories)
    return BOXED_FACTORY if kind is FACTORY and box_for(spec) is not None else kind


def make_agent(
    participant: ParticipantSpec | str,
    *,
    factories: Mapping[str, AgentFactory] | None = None,
    action_timeout_s: float | None = None,
    folder: Path | None = None,
    code_sha256: str | None = None,
    on_remains: OnRemains | None = None,
) -> PokerAgent:
    """Make the agent of a participant. Agents of a stored run are made by `molt_bench.agents.permission`.

    Args:
        participant: The participant; a type alone will do.
        factories: The caller's own agents by type; they take precedence over built-in names.
        action_timeout_s: Seconds for one answer of an agent that limits its own time: a program, a server or a language
            model. None for the default of its kind.
        folder: Folder for what a program writes to its standard error; None discards it.
        code_sha256: The SHA-256 that its code must have, or else it is not run; None for any code.
        on_remains: Called with what is left of a program after a game, if not all of it can be ended; None warns as
            Python does.

    Raises:
        ConfigError: There is no such type, or it does not take these params.
        AgentError: The factory raised, or returned something that is not an agent; or the code has another hash.
    """
    spec = ParticipantSpec(id=participant, type=participant) if isinstance(participant, str) else participant
    kind = kind_of(spec.type, factories or ())
    if kind is OBJECT and factories is not None:
        return call_factory(spec, factories[spec.type])
    box = box_for(spec, factories or ())
    if kind is FACTORY and box is not None:
        return hosted_python.hosted_agent(
            spec, box, action_timeout_s=action_timeout_s, folder=folder, code_sha256=code_sha256, on_remains=on_remains
        )
    if kind is FACTORY:
        return call_factory(spec, find_factory(spec.type, _other_types(factories or ()), code_sha256=code_sha256))
    if kind is BOT:
        return _bot(spec)
    settings = settings_base.checked(kind.settings_class(), kind.params(spec.type, spec.params))
    if code_sha256 is not None and kind.code_hash(spec.type, spec.params) != code_sha256:
        raise AgentError(
            f"participant {spec.id!r}: its program is not the one with SHA-256 {code_sha256}, so it is not run"
        )
    limit_s = kind.timeout_s if action_timeout_s is None else action_timeout_s
    more = {"folder": folder, "on_remains": on_remains, "box": box} if kind.starts else {}
    return cast(PokerAgent, _loaded(kind.agent)(spec.id, settings, action_timeout_s=limit_s, **more))


def _bot(spec: ParticipantSpec) -> PokerAgent:
    bot, params = BUILTIN_AGENTS[spec.type], {"name": spec.id, **spec.params}
    unknown = sorted(params.keys() - {*bot.takes})
    if unknown:
        raise ConfigError("params", unknown[0], f"what {spec.type!r} takes: {' or '.join(bot.takes)}")
    return cast(PokerAgent, bot(**params))


def _other_types(factories: Iterable[str] = ()) -> tuple[str, ...]:
    return (*BUILTIN_AGENTS, *factories, *(kind.name for kind in KINDS if kind.settings))


def check_type(spec: ParticipantSpec) -> None:
    """Check that a type of the user's own code names a factory that takes the params, as far as is seen in its text.

    Nothing is run, in contrast to `make_agent`. Raises ConfigError.
    """
    check_factory(spec, _other_types())


def source_hash(participant_type: str, params: Mapping[str, Any] | None = None) -> str | None:
    """Return the SHA-256 of the file that a type's factory comes from, or of the files that a command names.

    None for built-in agents, language models and web servers.
    """
    return kind_of(participant_type).code_hash(participant_type, params or {})

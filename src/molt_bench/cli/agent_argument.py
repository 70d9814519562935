"""The agent that `check`, `gate` and commands of plug-ins take: one participant with its params."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import REQUIRED
from molt_bench.agents.kinds import kind_of, shared_maker
from molt_bench.cli.options import AGENT, param_flag, sandbox_flag
from molt_bench.cli.parser import flag
from molt_bench.cli.streams import warn
from molt_bench.config.assignments import value_of
from molt_bench.config.participants import participants_named
from molt_bench.errors import ConfigError
from molt_bench.specs import ParticipantSpec


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """An agent as the command line names it."""

    agent: str = flag(AGENT, "AGENT")
    params: tuple[str, ...] = param_flag("A param of the agent")
    sandbox: str | None = sandbox_flag("it")

    def spec(self) -> ParticipantSpec:
        """Return the participant."""
        return agent_from(self.agent, self.params, self.sandbox)

    def maker(self) -> Callable[[], PokerAgent]:
        """Return a function that makes the agent for a game."""
        return maker_of(self.spec())


def agent_from(text: str, assignments: Sequence[str], sandbox: str | None = None) -> ParticipantSpec:
    """Return the participant that the command line names as for `--participants`; params are `key=value`."""
    if not text.strip():
        raise ConfigError("AGENT", text, "an agent, such as tight; `molt-bench doctor` lists them")
    (entry,) = participants_named([text.strip()])
    settings = kind_of(entry["type"]).settings
    boxable = settings is not None and "sandbox" in settings.model_fields
    if sandbox == REQUIRED and not boxable:
        raise ConfigError("sandbox", sandbox, f"none: {entry['id']!r} is neither a program nor a file of Python code")
    box = {"sandbox": sandbox} if boxable and sandbox is not None else {}
    return ParticipantSpec(id=entry["id"], type=entry["type"], params=dict(map(_param, assignments)), settings=box)


def _param(assignment: str) -> tuple[str, Any]:
    key, equals, _ = assignment.partition("=")
    if not equals or not key.strip():
        raise click.BadParameter(f"{assignment!r} is not key=value", param_hint="--param")
    return key.strip(), value_of(assignment, "--param")


def maker_of(participant: ParticipantSpec, *, timeout_s: float | None = None) -> Callable[[], PokerAgent]:
    """Return a function that makes the agent for a game, as a benchmark does; say now what the user should know."""
    make, warnings = shared_maker(participant, action_timeout_s=timeout_s)
    for warning in warnings:
        warn(warning)
    return make

"""The agent that `check` and `join` take: one participant with its params."""

from collections.abc import Callable, Sequence
from typing import Any

import click
import yaml

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import AUTO, OFF, REQUIRED, obstacle
from molt_bench.agents.kinds import box_label, kind_of, make_agent, settings_of
from molt_bench.cli.streams import warn
from molt_bench.config.participants import participants_named
from molt_bench.errors import ConfigError
from molt_bench.llm.after_failure import RequestLimits
from molt_bench.llm.agent import LLMAgent
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.settings import LLMSettings, redirection_warnings
from molt_bench.plugin import NO_BOX
from molt_bench.specs import GameLabel, ParticipantSpec


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
    key, equals, text = assignment.partition("=")
    if not equals or not key.strip():
        raise click.BadParameter(f"{assignment!r} is not key=value", param_hint="--param")
    try:
        return key.strip(), yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise click.BadParameter(f"{text!r} is not valid YAML", param_hint="--param") from error


def maker_of(participant: ParticipantSpec, *, timeout_s: float | None = None) -> Callable[[], PokerAgent]:
    """Return a function that makes the agent for a game, as a benchmark does; all games share a model's connection.

    A model that cannot be called is an error now; other agents raise when they are made. The first that can be made
    warns if it should play in a box, and this machine cannot make one.
    """
    settings = settings_of(participant)
    if not isinstance(settings, LLMSettings):
        unboxed = getattr(settings, "sandbox", OFF) == AUTO and box_label(participant) == NO_BOX
        missing = [obstacle()] if unboxed else []

        def make() -> PokerAgent:
            made = make_agent(participant, action_timeout_s=timeout_s)
            if missing:
                warn(f"{participant.id} without a sandbox, since {missing.pop()}: can read your files")
            return made

        return make
    for warning in redirection_warnings({participant.id: [settings]}):
        warn(warning)
    limits = RequestLimits() if timeout_s is None else RequestLimits(timeout_s=timeout_s)
    gateway = Gateway({participant.id: settings}, limits=limits)
    return lambda: LLMAgent(participant.id, settings, gateway, game=GameLabel(0, 0, "AB"))

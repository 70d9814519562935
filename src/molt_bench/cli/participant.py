"""One participant on the command line: its name there, its params, and whoever plays for it."""

from collections.abc import Callable, Sequence
from typing import Any

import typer

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import LLM, kind_of, make_agent
from molt_bench.config.participants import named
from molt_bench.errors import ConfigError
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel, ParticipantSpec


def participant_from(text: str, assignments: Sequence[str]) -> ParticipantSpec:
    """Return the participant that a command line names, with its params.

    Args:
        text: Anything that `--participants` takes, such as `tight`, `my_bot.py:make` or `exec:./bot --flag`.
        assignments: Its params, each as `key=value`.
    """
    if not text.strip():
        raise ConfigError("participant", text, "a name, such as tight; molt-bench agents lists them")
    (entry,) = named([text.strip()])
    return ParticipantSpec(id=entry["id"], type=entry["type"], params=dict(map(_param, assignments)))


def _param(assignment: str) -> tuple[str, Any]:
    import yaml

    key, equals, text = assignment.partition("=")
    if not equals or not key.strip():
        raise typer.BadParameter(f"{assignment!r} is not key=value", param_hint="--param")
    try:
        return key.strip(), yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise typer.BadParameter(f"{text!r} is not a value that YAML can read", param_hint="--param") from error


def maker_of(
    participant: ParticipantSpec, *, seed: Seed = 0, timeout_s: float | None = None
) -> Callable[[], PokerAgent]:
    """Return what makes an agent for every game, as a benchmark does; a language model is reached once for all.

    Args:
        participant: Who plays.
        seed: The dice of a built-in bot.
        timeout_s: Seconds for one answer; None for what is usual for its kind.

    Raises:
        MoltBenchError: A language model that cannot be asked; others say so when they are made.
    """
    if kind_of(participant.type) is not LLM:
        return lambda: make_agent(participant, seed=seed, action_timeout_s=timeout_s)
    # Loaded here so that commands without a language model start fast.
    from molt_bench.agents.fields import checked
    from molt_bench.agents.llm.agent import LLMAgent
    from molt_bench.agents.llm.gateway import Gateway
    from molt_bench.agents.llm.model_settings import LLMSettings
    from molt_bench.agents.llm.retries import RequestLimits

    settings = checked(LLMSettings, LLM.params(participant.type, participant.params))
    limits = RequestLimits() if timeout_s is None else RequestLimits(timeout_s=timeout_s)
    gateway = Gateway({participant.id: settings}, limits=limits)
    return lambda: LLMAgent(participant.id, settings, gateway, game=GameLabel(0, seed, "AB"))


def printable(text: str) -> str:
    """Return a text that cannot steer the terminal, whoever wrote it; the ends of its lines stay."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)

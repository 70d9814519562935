"""Environment variables that a run needs but that are not set, so that a config can be checked without API keys."""

import os

import msgspec

from molt_bench.agents.llm.providers import key_variables
from molt_bench.config.participants import (
    ExecParticipantConfig,
    HttpParticipantConfig,
    LLMParticipantConfig,
    ParticipantConfig,
)
from molt_bench.specs import ParticipantSpec


def unset_variables(participant: ParticipantConfig) -> list[str]:
    """Return the unset variables that a participant needs; `A or B` if either will do."""
    if isinstance(participant, ExecParticipantConfig):
        return [name for name in participant.env if name not in os.environ]
    keys: tuple[str, ...] = ()
    if isinstance(participant, HttpParticipantConfig) and participant.api_key_env is not None:
        keys = (participant.api_key_env,)
    elif isinstance(participant, LLMParticipantConfig):
        keys = key_variables(participant.settings())
    return [" or ".join(keys)] if keys and not any(os.environ.get(name, "").strip() for name in keys) else []


def spec_without(participant: ParticipantConfig, variables: list[str]) -> ParticipantSpec:
    """Return a participant's spec as if it did not need these variables."""
    spec = participant.spec()
    if not variables:
        return spec
    params = dict(spec.params)
    if "env" in params:
        params["env"] = tuple(name for name in params["env"] if name not in variables)
    if params.get("api_key_env") in variables:
        params["api_key_env"] = None
    return msgspec.structs.replace(spec, params=params)

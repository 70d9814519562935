"""The header of a run: the config, and what identifies a config, a version and an agent's code."""

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import UNSET

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.agents.base import PolicyOf
from molt_bench.agents.factories import AgentFactory
from molt_bench.agents.kinds import kind_of, published_policy, source_hash
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import MoltBenchError
from molt_bench.luck.coefficients import VERSION, coefficients_hash
from molt_bench.luck.stated_policy import StatedPolicy
from molt_bench.runs.journal import FORMAT, Header
from molt_bench.runs.master_seed import MasterSeed, seed_hash
from molt_bench.seeds import Seed
from molt_bench.specs import ParticipantSpec

#: How the versions of harnesses are named in a header: this, and the participant.
_HARNESS_OF: Final = "harness of "
#: The libraries that models are asked with.
_LIBRARIES: Final = ("pydantic-ai-slim", "openai", "anthropic", "google-genai", "httpx2", "genai-prices")


def header_of(
    config: BenchmarkConfig,
    seed: MasterSeed,
    seeds: list[Seed] | None = None,
    policies: Mapping[str, PolicyOf] | None = None,
) -> Header:
    """Return the first line of a run's journal; a sealed master seed appears in it only as a hash."""
    from importlib.metadata import version  # loaded when needed, for a fast start

    plain = config.plain()
    if seed.sealed:
        plain["seeds"]["masterSeed"] = None
    return Header(
        FORMAT,
        BENCH_VERSION,
        __version__,
        config_hash(plain),
        plain,
        folder=os.getcwd(),
        seeds=seeds,
        source_hashes=source_hashes(config),
        versions={
            "python": platform.python_version(),
            "openskill": version("openskill"),
            "luck": luck_version(),
            **_redirections(config),
            **_libraries(config),
            **{f"{_HARNESS_OF}{name}": label for name, label in harnesses_of(config).items()},
        },
        master_seed_hash=seed_hash(seed.value) if seed.sealed else UNSET,
        stated_policies=[name for name, each in (policies or {}).items() if isinstance(each, StatedPolicy)] or UNSET,
    )


def harnesses_of(config: BenchmarkConfig) -> dict[str, str]:
    """Return the harness of each language model with its version, by participant."""
    return {name: settings.harness_label for name, settings in config.models().items()}


def recorded_harnesses(header: Header) -> dict[str, str]:
    """Return the harnesses that a header has; none if the run is older than that."""
    found = header.versions.items()
    return {name.removeprefix(_HARNESS_OF): label for name, label in found if name.startswith(_HARNESS_OF)}


def _libraries(config: BenchmarkConfig) -> dict[str, str]:
    """Return the versions of the libraries that models are asked with, if any are asked."""
    from importlib.metadata import PackageNotFoundError, version  # loaded when needed, for a fast start

    found = {}
    for name in _LIBRARIES if config.models() else ():
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _redirections(config: BenchmarkConfig) -> dict[str, str]:
    """Return where the environment sends models, by participant."""
    from molt_bench.agents.llm.redirection import redirection  # loaded when needed, for a fast start

    found = {name: redirection(settings) for name, settings in config.models().items()}
    return {f"server of {name}": where[1] for name, where in found.items() if where is not None}


def luck_version() -> str:
    """Return the version and hash of the frozen coefficients used to remove luck."""
    return f"{VERSION}:{coefficients_hash()}"


def source_hashes(config: BenchmarkConfig) -> dict[str, str]:
    """Return the hashes of the source files of custom agents, by participant."""
    specs = [participant.spec() for participant in config.participants]
    hashes = {spec.id: source_hash(spec.type, spec.params) for spec in specs}
    return {name: found for name, found in hashes.items() if found is not None}


def config_hash(plain: Mapping[str, Any]) -> str:
    """Return a hash of everything in a config that affects a result."""
    decisive = {key: value for key, value in plain.items() if key != "outputDir"}
    return sha256(msgspec.json.encode(decisive, order="sorted")).hexdigest()


def stated_policy(spec: ParticipantSpec, agents: Mapping[str, AgentFactory] | None = None) -> PolicyOf | None:
    """Return the policy of a participant: that of our own bots is trusted, any other is an agent's word, and tested."""
    policy = published_policy(spec, agents)
    return policy if policy is None or kind_of(spec.type, agents or ()).built_in else StatedPolicy(policy)


def published_policies(
    config: BenchmarkConfig, agents: Mapping[str, AgentFactory], recorded: Mapping[str, str] | None = None
) -> tuple[dict[str, PolicyOf], list[str]]:
    """Return the policies that participants publish, and a warning for each that cannot be used.

    Args:
        config: The config, with its files where they are now.
        agents: The caller's custom agents, by type.
        recorded: Hashes of the code that played a known run, by participant; None for a new run. A policy of any other
            code says nothing about a known run.
    """
    found, warnings = {}, []
    for spec in [participant.spec() for participant in config.participants]:
        policy, same = None, True
        if recorded is not None and kind_of(spec.type, agents).user_code:
            same = recorded.get(spec.id) in (None, source_hash(spec.type, spec.params))
        try:
            policy = stated_policy(spec, agents) if same else None
        except MoltBenchError:
            if recorded is None:
                raise
            same = False
        if policy is not None:
            found[spec.id] = policy
        if not same:
            warnings.append(
                f"the code of {spec.id!r} is not the code that played: if that published a policy, it is not used"
            )
    return found, warnings

"""The header of a run: the config, and what identifies a config, a version and an agent's code."""

import os
import platform
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.agents.kinds import source_hash
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.luck.coefficients import FROZEN, coefficients_hash
from molt_bench.runs.journal import FORMAT, Header
from molt_bench.runs.master_seed import MasterSeed, seed_hash
from molt_bench.seeds import Seed


def header_of(config: BenchmarkConfig, seed: MasterSeed, seeds: list[Seed] | None = None) -> Header:
    """Return the first line of a run's journal; a sealed master seed appears in it only as a hash."""
    from importlib.metadata import version

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
        },
        master_seed_hash=seed_hash(seed.value) if seed.sealed else UNSET,
    )


def luck_version() -> str:
    """Return the version and hash of the frozen coefficients used to remove luck."""
    return f"{FROZEN.version}:{coefficients_hash()}"


def source_hashes(config: BenchmarkConfig) -> dict[str, str]:
    """Return the hashes of the source files of custom agents, by participant."""
    specs = [participant.spec() for participant in config.participants]
    hashes = {spec.id: source_hash(spec.type, spec.params) for spec in specs}
    return {name: found for name, found in hashes.items() if found is not None}


def config_hash(plain: Mapping[str, Any]) -> str:
    """Return a hash of everything in a config that affects a result."""
    decisive = {key: value for key, value in plain.items() if key != "outputDir"}
    return sha256(msgspec.json.encode(decisive, order="sorted")).hexdigest()

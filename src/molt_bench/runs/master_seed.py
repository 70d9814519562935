"""Secrecy: the master seed, who must not know it, and where it is kept until the run ends.

Anyone who knows the master seed can compute every deck of a run. Built-in bots do not look, so runs among them use a
fixed one. With any other agent it is drawn at random and sealed: the journal holds its hash, a file that only the user
can read holds the seed, and the seed itself is written to the journal once the run has ended.
"""

import os
import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import UNSET

from molt_bench.agents.kinds import kind_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.files import text_of
from molt_bench.runs.journal_lines import Header, Line, SessionEnd
from molt_bench.seeds import MASTER_SEED_VARIABLE, Seed
from molt_bench.visible_text import shown

#: The master seed if every participant is built in.
DEFAULT_MASTER_SEED: Final = "molt-bench"
#: The file beside the journal that holds a sealed seed until the run ends.
SEED_FILE: Final = "master-seed"
#: A seed with fewer characters can be found by brute force.
_SHORTEST: Final = 16
_LONGEST: Final = 1000


def only_built_in(config: BenchmarkConfig, agents: Collection[str] = ()) -> bool:
    """Return whether every participant is a built-in bot; types in `agents` are the caller's custom agents."""
    return all(kind_of(each.type, agents).built_in for each in config.participants)


def draw_seed() -> str:
    """Draw an unguessable master seed of 128 bits."""
    return secrets.token_hex(16)


def settled(
    config: BenchmarkConfig, agents: Collection[str] = (), *, secret: str | None = None
) -> tuple[BenchmarkConfig, bool]:
    """Return the config with its master seed filled in, and whether that is sealed: kept secret until the run ends.

    `agents` are the types of the caller's custom agents; `secret` is a seed to seal, from a file or the environment.
    """
    seed: Seed | None = secret
    if seed is None:
        seed = config.seeds.master_seed
    if seed is None and only_built_in(config, agents):
        seed = DEFAULT_MASTER_SEED
    sealed = secret is not None or seed is None
    return with_master_seed(config, draw_seed() if seed is None else seed), sealed


def with_master_seed(config: BenchmarkConfig, seed: Seed | None) -> BenchmarkConfig:
    """Return the config with another master seed."""
    return config.model_copy(update={"seeds": config.seeds.model_copy(update={"master_seed": seed})})


def guessable(config: BenchmarkConfig, agents: Collection[str] = (), *, sealed: bool = False) -> str | None:
    """Return a warning if a given seed is short or public and an agent could use it to work out the cards.

    One that is `sealed` is not shown.
    """
    seed = config.seeds.master_seed
    if seed is None or only_built_in(config, agents) or (seed != DEFAULT_MASTER_SEED and not _is_short(seed)):
        return None
    named = "the secret master seed" if sealed else f"seeds.masterSeed = {shown(seed)}"
    return (
        f"{named} can be guessed, and a guess gives away every card: leave it out to "
        "have one drawn, or keep 32 random hex digits in a file for --master-seed-file"
    )


def _is_short(seed: Seed) -> bool:
    """Return whether a seed has too few characters, or too few different ones, to be secret."""
    text = str(seed) if not isinstance(seed, int) else hex(abs(seed))[2:]
    return len(text) < _SHORTEST or len({*text}) <= _SHORTEST // 4


def seed_hash(seed: Seed) -> str:
    """Return the SHA-256 of a seed in its text form."""
    return sha256(str(seed).encode()).hexdigest()


def keep(seed: Seed, folder: Path) -> str | None:
    """Write a sealed seed to its file, which only the user can read; return a warning if that fails."""
    path = folder / SEED_FILE
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{seed}\n")
    except OSError as error:
        return f"{path} could not be written ({error.strerror}): the run cannot be resumed"
    return None


def forget(folder: Path) -> None:
    """Remove the file of a seed that is now in the journal."""
    with suppress(OSError):
        (folder / SEED_FILE).unlink(missing_ok=True)


def revealed(lines: Sequence[Line]) -> Seed | None:
    """Return the master seed that a journal reveals once the run has ended."""
    told = [each.master_seed for each in lines if isinstance(each, SessionEnd) and each.master_seed is not UNSET]
    return told[-1] if told else None


def opened_seed(header: Header, told: Seed | None, folder: Path, *, secret: str | None = None) -> Seed:
    """Return the sealed master seed of a run: told at the end of its journal, in its file, or a secret of the user.

    Raises JournalError if none of them has it, or it is not the seed that the run was started with.
    """
    if told is not None:
        if seed_hash(told) != header.master_seed_hash:
            raise JournalError(f"{folder}: the master seed that was revealed is not the one the run was started with")
        return told
    kept = (_read(folder / SEED_FILE), secret or environment_seed() or "")
    for seed in kept:
        if seed and seed_hash(seed) == header.master_seed_hash:
            return seed
    raise JournalError(
        f"{folder}: the master seed is secret until the run ends, and {SEED_FILE} is "
        + ("not the one it was started with" if kept[0] else f"not here: put it there, or into {MASTER_SEED_VARIABLE}")
    )


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def secret_from(path: str | None) -> str | None:
    """Return the master seed from a file, or from the environment, where agents no longer see it; None for neither.

    Raises ConfigError if the file cannot be read, or contains no seed.
    """
    variable = environment_seed()
    if path is None and variable is None:
        return None
    seed = variable or ""
    if path is not None:
        seed = text_of(path, field="--master-seed-file", most_bytes=4 * _LONGEST).strip()
    if not seed or not seed.isprintable() or len(seed) > _LONGEST:
        field = MASTER_SEED_VARIABLE if path is None else "--master-seed-file"
        raise ConfigError(field, "..." if path is None else path, f"one line of 1 to {_LONGEST} characters")
    return seed


@cache
def environment_seed() -> str | None:
    """Return the secret seed from the environment, and remove the variable so that no agent finds it."""
    variable = os.environ.pop(MASTER_SEED_VARIABLE, None)
    return None if variable is None else variable.strip()

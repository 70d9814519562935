"""Which decks a match is played on: a pair's k-th meeting uses the k-th block of the pool.

So all pairings share decks, and a rematch never uses the same ones again.
"""

import os

from molt_bench.bench.config import SeedsConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.seeds import Seed, load_seeds, seed_pool


class SeedBlocks:
    """The pool of seeds in blocks of a match each; endless, or as long as a file.

    Raises:
        ConfigError: The file cannot be read, or has not even one block.
    """

    def __init__(self, config: SeedsConfig, known: list[Seed] | None = None) -> None:
        """Read the file, unless its seeds are known from a journal and it is gone; changed it must not be."""
        self._size = config.per_match
        self._master_seed = config.master_seed
        self._listed = known
        if config.file is not None and (known is None or os.path.exists(config.file)):
            self._listed = load_seeds(config.file)
            if known is not None and known != self._listed:
                raise JournalError(f"the seed file {config.file} has been changed since the run began")
        if self._listed is not None and len(self._listed) < self._size:
            raise ConfigError(
                "seeds.file", config.file, f"at least {self._size} seeds for one match, and it has {len(self._listed)}"
            )

    @property
    def listed(self) -> list[Seed] | None:
        """The seeds of the file, None where there is none."""
        return self._listed

    @property
    def exhausted(self) -> str:
        """Why a run ends when no pairing has a block left."""
        count = len(self._listed or ())
        return f"the seed file is exhausted: its {count:,} seeds are {count // self._size} blocks of {self._size}"

    def has_block(self, number: int) -> bool:
        """Say whether there is a block with this number, from 0."""
        return self._listed is None or (number + 1) * self._size <= len(self._listed)

    def block(self, number: int) -> list[Seed]:
        """Return the seeds of a block."""
        start = number * self._size
        if self._listed is not None:
            return self._listed[start : start + self._size]
        return [*seed_pool(self._master_seed, self._size, start=start)]

    def used(self, blocks: int) -> tuple[Seed, ...]:
        """Return all seeds of the first blocks."""
        return tuple(seed for number in range(blocks) for seed in self.block(number))

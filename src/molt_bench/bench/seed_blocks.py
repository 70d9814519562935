"""Decks of a match: every meeting of every pair gets its own block of the seed pool.

An agent that is lucky on a deck is lucky against every opponent. If all pairings were dealt the same decks, that luck
would add up instead of averaging out: the leads among five or six bots varied 1.3 to 2.5 times as much. So only the two
seatings of a seed share its decks.
"""

from collections.abc import Mapping

from molt_bench.bench.endings import SeedsUsed
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.seeds import Seed, seed_pool
from molt_bench.specs import Pair


class SeedBlocks:
    """The seed pool, one block per match; endless, or as long as a list of seeds from a file.

    The k-th meeting of the p-th of n pairs uses block k * n + p; both versions of a gate share the number of a pair.
    Raises ConfigError if the list has fewer seeds than one match needs.
    """

    def __init__(self, config: BenchmarkConfig, listed: list[Seed] | None = None) -> None:
        self._size = config.seeds.per_match
        self._master_seed = config.seeds.master_seed
        self._listed = listed
        if listed is not None and len(listed) < self._size:
            expected = f"at least {self._size} seeds for one match, and it has {len(listed)}"
            raise ConfigError("seeds.file", config.seeds.file, expected)
        decks = config.decks()
        number = {pair: at for at, pair in enumerate(dict.fromkeys(decks.values()))}
        self._number_of = {pair: number[own] for pair, own in decks.items()}
        self._count = len(number)

    @property
    def endless(self) -> bool:
        """Whether there is a block for every meeting."""
        return self._listed is None

    @property
    def matches(self) -> int | None:
        """How many matches there are blocks for; None if they are endless."""
        return None if self._listed is None else len(self._listed) // self._size

    @property
    def shortfall(self) -> str | None:
        """A warning if there is not a block for every pair, so that some can never meet."""
        if self.matches is None or self.matches >= self._count:
            return None
        return (
            f"seeds.file has {len(self._listed or ()):,} seeds, too few for a match of every pair, so the result will "
            f"be incomplete; {self._size * self._count:,} would do"
        )

    @property
    def exhausted(self) -> SeedsUsed:
        """Why the run ends when no pairing has a block left."""
        return SeedsUsed(len(self._listed or ()), self._size)

    def has_block(self, pair: Pair, meeting: int) -> bool:
        """Return whether there is a block for this meeting of the pair, counted from 0."""
        return self._listed is None or (self._number(pair, meeting) + 1) * self._size <= len(self._listed)

    def block(self, pair: Pair, meeting: int) -> list[Seed]:
        """Return the seeds of a meeting."""
        return self._seeds(self._number(pair, meeting) * self._size, self._size)

    def used(self, meetings: Mapping[Pair, int]) -> tuple[Seed, ...]:
        """Return the pool up to the last seed used, given how often each pair has met."""
        last = max((self._number(pair, count - 1) + 1 for pair, count in meetings.items() if count), default=0)
        return tuple(self._seeds(0, last * self._size)) if last else ()

    def _number(self, pair: Pair, meeting: int) -> int:
        return meeting * self._count + self._number_of[pair]

    def _seeds(self, start: int, count: int) -> list[Seed]:
        if self._listed is not None:
            return self._listed[start : start + count]
        return [*seed_pool(self._master_seed or 0, count, start=start)]

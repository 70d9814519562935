"""Which decks a match is played on: each meeting of each pair has a block of the pool for itself.

An agent that is lucky on a deck is so against everybody. If all pairings were dealt the same decks, that luck would add
up instead of averaging out: the leads among five or six bots varied 1.3 to 2.5 times as much. So only the two seatings
of a seed share its decks, unless the config wants it otherwise or a file has too few seeds for that.

Whoever may remember other games would know the cards of the swapped seats: it once held the other side of them. So its
games are all dealt from decks of their own.
"""

import os
from collections.abc import Mapping

from molt_bench.config.sections import SeedsConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.schedule import Pair
from molt_bench.seeds import Seed, derived_seed, load_seeds, seed_pool
from molt_bench.specs import Seating


class SeedBlocks:
    """The pool of seeds in blocks of a match each; endless, or as long as a file.

    The k-th meeting of the p-th of n pairs uses block k * n + p; where decks are shared, block k.

    Raises:
        ConfigError: The file cannot be read, or has not even one block.
    """

    def __init__(self, config: SeedsConfig, pairs: Mapping[Pair, int], known: list[Seed] | None = None) -> None:
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
        too_few = self._listed is not None and len(self._listed) < self._size * len(pairs)
        shared = too_few if config.shared_decks is None else config.shared_decks
        self._shared = shared
        self._number_of = {pair: at for at, pair in enumerate(pairs)}
        self._place = {pair: 0 if shared else at for at, pair in enumerate(pairs)}
        self._step = 1 if shared else len(pairs)

    @property
    def shared(self) -> bool:
        """Whether all pairings are dealt the same."""
        return self._shared

    @property
    def listed(self) -> list[Seed] | None:
        """The seeds of the file, None where there is none."""
        return self._listed

    @property
    def exhausted(self) -> str:
        """Why a run ends when no pairing has a block left."""
        count = len(self._listed or ())
        return f"the seed file is exhausted: its {count:,} seeds are {count // self._size} blocks of {self._size}"

    def has_block(self, pair: Pair, meeting: int) -> bool:
        """Say whether there is a block for a meeting of this pair, the first of which is 0."""
        return self._listed is None or (self._number(pair, meeting) + 1) * self._size <= len(self._listed)

    def block(self, pair: Pair, meeting: int) -> list[Seed]:
        """Return the seeds of a meeting."""
        start = self._number(pair, meeting) * self._size
        return self._seeds(start, self._size)

    def own_deck(self, pair: Pair, seed: Seed, seating: Seating, resumption: int = 0) -> str:
        """Return what names the decks of a game that no other game may share.

        Nor may the same game, begun again when a run goes on: `resumption` is how often the run had been resumed.
        """
        labels: list[Seed] = [self._number_of[pair]] if self._shared else []
        labels += ["resumed", resumption] if resumption else []
        return derived_seed(seed, "deck", seating, *labels)

    def used(self, meetings: Mapping[Pair, int]) -> tuple[Seed, ...]:
        """Return the pool up to the last seed that was used in so many meetings of each pair."""
        last = max((self._number(pair, count - 1) + 1 for pair, count in meetings.items() if count), default=0)
        return tuple(self._seeds(0, last * self._size)) if last else ()

    def _number(self, pair: Pair, meeting: int) -> int:
        return meeting * self._step + self._place[pair]

    def _seeds(self, start: int, count: int) -> list[Seed]:
        if self._listed is not None:
            return self._listed[start : start + count]
        return [*seed_pool(self._master_seed or 0, count, start=start)]

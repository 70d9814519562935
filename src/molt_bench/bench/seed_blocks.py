"""Decks of a match: every meeting of every pair gets its own block of the seed pool.

An agent that is lucky on a deck is lucky against every opponent. If all pairings were dealt the same decks, that luck
would add up instead of averaging out: the leads among five or six bots varied 1.3 to 2.5 times as much. So only the two
seatings of a seed share its decks, unless the config says otherwise or a seed file is too short for that. In a
gauntlet it is the other way around: everybody plays the same opponent, and luck that two have in common cancels out.

An agent that may remember other games would recognize the cards once seats are swapped: it has held the other side of
them before. So all of its games are dealt from separate decks.
"""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from molt_bench.config.sections import BenchmarkConfig, SeedsConfig
from molt_bench.errors import ConfigError
from molt_bench.play.match import seed_pair_specs
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed, derived_seed, seed_pool
from molt_bench.specs import SEATINGS, GameLabel, GameSpec, Pair, Seating


class SeedBlocks:
    """The seed pool, one block per match; endless, or as long as a list of seeds from a file.

    The k-th meeting of the p-th of n pairs uses block k * n + p; with shared decks, block k. Raises ConfigError if the
    list has fewer seeds than one match needs.

    Attributes:
        shared: Whether all pairings are dealt the same decks.
    """

    def __init__(self, config: SeedsConfig, pairs: Mapping[Pair, int], listed: list[Seed] | None = None) -> None:
        self._size = config.per_match
        self._master_seed = config.master_seed
        self._listed = listed
        if listed is not None and len(listed) < self._size:
            expected = f"at least {self._size} seeds for one match, and it has {len(listed)}"
            raise ConfigError("seeds.file", config.file, expected)
        too_few = listed is not None and len(listed) < self._size * len(pairs)
        self.shared = too_few if config.shared_decks is None else config.shared_decks
        self._number_of = {pair: at for at, pair in enumerate(pairs)}

    @property
    def endless(self) -> bool:
        """Whether there is a block for every meeting."""
        return self._listed is None

    @property
    def exhausted(self) -> str:
        """Why the run ends when no pairing has a block left."""
        count = len(self._listed or ())
        return f"the seed file is exhausted: its {count:,} seeds are {count // self._size} blocks of {self._size}"

    def has_block(self, pair: Pair, meeting: int) -> bool:
        """Return whether there is a block for this meeting of the pair, counted from 0."""
        return self._listed is None or (self._number(pair, meeting) + 1) * self._size <= len(self._listed)

    def block(self, pair: Pair, meeting: int) -> list[Seed]:
        """Return the seeds of a meeting."""
        return self._seeds(self._number(pair, meeting) * self._size, self._size)

    def own_deck(self, pair: Pair, seed: Seed, seating: Seating, resumption: int = 0) -> str:
        """Return the deck seed of a game that must not share its decks with any other game.

        Nor with an earlier start of the same game: `resumption` is how often the run had been resumed.
        """
        labels: list[Seed] = [self._number_of[pair]] if self.shared else []
        labels += ["resumed", resumption] if resumption else []
        return derived_seed(seed, "deck", seating, *labels)

    def used(self, meetings: Mapping[Pair, int]) -> tuple[Seed, ...]:
        """Return the pool up to the last seed used, given how often each pair has met."""
        last = max((self._number(pair, count - 1) + 1 for pair, count in meetings.items() if count), default=0)
        return tuple(self._seeds(0, last * self._size)) if last else ()

    def _number(self, pair: Pair, meeting: int) -> int:
        return meeting if self.shared else meeting * len(self._number_of) + self._number_of[pair]

    def _seeds(self, start: int, count: int) -> list[Seed]:
        if self._listed is not None:
            return self._listed[start : start + count]
        return [*seed_pool(self._master_seed or 0, count, start=start)]


class Dealer:
    """Deals the games of a run: their specs, including what keeps their cards secret.

    Args:
        config: The config, including its master seed.
        blocks: The seeds.
        trusted: Whether every agent is built in, so that nothing has to be kept secret.
        resumptions: How often the run was resumed with an agent that may remember games already started.
    """

    def __init__(self, config: BenchmarkConfig, blocks: SeedBlocks, *, trusted: bool, resumptions: int = 0) -> None:
        self.blocks = blocks
        self._config = config
        self._trusted = trusted
        self._resumptions = resumptions
        self._remembering = {each.id for each in config.participants if each.may_remember}

    def games(
        self, pairs: Sequence[Pair], meetings: Mapping[Pair, int], first: int, known: Mapping[GameLabel, GameRecord]
    ) -> dict[GameLabel, GameSpec]:
        """Return the games of a round by match and seed, with the two seatings of a seed together.

        `meetings` is how often each pair has met before, `first` the number of the round's first match.
        """
        return {
            GameLabel(number, seed, spec.seating): spec
            for number, pair in enumerate(pairs, start=first)
            for seed in self.blocks.block(pair, meetings[pair])
            for spec in self._seed_pair(pair, number, seed, known)
        }

    def _seed_pair(
        self, pair: Pair, number: int, seed: Seed, known: Mapping[GameLabel, GameRecord]
    ) -> tuple[GameSpec, GameSpec]:
        config = self._config
        decks: tuple[Seed | UnsetType, Seed | UnsetType] = (UNSET, UNSET)
        noise: tuple[Seed | UnsetType, Seed | UnsetType] = (UNSET, UNSET)
        if not self._trusted:
            if not self._remembering.isdisjoint(pair):
                first, second = (GameLabel(number, seed, seating) for seating in SEATINGS)
                decks = self._own_deck(pair, first, known), self._own_deck(pair, second, known)
            noise = self._noise(seed, decks[0]), self._noise(seed, decks[1])
        return seed_pair_specs(
            pair,
            seed=seed,
            hands=config.game.hands_per_game,
            options=config.game.options(),
            deck_seeds=decks,
            noise_seeds=noise,
        )

    def _noise(self, seed: Seed, own_deck: Seed | UnsetType) -> str:
        return derived_seed(self._config.seeds.master_seed or 0, "noise", seed if own_deck is UNSET else own_deck)

    def _own_deck(self, pair: Pair, label: GameLabel, known: Mapping[GameLabel, GameRecord]) -> str:
        """Return the deck seed of a game with an agent that may remember an earlier start of it."""
        decks = [
            self.blocks.own_deck(pair, label.seed, label.seating, resumed) for resumed in range(self._resumptions + 1)
        ]
        played = known[label].spec.deck_seed if label in known else UNSET
        return next((deck for deck in decks if deck == played), decks[-1])

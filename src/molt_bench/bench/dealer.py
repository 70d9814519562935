"""The dealer of a run: both games of a seed share its decks, unless an agent may remember; then each has its own.

An agent that may remember other games would recognize the cards once seats are swapped: it has held the other side of
them before. So all of its games are dealt from separate decks.
"""

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.play.match import SeatingSeeds, seed_pair_specs
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed, derived_seed
from molt_bench.specs import SEATINGS, GameLabel, GameSpec, Pair


class Dealer:
    """Deals the games of a run: their specs, including what keeps their cards secret.

    Args:
        config: The config, including its master seed.
        blocks: The seeds.
        resumptions: How often the run was resumed with an agent that may remember games already started.
    """

    def __init__(self, config: BenchmarkConfig, blocks: SeedBlocks, *, resumptions: int = 0) -> None:
        self.blocks = blocks
        self._config = config
        self._resumptions = resumptions
        self._remembering = {each.id for each in config.participants if each.kind.remembers}

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
        decks: SeatingSeeds = (UNSET, UNSET)
        if not self._remembering.isdisjoint(pair):
            first, second = (GameLabel(number, seed, seating) for seating in SEATINGS)
            decks = self._own_deck(first, known), self._own_deck(second, known)
        return seed_pair_specs(
            pair,
            seed=seed,
            hands=config.game.hands_per_game,
            options=config.game.options(),
            deck_seeds=decks,
            dice_names=UNSET if config.gate is None else config.gate.as_new(pair),
        )

    def _own_deck(self, label: GameLabel, known: Mapping[GameLabel, GameRecord]) -> str:
        """Return the deck seed of a game with an agent that may remember an earlier start of it."""
        decks = [_deck(label, resumed) for resumed in range(self._resumptions + 1)]
        played = known[label].spec.deck_seed if label in known else UNSET
        return next((deck for deck in decks if deck == played), decks[-1])


def _deck(label: GameLabel, resumption: int) -> str:
    """Return the deck seed of a game that must not share its decks with any other game.

    Nor with an earlier start of the same game: `resumption` is how often the run had been resumed.
    """
    labels: list[Seed] = ["resumed", resumption] if resumption else []
    return derived_seed(label.seed, "deck", label.seating, *labels)

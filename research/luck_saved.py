"""How many hands taking luck out saves: `python research/luck_saved.py > research/luck_saved.txt`.

The unit is the seed pair, two games on the same decks with the seats swapped; hands are in proportion to its variance.

- Cards: built-in bots, relative to independent hands by the chips.
- Draws: players who bet by the strength of their hands (`luck_players`) and state their mixes, relative to the same
  games if nothing were stated; with the plain value of draws, and with the plug-in `lookahead`, match by match of each
  pairing, since it learns. `z` says how far the mean of what was taken out is from 0, in standard errors.
"""

import argparse
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean, pvariance, stdev, variance
from typing import Any, Final

from luck_players import Bettor, Manner

from molt_bench import make_agent
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.match import play_match
from molt_bench.plugin import ComingMatch, CoreResult
from molt_bench.plugins.lookahead import Lookahead
from molt_bench.seeds import seed_pool

BOTS: Final = ("tag", "callstation", "tight", "maniac", "random")
#: Hands of a game, and seed pairs of a match.
HANDS, SEEDS = 10, 10


def print_cards(seeds: int) -> None:
    """Print the variance of each pairing of bots by each estimator."""
    print(f"{'cards: ' + str(seeds) + ' seed pairs of each pairing':36}{'raw':>8}{'adjusted':>10}")
    rows = []
    for pairing in combinations(BOTS, 2):
        makers = [lambda name=name: make_agent(name) for name in pairing]
        pairs = play_match((makers[0], makers[1]), seeds=seed_pool(f"saved {pairing}", seeds), hands=HANDS).seed_results
        alone = 2 * HANDS * pvariance([net for pair in pairs for game in pair.games for net in game.hand_nets])
        found = [[game_estimates(game) for game in pair.games] for pair in pairs]
        raw = pvariance([sum(each.raw for each in both) for both in found]) / alone
        adjusted = pvariance([sum(each.adjusted for each in both) for both in found]) / alone
        rows.append((raw, adjusted))
        print(f"{' - '.join(pairing):36}{raw:>8.2f}{adjusted:>10.2f}", flush=True)
    print(f"{'mean':36}{fmean(raw for raw, _ in rows):>8.2f}{fmean(adjusted for _, adjusted in rows):>10.2f}")


def print_draws(players: int, matches: int) -> None:
    """Print the variance that is left where mixes are stated, match by match."""
    names = [f"bettor {number}" for number in range(players)]
    made = {name: (lambda name=name: Bettor(Manner.drawn(name, noisy=False), seed=name)) for name in names}
    luck, number, away = Lookahead(), 0, list[float]()
    print(f"\n{'draws: ' + str(players) + ' players':36}{'plain':>8}{'lookahead':>10}")
    for meeting in range(matches):
        rows = []
        for pair in combinations(names, 2):
            number += 1
            seeds = seed_pool(f"stated {pair}", SEEDS, start=SEEDS * meeting)
            result = play_match((made[pair[0]], made[pair[1]]), seeds=seeds, hands=2 * HANDS)
            coming = ComingMatch(number, number, pair, built_in=False)
            term = luck.before(coming)
            found = [_won(seed.games, term, away) for seed in result.seed_results]
            rows.append([variance(column) for column in zip(*found, strict=True)])
            luck.rated(coming, result.games)
        plain, ahead = (fmean(row[at] / row[0] for row in rows) for at in (1, 2))
        print(f"{'match ' + str(meeting + 1) + ' of each pairing':36}{plain:>8.2f}{ahead:>10.2f}", flush=True)
    print(f"z {fmean(away) / (stdev(away) / sqrt(len(away))):+.1f}")


def _won(games: Sequence[Any], term: Any, away: list[float]) -> list[float]:
    """Return what the first won in a seed pair: without the luck of cards, plainly of draws, and by the term."""
    own = [0.0, 0.0, 0.0]
    for game in games:
        known = game_estimates(game)
        core = CoreResult(known.raw, known.without_cards, known.adjusted)
        value = core.adjusted if term is None else term.value(game, core)
        away.append(value - core.raw)
        own = [one + more for one, more in zip(own, (core.without_cards, core.adjusted, value), strict=True)]
    return own


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=300, help="seed pairs of each pairing of bots (%(default)s)")
    parser.add_argument("--players", type=int, default=5, help="who state mixes (%(default)s)")
    parser.add_argument("--matches", type=int, default=4, help="of each of their pairings (%(default)s)")
    options = parser.parse_args()
    print_cards(options.seeds)
    print_draws(options.players, options.matches)


if __name__ == "__main__":
    main()

"""Measure what deciding a round costs, by the number of participants; part of `pipeline.py`.

Counted is all that a run does between the last game of a round and the first of the next: ratings, margins, verdicts,
stop rules and schedule. The games are of two hands, and playing them and taking their luck out is not counted.
"""

from math import exp
from statistics import fmean, median
from time import process_time

from numpy.random import default_rng

from molt_bench import make_agent
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.rounds import Played, Round, rounds
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.loader import load_config
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import drive

KINDS = ("callstation", "tight")


def ladder_config(participants: int, matches: int) -> dict[str, object]:
    """Return the config of a run of many participants, each match one seed pair of two hands."""
    names = [{"id": f"p{at:03}", "type": KINDS[at % 2]} for at in range(participants)]
    return {
        "participants": names,
        "stop": {"budget": {"maxMatches": matches}},
        "seeds": {"perMatch": 1, "masterSeed": "deciding"},
        "game": {"handsPerGame": 2},
        "scheduler": {"minSeedPairs": 1},
    }


def seconds_of_rounds(participants: int, matches: int, *, met: int = 0) -> list[float]:
    """Return the CPU seconds between rounds of a run; all pairs have `met` before, with margins that are drawn."""
    config = load_config(ladder_config(participants, matches))
    ladder = Ladder(config, keep_hands=False)
    dice = default_rng(5)
    for pair in ladder.meetings if met else ():
        margins = tuple(dice.normal(0, 4000 * exp(dice.normal(0, 0.3)), met).tolist())
        ladder.margins.add(pair, margins)
        ladder.meetings[pair] = met
    run = rounds(config, ladder, Dealer(config, SeedBlocks(config)))
    kind_of = {each.id: each.type for each in config.participants}

    def play(wanted: Round) -> Played:
        games = {}
        for label, spec in wanted.missing.items():
            first, second = (make_agent(kind_of[name]) for name in spec.players)
            games[label] = drive(spec, (first, second))
        return Played(games, {game.spec: game_estimates(game) for game in games.values()})

    spent, wanted = [], next(run)
    while True:
        played = play(wanted)
        start = process_time()
        try:
            wanted = run.send(played)
        except StopIteration:
            return spent
        spent.append(process_time() - start)


def opening_milliseconds(participants: int, rounds: int = 60) -> float:
    """Return the mean CPU milliseconds of the first rounds, which are those of the opening."""
    return 1000 * fmean(seconds_of_rounds(participants, rounds))


def milliseconds(participants: int, more: int = 40) -> tuple[float, float]:
    """Return the CPU milliseconds of a round: while everybody meets everybody (mean), and after that (median)."""
    opening = participants * (participants - 1) // 2
    spent = seconds_of_rounds(participants, opening + more)
    return 1000 * fmean(spent[:opening]), 1000 * median(spent[opening:])


def settled_milliseconds(participants: int, rounds: int = 12) -> float:
    """Return the median CPU milliseconds of rounds after all pairs have met; their margins are drawn, not played."""
    return 1000 * median(seconds_of_rounds(participants, rounds, met=4))

"""Measure what stated strategies save: the variance of `corrected` relative to `adjusted`.

The player bets by strength and mixes. It states its strategy, sizes included, and leaves the draw to the bench (harness
mixed). The unit is the seed pair: two games on the same decks, seats swapped.

With --power: how soon the test of sizes refuses an agent that publishes a policy with any size of a range, from a raise
to so many times that one, and raises by less than it says.
"""

import argparse
from collections.abc import Mapping
from statistics import fmean, stdev, variance

import numpy as np

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.strategy import Share, StatedDraws, Strategy, drawn, weights_of
from molt_bench.agents.starting_hands import equity_against_best
from molt_bench.luck.dice.stated_policy_check import Option, PolicyTest, SizeDrawn
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import Action, Kind
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive

#: Raises between two looks at the test, and those at which it is looked at.
EVERY = 10
RAISES = (50, 100, 200, 400, 800)


def unit(*labels: int | str) -> float:
    """Return a number from 0 to 1."""
    return derive("stated", *labels) / 2**256


class Stater:
    """A player with the same odds that states them in whole percentages, with three sizes of raises."""

    name = "stater"

    def __init__(self, *, seed: str) -> None:
        self._seed = seed
        self._strategies: dict[tuple[int, int], Strategy] = {}

    def draws(self) -> StatedDraws:
        """Return its draws, as a run would have them."""
        return StatedDraws(self._strategies)

    def act(self, seen: Observation) -> Action:
        """State a strategy, and have an action drawn from it."""
        percents: dict[Action, int] = {}
        for kind, chance in _odds(seen).items():
            for size in (0.4, 0.8, 1.3) if kind == "raiseTo" else (None,):
                most = min(seen.min_raise_to + int((size or 0) * seen.pot), seen.max_raise_to)
                action = Action(kind, most) if size else Action(kind)
                percents[action] = percents.get(action, 0) + round(100 * chance / (3 if size else 1))
        passive = Action("call" if seen.to_call else "check")
        percents[passive] += 100 - sum(percents.values())
        strategy = tuple(Share(each.kind, each.amount, percent) for each, percent in percents.items() if percent)
        place = seen.hand_number, len(seen.log)
        self._strategies[place] = strategy
        return drawn(weights_of(strategy), int(unit(self._seed, "kind", *place) * 2**32))


def _odds(seen: Observation) -> Mapping[Kind, float]:
    held = equity_against_best(seen.cards, seen.board, 100)
    price = seen.to_call / (seen.pot + seen.to_call)
    weights: dict[Kind, float] = {"raiseTo": 0.05 + 0.9 * held**3} if seen.max_raise_to else {}
    weights["call" if seen.to_call else "check"] = 0.5
    weights["fold"] = max(0.02, 4 * price * (1 - held) ** 2) if seen.to_call else 0.005
    total = sum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}


def seed_pairs(seeds: int, hands: int, *, both: bool) -> tuple[list[float], list[float]]:
    """Return what player A won in each seed pair: adjusted and corrected."""
    adjusted, corrected = [], []
    for seed in range(seeds):
        won = []
        for seating in ("AB", "BA"):
            first = Stater(seed=f"{seed} {seating} first")
            second = Stater(seed=f"{seed} {seating} second") if both else BUILTIN_AGENTS["tag"](seed=seed)
            record = play_game((first, second), seed=f"stated {seed}", hands=hands, seating=seating)
            other = second.draws() if isinstance(second, Stater) else getattr(second, "policy", None)
            won.append(game_estimates(record, (first.draws(), other)))
        adjusted.append(sum(each.adjusted for each in won))
        corrected.append(sum(each.corrected for each in won))
    return adjusted, corrected


def print_power(runs: int) -> None:
    """Print the share of runs that are refused, by how it raises and by raises."""
    print(f"share of {runs} runs refused after so many raises, and how many it took in the middle one")
    print(f"{'raised to':22}" + "".join(f"{look:>9,}" for look in RAISES) + f"{'median':>9}")
    for times in (2, 4):
        for scale in (1.0, 0.9, 0.8):
            took = sorted(sizes_refused_after(times, scale, number) for number in range(runs))
            shares = "".join(f"{sum(each <= look for each in took) / runs:>9.2f}" for look in RAISES)
            middle = took[len(took) // 2]
            shown = f"{middle:,}" if middle <= RAISES[-1] else "more"
            print(f"{f'x {scale:g}, up to {times} times':22}{shares}{shown:>9}", flush=True)


def sizes_refused_after(times: float, scale: float, seed: int) -> int:
    """Return after how many raises an agent is refused that raises to `scale` times what it drew, but a raise."""
    dice, test, low = np.random.RandomState(seed), PolicyTest(10_000), 200
    span = int(low * (times - 1)) + 1
    for number in range(1, RAISES[-1] + 1):
        place = max(0, int(scale * (low + dice.randint(span))) - low)
        test.add([Option("raiseTo", 1, 1.0, 0.0)], 0, SizeDrawn(place / span, (place + 1) / span, 0))
        if number % EVERY == 0 and test.evidence().fails:
            return number
    return RAISES[-1] + 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=400)
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--power", type=int, metavar="RUNS", help="measure the test of sizes instead, in so many runs")
    options = parser.parse_args()
    if options.power:
        print_power(options.power)
        return
    print(f"{options.seeds} seed pairs of {options.hands} hands: variance of corrected / adjusted, t of the difference")
    for both, against in ((True, "another such player"), (False, "tag")):
        adjusted, corrected = seed_pairs(options.seeds, options.hands, both=both)
        changes = [one - two for one, two in zip(corrected, adjusted, strict=True)]
        t = fmean(changes) / (stdev(changes) / len(changes) ** 0.5) if any(changes) else 0.0
        print(f"against {against:20} {variance(corrected) / variance(adjusted):>6.2f} (t {t:+.1f})", flush=True)


if __name__ == "__main__":
    main()

"""Measure what known dice of models save: the variance of `corrected` relative to `adjusted`.

The players bet by strength and mix, as a language model does: the kind of action is drawn from odds, the amount of a
raise afterwards from others that nobody knows. Before it answers, a model may reason, and the odds of the answer are
those given its reasoning. So a share of every draw is settled beforehand, by thoughts whose odds nobody knows: with the
share s, the thoughts pick an action, and the odds that are reported are s for it, plus 1 - s times the odds before.
The last row is a player that states its strategy, sizes included, and leaves the draw to the bench (harness mixed).
Its unit is the seed pair: two games on the same decks, seats swapped.

With --power: how soon the test of draws refuses such a player if it draws otherwise than its odds say. Decisions are
those of its games, drawn from again and again. The second table is about agents that publish a policy with any size of
a range, from a raise to so many times that one, and raise by less than they say: the test of sizes.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from math import log
from statistics import fmean, stdev, variance

import numpy as np

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.providers.log_probabilities import Choice, RecordedDraws
from molt_bench.agents.llm.strategy import Share, StatedDraws, Strategy, drawn, together
from molt_bench.agents.starting_hands import equity_against_best
from molt_bench.luck.dice.model_draw_check import LEVEL, DrawTest
from molt_bench.luck.dice.stated_policy_check import Option, PolicyTest, SizeDrawn
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import KINDS, Action, Kind
from molt_bench.poker.observation import Observation
from molt_bench.seeds import derive

SHARES = (0.0, 0.5, 0.9, 1.0)
#: Decisions at which the test is looked at.
LOOKS = (250, 1000, 4000, 16_000, 64_000)
#: Draws between two looks at the capital.
EVERY = 10
#: Raises at which the test of sizes is looked at.
RAISES = (50, 100, 200, 400, 800)
Odds = Mapping[str, float]


def unit(*labels: int | str) -> float:
    """Return a number from 0 to 1."""
    return derive("logprobs", *labels) / 2**256


class Mixer:
    """A player that bets by strength and mixes; a share of every draw is settled by thoughts.

    Attributes:
        choices: The odds of its actions by hand and decision, as they would be recorded.
    """

    name = "mixer"

    def __init__(self, *, settled: float, seed: str) -> None:
        self._settled = settled
        self._seed = seed
        self.choices: dict[tuple[int, int], Choice] = {}

    def draws(self) -> RecordedDraws:
        """Return its draws, as a run would have them."""
        return RecordedDraws(self.choices)

    def act(self, seen: Observation) -> Action:
        """Draw an action."""
        place = seen.hand_number, len(seen.log)
        odds = _odds(seen)
        thought = _drawn(odds, unit(self._seed, "thought", *place))
        left = {kind: (1 - self._settled) * chance for kind, chance in odds.items()}
        left[thought] += self._settled
        kind = _drawn(left, unit(self._seed, "kind", *place))
        listed = tuple((each, log(chance)) for each, chance in left.items() if chance > 0)
        self.choices[place] = Choice(kind, listed, 0.0, quoted=True)
        if kind != "raiseTo":
            return Action(kind)
        low, high = seen.min_raise_to, seen.max_raise_to
        wanted = low + int((0.2 + 1.3 * unit(self._seed, "amount", *place)) * seen.pot)
        return Action(kind, min(wanted, high))


class Stater:
    """A player with the same odds that states them in whole percentages, with three sizes of raises."""

    name = "stater"

    def __init__(self, *, seed: str) -> None:
        self._seed = seed
        self._strategies: dict[tuple[int, int], list[Strategy]] = {}

    def draws(self) -> RecordedDraws:
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
        self._strategies[place] = [strategy]
        return drawn(together([strategy], seen.legal.allows), int(unit(self._seed, "kind", *place) * 2**32))


def _odds(seen: Observation) -> dict[Kind, float]:
    held = equity_against_best(seen.cards, seen.board, 100)
    price = seen.to_call / (seen.pot + seen.to_call)
    weights: dict[Kind, float] = {"raiseTo": 0.05 + 0.9 * held**3} if seen.max_raise_to else {}
    weights["call" if seen.to_call else "check"] = 0.5
    weights["fold"] = max(0.02, 4 * price * (1 - held) ** 2) if seen.to_call else 0.005
    total = sum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}


def _drawn(odds: dict[Kind, float], roll: float) -> Kind:
    for kind, chance in odds.items():
        roll -= chance
        if roll < 0:
            return kind
    return max(odds, key=lambda kind: odds[kind])


def seed_pairs(
    player: Callable[..., Mixer | Stater], seeds: int, hands: int, *, both: bool
) -> tuple[list[float], list[float]]:
    """Return what player A won in each seed pair: adjusted and corrected."""
    adjusted, corrected = [], []
    for seed in range(seeds):
        won = []
        for seating in ("AB", "BA"):
            first = player(seed=f"{seed} {seating} first")
            second = player(seed=f"{seed} {seating} second") if both else BUILTIN_AGENTS["tag"](seed=seed)
            record = play_game((first, second), seed=f"logprobs {seed}", hands=hands, seating=seating)
            other = second.draws() if isinstance(second, Mixer | Stater) else getattr(second, "policy", None)
            won.append(game_estimates(record, (first.draws(), other)))
        adjusted.append(sum(each.adjusted for each in won))
        corrected.append(sum(each.corrected for each in won))
    return adjusted, corrected


def heated(temperature: float) -> Callable[[Odds], Odds]:
    """Return a way to draw by another temperature."""

    def draw(odds: Odds) -> Odds:
        powers = {kind: chance ** (1 / temperature) for kind, chance in odds.items()}
        return {kind: each / sum(powers.values()) for kind, each in powers.items()}

    return draw


def top_p(share: float) -> Callable[[Odds], Odds]:
    """Return a way to draw only the likeliest, as many as it takes to reach a share."""

    def draw(odds: Odds) -> Odds:
        kept: dict[str, float] = {}
        for kind in sorted(odds, key=lambda kind: -odds[kind]):
            if sum(kept.values()) < share:
                kept[kind] = odds[kind]
        return {kind: each / sum(kept.values()) for kind, each in kept.items()}

    return draw


WAYS: dict[str, Callable[[Odds], Odds]] = {
    "as stated": lambda odds: odds,
    "greedy": lambda odds: {max(odds, key=lambda kind: odds[kind]): 1.0},
    "temperature 0.7": heated(0.7),
    "temperature 0.8": heated(0.8),
    "temperature 0.9": heated(0.9),
    "temperature 0.95": heated(0.95),
    "top-p 0.9": top_p(0.9),
    "top-p 0.95": top_p(0.95),
    "top-p 0.99": top_p(0.99),
}


def print_power(runs: int) -> None:
    """Print the share of runs that are refused, by how it draws and by decisions."""
    known: list[Odds] = []
    for seed in range(60):
        pair = [Mixer(settled=0.0, seed=f"power {seed} {which}") for which in range(2)]
        play_game((pair[0], pair[1]), seed=f"power {seed}", hands=10)
        for each in pair:
            known += [{kind: float(np.exp(chance)) for kind, chance in choice.odds} for choice in each.choices.values()]
    print(f"share of {runs} runs refused after so many decisions, and how many it took in the middle one")
    print(f"{'drawn':18}" + "".join(f"{look:>9,}" for look in LOOKS) + f"{'median':>9}{'least':>9}")
    for name, way in WAYS.items():
        bets = growth(known, [way(odds) for odds in known])
        took = sorted(refused_after(*bets, number) for number in range(runs))
        shares = "".join(f"{sum(each <= look for each in took) / runs:>9.2f}" for look in LOOKS)
        middle = took[len(took) // 2]
        least = decisions_needed(known, [way(odds) for odds in known])
        print(f"{name:18}{shares}{f'{middle:,}' if middle <= LOOKS[-1] else 'more':>9}{least:>9}", flush=True)
    print("\nthe same by raises, for published sizes")
    print(f"{'raised to':22}" + "".join(f"{look:>9,}" for look in RAISES) + f"{'median':>9}")
    for times in (2, 4):
        for scale in (1.0, 0.9, 0.8):
            took = sorted(sizes_refused_after(times, scale, number) for number in range(runs))
            shares = "".join(f"{sum(each <= look for each in took) / runs:>9.2f}" for look in RAISES)
            middle = took[len(took) // 2]
            shown = f"{middle:,}" if middle <= RAISES[-1] else "more"
            print(f"{f'x {scale:g}, up to {times} times':22}{shares}{shown:>9}", flush=True)


def decisions_needed(known: list[Odds], ways: list[Odds]) -> str:
    """Return after how many decisions the evidence suffices on average for a test that knows what to look for."""
    told = fmean(
        sum(chance * log(chance / odds[kind]) for kind, chance in way.items() if chance)
        for odds, way in zip(known, ways, strict=True)
    )
    return f"{-log(LEVEL) / told:,.0f}" if told > 1e-12 else "-"


def growth(known: list[Odds], ways: list[Odds]) -> tuple[np.ndarray, np.ndarray]:
    """Return the odds up to each kind as they are drawn, and by what every bet grows, by decision and kind."""
    test = DrawTest(KINDS)
    upto = np.cumsum([[way.get(kind, 0.0) for kind in KINDS] for way in ways], axis=1)
    nothing = [0.0] * len(test.growth(known[0], next(iter(known[0]))))
    bets = [[test.growth(odds, kind) if odds.get(kind) else nothing for kind in KINDS] for odds in known]
    return upto, np.array(bets)


def refused_after(upto: np.ndarray, bets: np.ndarray, seed: int) -> int:
    """Return after how many decisions the test refuses a player; one more than the most if it does not."""
    dice = np.random.RandomState(seed)
    at = dice.randint(len(upto), size=LOOKS[-1])
    drawn = (dice.random_sample(LOOKS[-1])[:, None] * upto[at, -1:] >= upto[at]).sum(axis=1)
    capital = bets[at, drawn].cumsum(axis=0)[EVERY - 1 :: EVERY]
    top = capital.max(axis=1)
    failing = top + np.log(np.exp(capital - top[:, None]).mean(axis=1)) >= -log(LEVEL)
    return EVERY * (int(failing.argmax()) + 1) if failing.any() else LOOKS[-1] + 1


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
    parser.add_argument("--power", type=int, metavar="RUNS", help="measure the test of draws instead, in so many runs")
    options = parser.parse_args()
    if options.power:
        print_power(options.power)
        return
    print(f"{options.seeds} seed pairs of {options.hands} hands: variance of corrected / adjusted, t of the difference")
    print("share settled by thoughts    two such models      one against tag")
    players: dict[str, Callable[..., Mixer | Stater]] = {
        **{f"{settled:.1f}": partial(Mixer, settled=settled) for settled in SHARES},
        "strategy stated": Stater,
    }
    for name, player in players.items():
        cells = []
        for both in (True, False):
            adjusted, corrected = seed_pairs(player, options.seeds, options.hands, both=both)
            changes = [one - two for one, two in zip(corrected, adjusted, strict=True)]
            t = fmean(changes) / (stdev(changes) / len(changes) ** 0.5) if any(changes) else 0.0
            cells.append(f"{variance(corrected) / variance(adjusted):>6.2f} (t {t:+.1f})")
        print(f"{name:>15}          {cells[0]:>16}     {cells[1]:>16}", flush=True)


if __name__ == "__main__":
    main()

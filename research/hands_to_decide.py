"""How good "about so many more hands" is: what a run says of itself early on, beside what it takes in the end.

Runs are simulated: normal margins, the run's own verdicts, and the next match where it saves most. Each is asked after
10 and 40 matches of every pairing, and is then played on until all neighbours are ordered or tied. A figure is good
if it is within a factor of 2. Runs that are decided, or nearly so, before they are asked say nothing.

    python research/hands_to_decide.py > research/hands_to_decide.txt
"""

import argparse
from itertools import combinations, pairwise
from statistics import median
from typing import Final

import numpy as np

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.loader import load_config

#: Skills in mbb a hand, and the standard deviation of a hand.
LADDERS: Final = {
    "two, close": ([400, 0], 11_000),
    "two, equal": ([0, 0], 11_000),
    "three, spread": ([900, 0, -700], 11_000),
    "three, two equal": ([900, 0, 0], 11_000),
    "four, spread": ([1200, 500, -300, -1000], 11_000),
    "four, two close": ([1200, 300, 0, -1000], 11_000),
    "five, spread": ([1600, 800, 200, -500, -1400], 11_000),
    "five, short stacks": ([500, 250, 0, -250, -500], 5_000),
    "six, two equal": ([2000, 900, 0, 0, -800, -1500], 11_000),
}
ASKED: Final = (3, 10, 30)
PER_MATCH: Final = 4
HANDS: Final = 50
MOST: Final = 20_000


def simulated(name: str, number: int) -> tuple[int, dict[int, float]]:
    """Play a run; return its matches, and how many it said it would take, by the matches of each pairing so far."""
    skills, per_hand = LADDERS[name]
    dice = np.random.default_rng([number, [*LADDERS].index(name)])
    names = [f"p{at}" for at in range(len(skills))]
    seeds, players = {"perMatch": PER_MATCH}, [{"id": name, "type": "tight"} for name in names]
    config = load_config({"participants": players, "seeds": seeds, "game": {"handsPerGame": HANDS}})
    model, judge = margin_model(config), judge_of(config)
    pairs, said = list(combinations(range(len(names)), 2)), {}
    deviation = per_hand / (2 * HANDS) ** 0.5
    for match in range(MOST):
        one, two = pairs[match % len(pairs)]
        if match >= len(pairs):
            order = model.ranking()
            verdicts = judge.neighbours(model, order)
            if all(each.kind != "open" for each in verdicts):
                return match, said
            if match in (count * len(pairs) for count in ASKED):
                said[match // len(pairs)] = match * judge.more_play(verdicts)
            above, below = model.numbers(pairwise(order))
            known = model.sums.leads(above, below)
            worth = judge.worth(known, len(verdicts)) * np.array([[each.kind == "open" for each in verdicts]])
            gains = model.sums.saved(above[None], below[None], worth, PER_MATCH)[0]
            one, two = np.unravel_index(gains.argmax(), gains.shape)
        margins = skills[one] - skills[two] + deviation * dice.standard_normal(PER_MATCH)
        model.add((names[one], names[two]), margins.tolist())
    return MOST, said


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=8, help="runs of every ladder (%(default)s)")
    options = parser.parse_args()
    asked = [f"{f'after {count}: good':>18}{'median':>8}" for count in ASKED]
    print(f"{'ladder':20}{'hands of a run':>20}{''.join(asked)}")
    for name in LADDERS:
        runs = [simulated(name, number) for number in range(options.runs)]
        hands = sorted(matches * 2 * PER_MATCH * HANDS for matches, _ in runs)
        line = f"{name:20}{f'{hands[0]:,} to {hands[-1]:,}':>20}"
        for count in ASKED:
            ratios = [said[count] / matches for matches, said in runs if count in said]
            good = sum(0.5 <= each <= 2 for each in ratios)
            line += f"{f'{good} of {len(ratios)}':>18}{median(ratios) if ratios else float('nan'):>8.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()

"""Measure the exam beside winnings: what agents of known strength lose in it, and what they win from each other.

Everybody of a field answers the public questions, and plays everybody else. Three things are printed: both numbers for
each, with their rank correlation; the pairs whose two orders differ although both are clear; and how often the ladder
of `tag` with more and more random actions comes out right after so many questions, if one answer is drawn at each.

`--orders` prints what exams claim about ten agents that had no part in making it, and `--second FILE` how another set
of questions agrees with the public one (`exam_orders.py`). `--runs` plays adaptive runs of the ten (`exam_run.py`).
"""

import argparse
from functools import partial
from itertools import combinations, pairwise
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from bots import Bot
from exam_orders import answers, drawn, print_agreement, print_orders
from exam_run import print_runs
from grades import HUNTER, correlation

from molt_bench.exam.questions import public_set
from molt_bench.exam.scoring import PER, weighted
from molt_bench.luck.estimators import margins_of
from molt_bench.play.match import play_match
from molt_bench.seeds import seed_pool

BIG_BLIND = 100
HANDS = 40
DRAWS = 500
LADDER = ("tag", "tag 5%", "tag 10%", "tag 20%", "tag 40%")
FIELD = {
    **{
        name: Bot(name, publish=name == "tag")
        for name in ("tag", "tight", "callstation", "maniac", "random", "folder", "shover", "blueprint")
    },
    **{name: Bot("tag", int(name[4:-1]) / 100, publish=True) for name in LADDER[1:]},
    "hunter": HUNTER,
}


def winnings(seeds: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return what the first of each two wins from the second, in bb/100, with its standard error."""
    found = {}
    for pair in combinations(FIELD, 2):
        first, second = (partial(FIELD[name].make, name) for name in pair)
        result = play_match((first, second), seeds=seed_pool("exam", seeds), hands=HANDS)
        margins = margins_of(result, big_blind=BIG_BLIND)["adjusted"]
        found[pair] = fmean(margins) / 10, stdev(margins) / sqrt(seeds) / 10
    return found


def share_right(weights: "np.ndarray", ladder: list[list[list[tuple[float, float]]]], count: int) -> float:
    """Return how often the ladder comes out in its order after so many questions, one answer drawn at each."""
    dice = np.random.RandomState(1)
    picked = dice.randint(len(weights), size=(DRAWS, count))
    means = np.array([(weights[picked] * drawn(each, picked, dice)).sum(axis=1) for each in ladder])
    return float((np.diff(means, axis=0) > 0).all(axis=0).mean())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="seed pairs of each pairing (%(default)s)")
    parser.add_argument(
        "--orders", type=int, metavar="EXAMS", help="simulate so many exams of ten other agents instead"
    )
    parser.add_argument("--second", type=Path, metavar="FILE", help="compare with another set of questions instead")
    parser.add_argument(
        "--runs",
        type=int,
        metavar="HANDS",
        help="play adaptive runs of ten other agents instead, of so many hands at most",
    )
    options = parser.parse_args()
    if options.runs is not None:
        print_runs(options.runs)
        return
    if options.orders is not None:
        print_orders(options.orders, options.seeds)
        return
    if options.second is not None:
        print_agreement(options.second)
        return
    questions = public_set().questions
    found = {name: answers(FIELD[name].make(name), questions) for name in FIELD}
    lost = {name: [sum(loss * chance for loss, chance in each) for each in found[name]] for name in FIELD}
    weights = [question.weight for question in questions]
    loss = {name: weighted([*zip(weights, each, strict=True)]) for name, each in lost.items()}
    won = winnings(options.seeds)
    mean = {
        name: fmean([value if pair[0] == name else -value for pair, (value, _) in won.items() if name in pair])
        for name in FIELD
    }
    print(f"{len(questions)} questions; {options.seeds} seed pairs of {HANDS} hands for each pairing")
    for name in sorted(FIELD, key=lambda each: loss[each].mean):
        print(f"{name:12} lost {PER * loss[name].mean:8.1f} ({PER * loss[name].scale:5.1f})  won {mean[name]:+8.1f}")
    names = list(FIELD)
    print(f"rank correlation {correlation([-loss[name].mean for name in names], [mean[name] for name in names]):+.2f}")
    other_way = []
    for one, other in combinations(names, 2):
        rows = [(w, b - a) for w, a, b in zip(weights, lost[one], lost[other], strict=True)]
        lead, (value, error) = weighted(rows), won[one, other]
        if abs(lead.mean) > 2 * lead.scale and abs(value) > 2 * error and lead.mean * value < 0:
            other_way.append(f"{one} - {other}")
    print(f"clear both ways, and the other way round, of {len(won)} pairs: {', '.join(other_way) or 'none'}")
    leads = [f"{PER * (loss[below].mean - loss[above].mean):.1f}" for above, below in pairwise(LADDER)]
    print(f"ladder {' > '.join(LADDER)}: leads {', '.join(leads)} per 100 decisions")
    for count in (50, 100, 200, 400, 800, 1600, 3200):
        right = share_right(np.array(weights), [found[name] for name in LADDER], count)
        print(
            f"{count:6} questions, one drawn answer each: the whole ladder is right in {100 * right:.1f}%", flush=True
        )


if __name__ == "__main__":
    main()

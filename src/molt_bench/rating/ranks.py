"""Rank intervals: the ranks a participant may have, given what is known of its lead over each of the others.

A participant is surely below all those that lead it by a significant margin, and surely above all those it leads so.
The rest may be on either side. The tests are those of the stop rule, so the interval stays valid although the run
looks after every round; a lead counts shared decks; and one that rests on a pairing without games is unknown, so both
orders stay possible. The error of one interval is shared among its comparisons (Holm 1979; Mogstad, Romano, Shaikh and
Wilhelm 2024, "Inference for ranks").
"""

from collections.abc import Collection
from itertools import combinations

from molt_bench.rating.margin import MarginModel
from molt_bench.rating.sequential import SequentialTest
from molt_bench.rating.verdicts import holm


def rank_intervals(
    model: MarginModel, test: SequentialTest, *, error: float = 0.05, apart: Collection[str] = ()
) -> dict[str, tuple[int, int]]:
    """Return each participant's best and worst rank, each interval wrong with probability `error` at most.

    Those `apart` have no rank; the others are ranked among themselves.
    """
    names = [name for name in model.participants if name not in apart]
    known: dict[str, list[tuple[float, bool]]] = {name: [] for name in names}
    for first, second in combinations(names, 2):
        lead = model.lead(first, second)
        doubt = test.doubt(lead)
        known[first].append((doubt, lead.mean > 0))
        known[second].append((doubt, lead.mean < 0))
    found = {}
    for name, others in known.items():
        allowed = holm([doubt for doubt, _ in others], error)
        certain = [leads for (doubt, leads), most in zip(others, allowed, strict=True) if doubt <= most]
        found[name] = 1 + certain.count(False), len(names) - certain.count(True)
    return found

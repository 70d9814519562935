"""Rank intervals: the ranks a participant may have, given what is known of its lead over each of the others.

A participant is surely below all those that lead it by a significant margin, and surely above all those it leads so.
The rest may be on either side. The tests are those of the stop rule, so the interval stays valid although the run
looks after every round; a lead counts shared decks; and one that rests on a pairing without games is unknown, so both
orders stay possible. The error of one interval is shared among its comparisons (Holm 1979; Mogstad, Romano, Shaikh and
Wilhelm 2024, "Inference for ranks"); with `familywise`, that of all intervals among all comparisons. So two ranks never
differ for sure where the verdict on the two is open.
"""

from collections.abc import Collection
from itertools import combinations

from molt_bench.rating.margin import MarginModel
from molt_bench.rating.sequential import SequentialTest
from molt_bench.rating.verdicts import holm


def rank_intervals(
    model: MarginModel,
    test: SequentialTest,
    *,
    error: float = 0.05,
    apart: Collection[str] = (),
    familywise: bool = False,
) -> dict[str, tuple[int, int]]:
    """Return each participant's best and worst rank, each interval wrong with probability `error` at most.

    Those `apart` have no rank; the others are ranked among themselves. With `familywise`, the error is that of all
    intervals together.
    """
    names = [name for name in model.participants if name not in apart]
    leads = {pair: model.lead(*pair) for pair in combinations(names, 2)}
    doubts = {pair: test.doubt(lead) for pair, lead in leads.items()}
    together = dict(zip(doubts, holm(list(doubts.values()), error), strict=True)) if familywise else {}
    found = {}
    for name in names:
        own = [pair for pair in leads if name in pair]
        allowed = [together[pair] for pair in own] if familywise else holm([doubts[pair] for pair in own], error)
        sure = [pair for pair, most in zip(own, allowed, strict=True) if doubts[pair] <= most]
        certain = [(leads[pair].mean > 0) == (pair[0] == name) for pair in sure]
        found[name] = 1 + certain.count(False), len(names) - certain.count(True)
    return found

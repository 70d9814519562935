"""More play: how many more seed pairs, and of whom, would decide a lead that is open.

If the lead stays as large as it is, it is decided once its standard error is small enough. Seed pairs go where they
lower that error most, so the fewest are needed: in proportion to weight times standard deviation (Neyman 1934), less
what each pairing has played already.
"""

from math import fsum, inf, sqrt
from typing import Final

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.specs import Pair

#: More seed pairs than anybody plays: a lead that needs them is as good as never decided.
_NEVER: Final = 1e9
_STEPS: Final = 100


def more_seed_pairs(model: MarginModel, test: Horizon, pair: Pair, *, error: float) -> dict[Pair, float] | None:
    """Return how many more seed pairs of each pairing would decide a lead; None if that cannot be said.

    It cannot before everybody that the lead rests on has played, nor where it would take more than anybody plays.
    """
    lead = model.lead(*pair)
    wanted = test.deciding(lead, error)
    if lead.scale in (0.0, inf) or not wanted > 0:
        return None
    weights = {each: weight for each, weight in model.lead_weights(*pair).items() if weight}
    parts = [(each, model.count(*each), abs(weight) * sqrt(model.variance(*each))) for each, weight in weights.items()]
    if not all(count for _, count, _ in parts):
        return None
    now = fsum(size**2 / count for _, count, size in parts)
    target = now * min(1.0, (wanted / lead.tested) ** 2)
    # Each pairing plays `rate` times its size, unless it has played more: find the least rate that is enough.
    low, high = 0.0, fsum(size for _, _, size in parts) / target if target else inf
    if not high < _NEVER:
        return None
    for _ in range(_STEPS):
        rate = (low + high) / 2
        reached = fsum(size**2 / max(count, rate * size) for _, count, size in parts)
        low, high = (rate, high) if reached > target else (low, rate)
    return {each: high * size - count for each, count, size in parts if high * size > count}

"""Honest runs are not suspected: 2,400 runs drawn from seed pairs that bots have played (`make slow SUITE=cheats`)."""

from itertools import combinations

import numpy as np
import pytest

from molt_bench import make_agent
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.model_draws import Draws
from molt_bench.bench.suspicion import Suspicion
from molt_bench.play.match import play_match
from molt_bench.seeds import seed_pool

#: From careful ones to one that always shoves: differences of up to 30 standard deviations are among theirs.
BOTS = ("tag", "tight", "callstation", "maniac", "random", "shover")
PAIRS = list(combinations(BOTS, 2))
#: Runs of each kind; six kinds are 2,400.
RUNS = 400
#: Seed pairs that are looked at together, as in a match.
BATCH = 10


def played(stack, hands, seeds):
    """Return raw results minus those without luck of every pairing, in mbb a hand, moved to a mean of 0."""
    made = {name: lambda name=name: make_agent(name, seed=name) for name in BOTS}
    policies = {name: getattr(make(), "policy", None) for name, make in made.items()}
    margins = MatchMargins({name: each for name, each in policies.items() if each}, Draws({}), big_blind=100)
    found = {pair: [] for pair in PAIRS}
    for start in range(0, seeds, 20):
        for number, pair in enumerate(PAIRS):
            cards = seed_pool(f"{stack} {hands} {number}", 20, start=start)
            players = made[pair[0]], made[pair[1]]
            result = play_match(players, seeds=cards, hands=hands, stack=100 * stack)
            known = margins.of(1 + number + start * len(PAIRS), pair, result, {})
            found[pair] += [raw - left for raw, left in zip(known["raw"], known["fitted"], strict=True)]
    return {pair: np.array(values) - np.mean(values) for pair, values in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("stack", [20, 100, 200])
@pytest.mark.parametrize(("hands", "seeds", "longest"), [(1, 800, 200), (50, 80, 40)])
def test_honest_runs_are_not_suspected(stack, hands, seeds, longest):
    """After every round of all pairings somebody looks; 0 alarms in 2,400 runs is below 1 in 1,000 with 90%."""
    pool = played(stack, hands, seeds)
    alarms, held = [], set()
    for run in range(RUNS):
        dice = np.random.default_rng([stack, hands, run])
        watch = Suspicion(BOTS, PAIRS, hands=2 * hands, stack=stack)
        drawn = {pair: dice.choice(values, longest).tolist() for pair, values in pool.items()}
        nothing = [0.0] * longest
        for end in range(BATCH, longest + 1, BATCH):
            for pair in PAIRS:
                if watch.add(pair, drawn[pair][:end], nothing[:end], "fitted"):
                    alarms.append((run, end, watch.findings()))
            held.update([run] if watch.doubted() else [])
    assert alarms == []
    assert len(held) <= RUNS / 200
    print(f"{stack} big blinds, {2 * hands} hands: nobody in {RUNS} runs, held back in {len(held)}")

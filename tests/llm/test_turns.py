"""Under a limit of money games take turns, so that it buys whole seed pairs, many requests stay under way, and the
estimate that is made after the first replies is good.
"""

import re

import pytest

from molt_bench import run_benchmark
from molt_bench.arena.status import Observer
from tests.llm.money_table import MODELS, PRICE, Case, Till, varied
from tests.llm.playing import base_url, config

#: Requests at once, and hands of a game.
AT_ONCE, HANDS = 16, 3
#: What a model writes, the limit in dollars, and its settings.
WRITES = {
    "the same each time": (lambda _: 300, 3.0, {}),
    "few tokens or many": (varied(80, 2000), 6.0, {}),
    "thoughts of up to 30,000 tokens": (varied(1000, 30_000), 40.0, {"reasoningEffort": "high"}),
}


class Course(Till):
    """Takes note of how many requests are under way as the money is spent."""

    def __init__(self, case, latency_s):
        self.course = []
        super().__init__(case)
        self._latency = lambda _: latency_s

    def _bill(self, written):
        bill = super()._bill(written)
        self.course.append((sum(self.bills) + bill, self._in_flight))
        return bill


def spend(writes, limit, settings, *, latency_s=0.5):
    """Spend a limit; return the course of it, the result, and what the user was told."""
    said, statuses = [], []
    with Course(Case(limit, writes=writes), latency_s) as till:
        player = {"id": "model", "type": "llm", "model": MODELS["openai"], "baseUrl": base_url(till), **settings}
        wanted = config(
            {**player, "maxConcurrent": AT_ONCE},
            seeds=100,
            llm={"prices": {MODELS["openai"]: PRICE}},
            game={"handsPerGame": HANDS, "actionTimeoutS": 60.0},
        )
        wanted["stop"]["budget"] = {"maxMatches": 1, "maxCostUsd": limit}
        observer = Observer(on_status=statuses.append, on_warning=lambda _: None, on_notice=said.append)
        result = run_benchmark(wanted, observer=observer)
        return till.course, result, said, statuses


@pytest.mark.parametrize("what", [pytest.param(what, marks=pytest.mark.slow) for what in WRITES])
def test_half_of_the_requests_stay_under_way_until_the_last_tenth_of_the_money(what):
    writes, limit, settings = WRITES[what]
    course, result, said, statuses = spend(writes, limit, settings)
    assert course[-1][0] <= 1.02 * limit
    tenths = [[] for _ in range(11)]
    for spent, under_way in course:
        tenths[int(10 * spent / limit)].append(under_way)
    means = [sum(each) / len(each) for each in tenths[3:9]]  # after it is known what replies cost
    assert min(means) >= AT_ONCE / 2, means
    pairs = sum(len(match.seed_results) for match in result.matches)
    games = 2 * pairs * limit / course[-1][0]
    (told,) = [float(re.search(r"buys about (\d+) games", text)[1]) for text in said if "buys about" in text]
    assert games / 1.5 <= told <= 1.5 * games, (games, told)
    bought = [each.under_way.games_bought for each in statuses if each.under_way.games_bought is not None]
    assert all(games / 1.5 <= each <= 1.5 * games for each in bought)


def test_progress_says_from_the_beginning_what_is_under_way():
    _, _, _, statuses = spend(lambda _: 300, 0.4, {}, latency_s=0.1)
    now = [each.under_way for each in statuses]
    assert all(0 <= each.requests <= AT_ONCE and each.games >= 0 for each in now)
    assert max(each.games for each in now) > 1
    assert any(each.hands_per_minute for each in now)
    assert any(each.left_s is not None and each.left_s < 600 for each in now)

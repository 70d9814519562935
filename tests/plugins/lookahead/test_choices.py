"""The choices of a mix: all of its chance is in them, and each action that can be drawn belongs to one."""

import pytest

from molt_bench.plugins.lookahead.choices import choices_of
from molt_bench.poker.actions import CALL, FOLD, Action
from molt_bench.poker.betting import opening
from molt_bench.poker.hand_rules import HandRules
from molt_bench.poker.mix import Mix, RaiseRange

START = opening(HandRules(50, 100), (10_000, 10_000), 0)
SINGLES = [(Action("raiseTo", size), 1) for size in range(200, 2200, 100)]
MIXES = [
    Mix([(FOLD, 1), (CALL, 3)]),
    Mix([(CALL, 1), (Action("raiseTo", 300), 2)]),
    Mix([(FOLD, 1), (RaiseRange(200, 10_000), 5)]),
    Mix([(RaiseRange(200, 299), 1), (Action("raiseTo", 300), 1), (RaiseRange(301, 9_000), 1)]),
    Mix(SINGLES),
    Mix([*SINGLES, (RaiseRange(2200, 4000), 7)]),
]


@pytest.mark.parametrize("mix", MIXES)
def test_all_of_the_chance_is_in_them_and_every_action_has_its_place(mix):
    found = choices_of(mix, START)
    chances = dict.fromkeys(found.of.values(), 0.0)
    for entry, weight in mix.entries:
        sizes = range(entry.low, entry.high + 1) if isinstance(entry, RaiseRange) else [entry.amount]
        kind = "raiseTo" if isinstance(entry, RaiseRange) else entry.kind
        for size in sizes:
            chances[found.of_action(kind, size)] += weight / mix.total / len(sizes)
    assert sum(chances.values()) == pytest.approx(1)
    assert [*chances.values()] == pytest.approx([choice.chance for choice in chances])

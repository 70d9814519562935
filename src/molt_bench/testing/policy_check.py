"""Whether an agent draws as its published policy says, by the games of its check."""

from collections.abc import Iterable, Iterator
from functools import partial
from math import sqrt
from typing import Final

from molt_bench.agents.base import PolicyOf
from molt_bench.luck.cards.card_luck import hand_luck
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.luck.dice.draws import Deal, decisions_of
from molt_bench.luck.dice.stated_policy import PATIENCE_S, Stalled, StatedPolicy, patiently
from molt_bench.luck.dice.stated_policy_check import PolicyTest
from molt_bench.luck.dice.stated_policy_evidence import add_decision
from molt_bench.poker.actions import KINDS, Action
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation
from molt_bench.records import GameRecord
from molt_bench.testing.findings import Check

DRAWS: Final = "it draws as its published policy says"
#: What values are compared with, in chips; and how often the other seat is taken to fold to raises.
_STACK: Final = 10_000
_FOLDS: Final = 1 / 3
#: Standard deviations that a kind of action may be off: one right policy in two million is further off.
_FAR_OFF: Final = 5.0


def policy_check(policy: PolicyOf, games: Iterable[GameRecord]) -> Check:
    """Compare what player A did in some games with its policy, by the test that a run makes."""
    test, stated = PolicyTest(_STACK), StatedPolicy(policy)
    for hand, seen, action in _decisions(games):
        deal = Deal(hand.holes, hand_luck(hand).equities)
        try:
            answer = patiently(partial(stated, seen), (stated,))
            add_decision(test, answer, (seen, action), deal, _FOLDS)
        except PolicyError as error:
            return Check(DRAWS, (f"hand {seen.hand_number}: {error}",))
        except Stalled:
            return Check(DRAWS, (f"its policy gave no answer within {PATIENCE_S:g} seconds",))
        stated.forget()
    found = test.evidence()
    # A check looks once, and at few decisions: what is far off counts, too.
    kinds = [found.counts[kind] for kind in KINDS if kind in found.counts]
    far_off = any(abs(each.found - each.expected) > _FAR_OFF * sqrt(each.variance) + 1 for each in kinds)
    false = found.fails or far_off
    return Check(DRAWS, (f"its `policy` is not what `act` draws from: {found.worst()}",) if false else ())


def _decisions(games: Iterable[GameRecord]) -> Iterator[tuple[Hand, Observation, Action]]:
    """Yield the decisions of player A, each random number that it was given once, whatever the table and opponent."""
    known: set[tuple[int, int, int]] = set()
    for record in games:
        seat = int(record.seating == "BA")
        if any(fault.player == 0 for fault in record.faults):
            continue
        for number, hand, _ in record.replay():
            for seen, action in decisions_of(hand, number, record.spec.max_actions):
                which = seat, number, len(seen.log)
                if seen.seat == seat and which not in known:
                    known.add(which)
                    yield hand, seen, action

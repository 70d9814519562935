"""The compiled kernels of luck give what their twins in Python give, to the last bit."""

from math import fsum

import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.scripted import PotRaises
from molt_bench.kernels import compiled
from molt_bench.luck import card_luck, dice, estimators, fitting
from molt_bench.luck.coefficients import FROZEN
from molt_bench.luck.dice import ActionWeights, Place, PolicyError, decision_parts
from molt_bench.luck.walk import walked
from molt_bench.play.match import play_match
from molt_bench.poker.actions import CALL, FOLD, Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from molt_bench.seeds import derive

pytestmark = pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")

WEIGHTS = ActionWeights.of(*[each.actions for each in FROZEN])
GAMES = [
    {"stack": 10_000},
    {"stack": 733, "ante": 7, "small_blind": 13, "big_blind": 31, "stacks": "carry"},
    {"stack": 3, "small_blind": 1, "big_blind": 2},
    {"stack": 10**12, "big_blind": 100, "raise_cap": 3, "max_actions": 9},
]


def numbers(count, label):
    """Return numbers of very different sizes, of both signs."""
    return [
        (derive(label, n, "digits") % (1 << 53) - (1 << 52)) * 2.0 ** (derive(label, n, "size") % 160 - 120)
        for n in range(count)
    ]


def decisions(pair, options):
    """Yield every decision of some hands, with its seat's agent, the hand and its luck."""
    made = tuple(lambda kind=kind: BUILTIN_AGENTS[kind](seed=kind) for kind in pair)
    match = play_match(made, seeds=["kernel"], hands=25, **options)
    for game in match.seed_results[0].games:
        for number, hand, _ in game.replay():
            luck = estimators.hand_luck(hand)
            for seen, action in walked(hand, number, (True, True), game.spec.max_actions).decisions:
                kind = pair[seen.seat if game.seating == "AB" else 1 - seen.seat]
                yield BUILTIN_AGENTS[kind](seed=kind), hand, luck, seen, action


@pytest.mark.parametrize("options", GAMES)
@pytest.mark.parametrize("pair", [("random", "maniac"), ("tag", "random"), ("maniac", "callstation")])
def test_a_decision_has_the_same_parts(monkeypatch, pair, options):
    known = list(decisions(pair, options))

    def found():
        return [
            decision_parts((seen, action), agent.policy, (hand.holes, luck.equities), 0.37, WEIGHTS, Place(3, -1, 18))
            for agent, hand, luck, seen, action in known
        ]

    ours = found()
    monkeypatch.setattr(dice, "compiled", None)
    assert [tuple(each) for each in ours] == [tuple(each) for each in found()]
    assert known


def first_decision(*, stack=10_000):
    hand = Hand(HandRules(50, 100), Shoe("first").deal(1), (stack, stack), button=0)
    return observe(hand, 1), hand.holes


@pytest.mark.parametrize(
    "policy",
    [
        ((FOLD, 0.25), (CALL, 0.25), (Sizes(200, 10_000), 0.5)),
        [(FOLD, 0.25), (CALL, 0.25), (Action("raiseTo", 200), 0.25), (Sizes(201, 201), 0.25)],
        ((FOLD, 1.0),),
        ((FOLD, 1), (CALL, 0)),
        ((FOLD, 1 / 3), (CALL, 2 / 3), (Sizes(300, 400), 0.0)),
    ],
)
def test_policies_of_every_form_have_the_same_parts(monkeypatch, policy):
    seen, holes = first_decision()
    arguments = (seen, FOLD), lambda _: policy, (holes, (0.4,)), 0.2, WEIGHTS
    ours = decision_parts(*arguments, Place(0, 1, 0))
    monkeypatch.setattr(dice, "compiled", None)
    assert tuple(ours) == tuple(decision_parts(*arguments, Place(0, 1, 0)))


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (((FOLD, 0.5),), "do not add up"),
        (((CALL, 1.0),), "no chance"),
        (((Action("check"), 1.0),), "its policy has check"),
        (((FOLD, 0.5), (Sizes(100, 300), 0.5)), "and legal is"),
        (((FOLD, 0.5), (Sizes(200, 300.0), 0.5)), "and legal is"),
        (((FOLD, float("nan")),), "nan as a probability"),
        (((FOLD, 2.0), (CALL, -1.0)), "as a probability"),
        (7, "its policy failed: TypeError"),
        (((FOLD,),), "its policy failed: ValueError"),
        ((("fold", 1.0),), "its policy failed: AttributeError"),
    ],
)
def test_policies_that_cannot_be_are_refused_as_without_kernels(policy, why):
    seen, holes = first_decision()
    with pytest.raises(PolicyError, match=why):
        decision_parts((seen, FOLD), lambda _: policy, (holes, (0.4,)), 0.2, WEIGHTS, Place(0, 1, 0))


def test_a_raise_by_the_pot_where_shares_lead_to_the_same_sizes(monkeypatch):
    hand = Hand(HandRules(1, 2), Shoe("first").deal(1), (400, 350), button=0)
    seen = observe(hand, 1)
    for amount in (4, 5, 6):
        arguments = (seen, Action("raiseTo", amount)), PotRaises, (hand.holes, (0.4,)), 0.2, WEIGHTS
        with monkeypatch.context() as patch:
            ours = decision_parts(*arguments, Place(0, 1, 0))
            patch.setattr(dice, "compiled", None)
            assert tuple(ours) == tuple(decision_parts(*arguments, Place(0, 1, 0)))


@pytest.mark.parametrize("options", GAMES)
@pytest.mark.parametrize("pair", [("random", "maniac"), ("tag", "callstation")])
def test_the_luck_of_the_cards_is_the_same(monkeypatch, pair, options):
    weights = card_luck.CardWeights.of(FROZEN)
    known = [(hand, luck.equities, walked(hand).openings) for _, hand, luck, _, _ in decisions(pair, options)]
    for sign in (1, -1):
        ours = [card_luck.card_luck(*each, weights, row=5, sign=sign) for each in known]
        with monkeypatch.context() as patch:
            patch.setattr(card_luck, "compiled", None)
            assert [tuple(each) for each in ours] == [
                tuple(card_luck.card_luck(*each, weights, row=5, sign=sign)) for each in known
            ]


def test_equations_are_solved_the_same(monkeypatch):
    for size in (1, 2, 7, 40):
        rows = [numbers(2 * size, f"row {n}") for n in range(size)]
        square = [[fsum([x * y for x, y in zip(a, b, strict=True)]) for b in rows[: n + 1]] for n, a in enumerate(rows)]
        wanted = numbers(size, "wanted")
        ours = fitting.solved(square, wanted, 20.0)
        with monkeypatch.context() as patch:
            patch.setattr(fitting, "compiled", None)
            assert ours == fitting.solved(square, wanted, 20.0)


def test_sums_are_correctly_rounded():
    """The kernel's exact sum, seen through the solution of equations: it is `fsum`'s, also for half-way cases."""
    for count in (1, 3, 30, 60):
        half = [1.0, *([2.0**-53] * (count % 2)), *numbers(count, "half-way")]
        # The last equation is x_n = wanted - sum of wanted_k * row_k, for a unit triangle.
        size = len(half) + 1
        square = [[0.0] * n + [1.0] for n in range(size - 1)]
        square.append([*half, 1.0 + fsum([x * x for x in half])])
        if square[-1][-1] - fsum([x * x for x in half]) <= 0:
            continue
        wanted = [1.0] * size
        assert compiled.solved(_flat(square), _flat([wanted]), 0.0) == _python_solved(square, wanted)


def _flat(rows):
    from array import array

    return array("d", [each for row in rows for each in row])


def _python_solved(square, wanted):
    kernels, fitting.compiled = fitting.compiled, None
    try:
        return fitting.solved(square, wanted, 0.0)
    finally:
        fitting.compiled = kernels

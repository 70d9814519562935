"""The compiled kernels of luck give what their twins in Python give, to the last bit."""

from array import array
from math import fsum
from struct import pack

import pytest

from molt_bench.agents.base import Sizes
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.kernels import compiled
from molt_bench.luck import fitting, game_luck
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.luck.dice.stated_policy import StatedPolicy
from molt_bench.luck.estimate_variants import all_estimates
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import drive
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.seeds import derive
from molt_bench.specs import GameSpec

pytestmark = pytest.mark.skipif(compiled is None, reason="the kernels were not compiled, or are turned off")

GAMES = [
    {"stack": 10_000},
    {"stack": 10_000, "warmup_hands": 7, "seating": "BA"},
    {"stack": 733, "ante": 7, "small_blind": 13, "big_blind": 31, "stacks": "carry"},
    {"stack": 3, "small_blind": 1, "big_blind": 2, "seating": "BA"},
    {"stack": 10**12, "big_blind": 100, "raise_cap": 3, "max_actions": 9},
]
PAIRS = [("random", "maniac"), ("tag", "random"), ("maniac", "callstation"), ("tight", "tag")]


def numbers(count, label):
    """Return numbers of very different sizes, of both signs."""
    return [
        (derive(label, n, "digits") % (1 << 53) - (1 << 52)) * 2.0 ** (derive(label, n, "size") % 160 - 120)
        for n in range(count)
    ]


def played(pair, *, seed="kernel", hands=25, **options):
    """Play a game; return its record and the policies."""
    return played_hands(pair, seed=seed, hands=hands, **options)[:2]


def played_hands(pair, *, seed="kernel", hands=25, **options):
    """Play a game; return its record, the policies, and its hands as they were played."""
    players = tuple(BUILTIN_AGENTS[kind](seed=kind) for kind in pair)
    spec, found = GameSpec(seed=seed, hands=hands, players=pair, **options), []
    return drive(spec, players, hands=found), tuple(each.policy for each in players), found


class Counting:
    """The kernels, and whether they could tell."""

    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        return getattr(compiled, name)

    def game_luck(self, *arguments):
        found = compiled.game_luck(*arguments)
        self.told.append(found is not None)
        return found


def assert_same(monkeypatch, record, policies, *, told=True, hands=()):
    """Assert that the kernel tells, or does not, and that all estimates are those of pure Python."""
    kernels = Counting()
    with monkeypatch.context() as patch:
        patch.setattr(game_luck, "compiled", kernels)
        ours = game_estimates(record, policies, hands=hands)
        patch.setattr(game_luck, "compiled", None)
        assert ours == game_estimates(record, policies, hands=hands)
    assert kernels.told == [told]
    return ours


@pytest.mark.parametrize("options", GAMES)
@pytest.mark.parametrize("pair", PAIRS)
def test_a_game_has_the_same_luck(monkeypatch, pair, options):
    record, policies, hands = played_hands(pair, **options)
    for known in (policies, (policies[0], None), (None, policies[1]), (None, None)):
        assert assert_same(monkeypatch, record, known) == assert_same(monkeypatch, record, known, hands=hands)


def test_the_luck_of_dice_is_in_it(monkeypatch):
    record, policies = played(("random", "maniac"))
    won = assert_same(monkeypatch, record, policies)
    assert won.corrected != won.adjusted != won.all_in
    assert won.hands.terms


def halves(seen):
    """The policy of `random`, written down in another way."""
    passive = CALL if seen.to_call else CHECK
    if not seen.max_raise_to:
        return [(passive, 0.5), (FOLD, 0.5), (FOLD, 0)]
    middle = (seen.min_raise_to + seen.max_raise_to) // 2
    sizes = Sizes(seen.min_raise_to, middle), Sizes(middle + 1, seen.max_raise_to)
    raises = [(each, 1 / 6) for each in sizes if each.low <= each.high]
    return [(FOLD, 1 / 3), (passive, 1 / 3), *(raises if len(raises) == 2 else [(sizes[0], 1 / 3)])]


def every_size(seen):
    """A policy that lists sizes one by one."""
    if not seen.max_raise_to:
        return ((FOLD, 0.25), (CALL if seen.to_call else CHECK, 0.75))
    sizes = range(seen.min_raise_to, seen.max_raise_to + 1)
    raises = [(Action("raiseTo", size), 0.5 / len(sizes)) for size in sizes]
    return (FOLD, 0.25), (CALL if seen.to_call else CHECK, 0.25), *raises


@pytest.mark.parametrize("policy", [halves, every_size])
def test_policies_of_every_form_have_the_same_luck(monkeypatch, policy):
    record, _ = played(("random", "tight"), stack=500)
    assert assert_same(monkeypatch, record, (policy, None)).refused == ("", "")


@pytest.mark.parametrize("options", GAMES)
@pytest.mark.parametrize("kind", ["random", "maniac"])
def test_a_policy_is_read_the_same_as_its_list(monkeypatch, kind, options):
    record, (policy, _) = played((kind, "callstation"), **options)
    of_bot = assert_same(monkeypatch, record, (policy, None))
    assert assert_same(monkeypatch, record, (lambda seen: policy(seen), None)) == of_bot
    listed = assert_same(monkeypatch, record, (lambda seen: list(policy(seen)), None))
    assert listed.corrected == pytest.approx(of_bot.corrected)


def test_a_bot_cannot_have_done_what_its_policy_excludes(monkeypatch):
    for kind, actual in (("maniac", "random"), ("random", "shover")):
        record, _ = played((actual, "callstation"), stack=500)
        policy = BUILTIN_AGENTS[kind](seed=1).policy
        won = assert_same(monkeypatch, record, (policy, None), told=kind == "random")
        assert ("no chance" in won.refused[0]) is (kind == "maniac")


def test_another_method_of_a_bot_is_not_its_policy(monkeypatch):
    record, (policy, _) = played(("random", "callstation"))
    won = assert_same(monkeypatch, record, (policy.__self__.act, None), told=False)
    assert "its policy failed: TypeError" in won.refused[0]


def test_a_certain_action_as_a_whole_number(monkeypatch):
    record, _ = played(("callstation", "maniac"))
    assert (
        assert_same(monkeypatch, record, (lambda seen: [(CALL if seen.to_call else CHECK, 1)], None)).refused[0] == ""
    )


def test_a_raise_by_the_pot_where_shares_lead_to_the_same_sizes(monkeypatch):
    record, policies = played(("maniac", "callstation"), stack=300, small_blind=1, big_blind=2)
    assert_same(monkeypatch, record, policies)


def failing(seen):
    raise ZeroDivisionError("by chance")


def refusing(seen):
    raise PolicyError("for a reason")


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (lambda seen: ((FOLD, 0.5),), "do not add up"),
        (lambda seen: ((CALL if seen.to_call else CHECK, 1.0),), "no chance"),
        (lambda seen: ((CHECK if seen.to_call else CALL, 1.0),), "its policy has"),
        (lambda seen: ((FOLD, 0.5), (Sizes(1, 300), 0.5)), "and legal is"),
        (lambda seen: ((FOLD, 0.5), (Sizes(200, 300.0), 0.5)), "and legal is"),
        (lambda seen: ((FOLD, float("nan")),), "nan as a probability"),
        (lambda seen: ((FOLD, 2.0), (CALL, -1.0)), "as a probability"),
        (lambda seen: 7, "its policy failed: TypeError"),
        (lambda seen: ((FOLD,),), "its policy failed: ValueError"),
        (lambda seen: (("fold", 1.0),), "its policy failed: AttributeError"),
        (failing, "its policy failed: ZeroDivisionError: by chance"),
        (refusing, "for a reason"),
    ],
)
@pytest.mark.slow
def test_policies_that_cannot_be_are_left_out_as_without_kernels(monkeypatch, policy, why):
    record, (_, other) = played(("random", "maniac"))
    assert_same(monkeypatch, record, (policy, other), told=False)
    ours = all_estimates(record, (StatedPolicy(policy), other))
    monkeypatch.setattr(game_luck, "compiled", None)
    assert ours == all_estimates(record, (StatedPolicy(policy), other))
    assert why in (ours.evidence[0].refuted or ours.evidence[0].why)
    assert ours.evidence[1] is None


def test_an_interruption_while_a_policy_is_asked_comes_through():
    record, _ = played(("random", "tight"))

    def interrupted(seen):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        game_estimates(record, (interrupted, None))


def test_a_policy_is_asked_without_the_noise():
    record, (policy, _), hands = played_hands(("random", "tight"))
    noises = []
    game_estimates(record, (lambda seen: noises.append(seen.noise) or policy(seen), None), hands=hands)
    assert set(noises) == {0}


class Likeness:
    """Has the attributes of something else, but is of another type."""

    def __init__(self, original):
        self.original = original

    def __getattr__(self, name):
        return getattr(self.original, name)


def test_attributes_are_found_whether_or_not_the_type_is_known():
    record, policies, played = played_hands(("random", "maniac"), stack=10_000)
    arguments = []

    class Listening(Counting):
        def game_luck(self, *given):
            arguments.append(given)
            return super().game_luck(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_luck, "compiled", Listening())
        game_estimates(record, policies, hands=played)
    [(hands, *rest)] = arguments
    assert any(seen for _, _, seen in hands)
    alike = [(number, Likeness(hand), [Likeness(each) for each in seen]) for number, hand, seen in hands]
    assert compiled.game_luck(alike, *rest) == compiled.game_luck(hands, *rest) is not None
    blind = [(number, hand, [object() for _ in seen]) for number, hand, seen in hands]
    assert compiled.game_luck(blind, *rest) is None


def test_chips_beyond_the_kernels_are_left_to_python(monkeypatch):
    record, policies = played(("random", "callstation"), stack=10**15, big_blind=100)
    assert_same(monkeypatch, record, policies, told=False)


def test_a_run_learns_the_same_weights(monkeypatch):
    matches = [
        (pair, [played(pair, seed=seed, seating=side) for side in ("AB", "BA")]) for seed, pair in enumerate(PAIRS)
    ]

    def learned():
        fit, found = fitting.Fit(), []
        for number, (pair, games) in enumerate(matches):
            parts = [game_estimates(record, policies).hands for record, policies in games]
            found += [fit.luck(pair, each) for each in parts]
            fit.learn(pair, [(number, parts), (f"{number} again", parts[:1])])
        return found

    ours = learned()
    assert any(ours)
    monkeypatch.setattr(fitting, "compiled", None)
    assert ours == learned()


def test_sums_are_correctly_rounded():
    """The kernel's exact sum, seen through the weighed terms of hands: it is `fsum`'s, also for half-way cases."""
    for count in (1, 3, 30, 60, 500):
        parts = [1.0, *([2.0**-53] * (count % 2)), *numbers(count, "half-way")]
        terms = b"".join([pack("=iid", row, 0, part) for row, part in enumerate(parts)])
        assert compiled.weighed_terms(terms, len(parts), array("d", [1.0])) == fsum(parts)


def test_equations_are_solved_the_same():
    for size in (1, 2, 7, 40):
        rows = [numbers(2 * size, f"row {n}") for n in range(size)]
        square = [[fsum([x * y for x, y in zip(a, b, strict=True)]) for b in rows[: n + 1]] for n, a in enumerate(rows)]
        wanted = numbers(size, "wanted")
        moments = array(
            "d", [each for n, row in enumerate(square) for each in (wanted[n], *row, *[0.0] * (size - 1 - n))]
        )
        triangle = [each for row in square for each in row]
        assert compiled.solved_moments(moments, size, 20.0) == tuple(fitting.solved(triangle, wanted, 20.0))

"""`aivat` favours nobody: not with any values, against any player, or in any kind of game."""

from functools import cache
from itertools import cycle
from math import comb, sqrt
from statistics import fmean, stdev, variance

import numpy as np
import pytest

from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.resolver import ResolverAgent
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.config.participants import REFERENCES
from molt_bench.luck.cards.card_luck import hand_luck
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.reference.aivat import _possible_cards, _Walk, known_bot_value, reference_bot
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.notation import ParsedHand, hand_from_text
from molt_bench.poker.observation import observe
from molt_bench.poker.range_equity import edges, hole_cards, hole_number, holes_with
from tests.luck.known_bots import Habits, NoValues, RangePolicy, RankValues, WildValues

BOT = Habits(seed="habits")
VALUES = {"none": NoValues(), "wild": WildValues(), "rank": RankValues()}
MODES = {
    "deep": {"stack": 10_000},
    "short": {"stack": 1_000, "ante": 10},
    "carried": {"stack": 2_000, "stacks": "carry", "warmup_hands": 1, "raise_cap": 2},
    "closed": {"stack": 3_000, "max_actions": 3},
    "tiny": {"stack": 250, "ante": 30, "stacks": "carry"},
}


class MinRaiser:
    """Raises by the least, whenever it may."""

    name = "minraiser"

    def act(self, observation):
        if observation.max_raise_to and observation.dice < 60:
            return Action("raiseTo", observation.min_raise_to)
        return CALL if observation.to_call else CHECK


class OverBettor:
    """Bets odd sizes far beyond the pot with good cards, and calls with the rest."""

    name = "overbettor"

    def act(self, observation):
        size = min(max(observation.pot * 3 + 7 * observation.dice, observation.min_raise_to), observation.max_raise_to)
        if observation.max_raise_to and max(observation.cards) > 40:
            return Action("raiseTo", size)
        return CALL if observation.to_call else CHECK


PLAYERS = {
    **{kind: lambda kind=kind: BUILTIN_AGENTS[kind](seed="other") for kind in BUILTIN_AGENTS if kind not in REFERENCES},
    "minraiser": MinRaiser,
    "overbettor": OverBettor,
}


@cache
def hands_against(kind, mode, games, bot=BOT):
    """Return hands of a player against the bot, half of them in each seat, with the seat of the bot."""
    found = []
    for at in range(games):
        for seating, seat in (("AB", 1), ("BA", 0)):
            record = play_game(
                (PLAYERS[kind](), bot), seed=f"{kind} {mode} {at} {seating}", hands=15, seating=seating, **MODES[mode]
            )
            found += [(parsed, seat, record.spec.max_actions) for parsed in record.replay()]
    return found


def won_by(hands, values, bot=BOT):
    """Return what the player won in each hand by `aivat`, and beyond its result with exact run-outs."""
    own, beyond = [], []
    for parsed, seat, longest in hands:
        sign = 1 if seat else -1
        own.append(sign * known_bot_value(parsed, seat, bot, values, max_actions=longest))
        beyond.append(own[-1] - sign * hand_luck(parsed.hand).all_in)
    return own, beyond


def standard_errors(values):
    spread = stdev(values)
    return fmean(values) / (spread / sqrt(len(values))) if spread > 1e-9 else 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode", "values"), [*zip(PLAYERS, cycle(MODES), cycle(VALUES), strict=False)])
def test_it_has_the_mean_of_the_result_with_any_values_against_anybody(kind, mode, values):
    _, beyond = won_by(hands_against(kind, mode, 2), VALUES[values])
    assert abs(standard_errors(beyond)) < 4


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", PLAYERS)
def test_it_has_the_mean_of_the_result_over_many_hands(kind, mode):
    for values in VALUES.values():
        assert abs(standard_errors(won_by(hands_against(kind, mode, 40), values)[1])) < 4


@pytest.mark.slow
def test_with_values_of_use_it_varies_less():
    hands = hands_against("callstation", "short", 4)
    own, _ = won_by(hands, RankValues())
    assert variance(own) < 0.8 * variance([hand_luck(parsed.hand).all_in for parsed, _, _ in hands])


class Streets(Habits):
    """Checks and calls whatever it holds, but on one street."""

    def __init__(self, cards):
        super().__init__()
        self.cards = cards

    def range_policy(self, observation):
        if len(observation.board) == self.cards:
            return super().range_policy(observation)
        return RangePolicy((CALL if observation.to_call else CHECK,), np.ones((1326, 1)))


class AfterActions(WildValues):
    """Wild after actions on the river, and 0 after all cards: so that these have no luck."""

    def hand_values(self, state, seat):
        return super().hand_values(state, seat) * (len(state.board) == 5)

    def board_values(self, state, seat, hole, boards):
        return np.zeros(len(boards))


class AfterRiver(WildValues):
    """Wild after the river card, and 0 otherwise."""

    def hand_values(self, state, seat):
        return np.zeros(1326)

    def board_values(self, state, seat, hole, boards):
        return super().board_values(state, seat, hole, boards) * (boards.shape[1] == 5)


OWN = cards_from_text("QhJd")
BOARD = cards_from_text("Qc7s2h3d9c")


def live_holes(*known):
    """Return the holes without a known card."""
    return [tuple(hole) for hole in hole_cards().tolist() if not {*hole} & {*known}]


def checked_to(street, hole, board=BOARD, stack=1_000):
    """Return a hand in which all checked up to the bot's decision on a street; it is in seat 1, on the button."""
    hand = Hand(HandRules(50, 100), ((OWN, hole), board), (stack, stack), button=1)
    while hand.street != street or hand.actor != 1:
        hand.apply(CALL if hand.to_call else CHECK)
    return hand


def called_down(hand, action):
    """Let the bot act, and both call and check from there on; return the finished hand."""
    hand.apply(action)
    while hand.actor >= 0:
        hand.apply(CALL if hand.to_call else CHECK)
    return ParsedHand(1, hand, -1)


def value_of(parsed, bot, values):
    return known_bot_value(parsed, 1, bot, values, max_actions=200)


class Liar(Streets):
    """Says that it plays low cards like high ones."""

    def range_policy(self, observation):
        found = super().range_policy(observation)
        return RangePolicy(found.actions, found.chances[::-1])


def means_on_the_river(said, stack):
    """Return the mean of `aivat` and of the result, over all holes and draws of a bot that is called down."""
    played, holes = Streets(5), live_holes(*OWN, *BOARD)
    policy = played.range_policy(observe(checked_to("river", holes[0], stack=stack), 1))
    found, exact = 0.0, 0.0
    for at, action in enumerate(policy.actions):
        chances = [policy.chances[hole_number(hole), at] / len(holes) for hole in holes]
        hands = [called_down(checked_to("river", hole, stack=stack), action) for hole in holes]
        found += sum(chances) * value_of(hands[0], said, AfterActions())
        exact += sum(chance * each.hand.payoffs[0] for chance, each in zip(chances, hands, strict=True))
    return found, exact


@pytest.mark.parametrize("stack", [300, 1_000])
def test_over_all_holes_and_draws_of_the_bot_it_is_exactly_the_mean(stack):
    found, exact = means_on_the_river(Streets(5), stack)
    assert found == pytest.approx(exact)


def test_a_policy_that_is_not_the_one_played_is_a_bias():
    """A test of means that never fails shows nothing."""
    found, exact = means_on_the_river(Liar(5), 1_000)
    assert abs(found - exact) > 10


@pytest.mark.slow
def test_over_all_next_cards_it_is_exactly_the_mean():
    """The bot bets on the turn, with some holes rather than with others, and the river is checked down."""
    bot, turn = Streets(4), BOARD[:4]
    holes = live_holes(*OWN, *turn)
    policy = bot.range_policy(observe(checked_to("turn", holes[0]), 1))
    likely = policy.chances[:, 1] * ~holes_with()[[*OWN, *turn]].any(axis=0)
    likely /= likely.sum()
    found, values, stake = 0.0, set(), 0
    for card in sorted({*range(52)} - {*OWN, *turn}):
        able = [hole for hole in holes if card not in hole]
        parsed = called_down(checked_to("turn", able[0], (*turn, card)), policy.actions[1])
        chance = sum(likely[hole_number(hole)] for hole in able) / 44
        value = value_of(parsed, bot, AfterRiver())
        values.add(value)
        found += chance * value
        stake = parsed.hand.at_stake
    assert found == pytest.approx(stake * edges(OWN, turn) @ likely)
    assert len(values) > 10, "the card matters"


@pytest.mark.parametrize("count", [3, 1])
def test_cards_that_the_bot_may_hold_are_less_likely(count):
    dice = np.random.RandomState(5)
    hand = checked_to("flop", (0, 1))
    walk = _Walk(hand, 1, NoValues())
    walk.board = () if count == 3 else BOARD[:3]
    likely = dice.rand(1326) * ~holes_with()[[*OWN, *walk.board]].any(axis=0)
    walk._range = likely / likely.sum()
    possible = _possible_cards(tuple(sorted((*OWN, *walk.board))), count)
    found = walk._card_chances(possible)
    assert found.sum() == pytest.approx(1)
    for at in dice.randint(len(possible), size=5):
        free = ~holes_with()[possible[at]].any(axis=0)
        assert found[at] == pytest.approx(walk._range[free].sum() / comb(48 - len(walk.board), count))


def test_cards_after_the_last_decision_do_not_matter():
    """The bot may even have held one of them."""
    lines = [
        "1:50/100/0:1000,1000:b0:AhAd|KsKc|2c3d9hKh8s:r1000c:-1000",
        "1:50/100/0:1000,1000:b0:AhAd|KsKc|QcJd5h9c4s:r1000c:1000",
    ]
    one, two = (value_of(hand_from_text(line), BOT, RankValues()) for line in lines)
    assert one == two


def test_a_hand_that_the_blinds_decide_is_worth_nothing():
    parsed = hand_from_text("1:50/100/0:30,1000:b0:AhAd|KsKc|QcJd5h9c4s::30")
    assert value_of(parsed, BOT, RankValues()) == 0


def test_what_the_bot_never_does_is_an_error():
    parsed = hand_from_text("1:50/100/0:1000,1000:b0:AhAd|KsKc|:r777f:100")
    with pytest.raises(PolicyError, match="raiseTo, no chance"):
        known_bot_value(parsed, 0, BOT, RankValues(), max_actions=200)


def policies(*players):
    return tuple(getattr(player, "policy", None) for player in players)


@cache
def game_of(*kinds, hands=12):
    players = tuple((PLAYERS | {"blueprint": BlueprintAgent})[kind]() for kind in kinds)
    return play_game(players, seed="aivat", hands=hands), players


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [("minraiser", "blueprint"), ("blueprint", "tag")])
def test_against_the_blueprint_a_game_counts_by_its_values(kinds):
    record, players = game_of(*kinds)
    won = game_estimates(record, policies(*players), averaged=True)
    assert won.ranged == won.corrected_solid
    bot = players[kinds.index("blueprint")]
    values = [
        known_bot_value(parsed, kinds.index("blueprint"), bot, bot, max_actions=200) for parsed in record.replay()
    ]
    # The values of an estimate are rounded to thousandths of a chip.
    assert won.aivat == pytest.approx(sum(values), abs=0.001 * len(values))


@pytest.mark.parametrize("kinds", [("blueprint", "blueprint"), ("tag", "minraiser")])
def test_without_exactly_one_blueprint_it_is_the_estimator_before_it(kinds):
    record, players = game_of(*kinds, hands=4)
    won = game_estimates(record, policies(*players), averaged=True)
    assert won.aivat == won.ranged


def test_a_blueprint_that_played_otherwise_is_not_used():
    record, _ = game_of("tag", "maniac", hands=6)
    won = game_estimates(record, (None, BlueprintAgent().policy))
    assert won.aivat == won.ranged
    assert "no chance" in won.refused[1]


class Own(BlueprintAgent):
    """A bot derived from the blueprint may do something else."""


def test_a_bot_derived_from_the_blueprint_is_not_taken_for_it():
    assert reference_bot(BlueprintAgent().policy)
    assert reference_bot(ResolverAgent().policy)
    assert reference_bot(Own().policy) is None
    assert reference_bot(None) is None


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), [*zip(PLAYERS, cycle(reversed(MODES)), strict=False)])
def test_with_the_blueprint_it_has_the_mean_of_the_result(kind, mode):
    bot = BlueprintAgent(seed="bot")
    _, beyond = won_by(hands_against(kind, mode, 1, bot), bot, bot)
    assert abs(standard_errors(beyond)) < 4


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "mode"), [("callstation", "deep"), ("overbettor", "carried")])
def test_with_the_resolver_it_has_the_mean_of_the_result(kind, mode):
    bot = ResolverAgent(seed="bot")
    _, beyond = won_by(hands_against(kind, mode, 1, bot), bot, bot)
    assert abs(standard_errors(beyond)) < 4


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", PLAYERS)
def test_with_the_blueprint_it_has_the_mean_of_the_result_over_many_hands(kind, mode):
    bot = BlueprintAgent(seed="bot")
    _, beyond = won_by(hands_against(kind, mode, 40, bot), bot, bot)
    assert abs(standard_errors(beyond)) < 4

"""Hand histories in PHH, read back by PokerKit with the same end."""

import doctest
import tomllib
from collections import Counter

import msgspec
import pytest
from pokerkit import CheckingOrCalling, CompletionBettingOrRaisingTo, Folding, HandHistory, NoLimitTexasHoldem, State
from tests.poker.pokerkit_oracle import RememberedHand, swap
from tests.report.exported_hands import NAMES, bot_hands, random_hands, written_hand

from molt_bench.poker.hand import NOBODY
from molt_bench.report import chip_flow
from molt_bench.report.dealt_hands import DealtHand
from molt_bench.report.exports.phh import phh

#: PokerKit warns where a player folds though checking is free.
pytestmark = pytest.mark.filterwarnings("ignore:There is no reason for this player to fold:UserWarning")

SHOWDOWN = "1:50/100/0:10000,9000:b0:AhKd|7c7d|2h3h4hQcKs:r300c/kr600c/kk/r8100c:9000"
DECISIONS = (Folding, CheckingOrCalling, CompletionBettingOrRaisingTo)


def test_the_examples_in_the_module_are_right():
    done = doctest.testmod(chip_flow)
    assert done.attempted
    assert not done.failed


@pytest.fixture(scope="module", autouse=True)
def _quick_pokerkit():
    """Have PokerKit work out each of its hands once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NoLimitTexasHoldem, "hand_types", (RememberedHand,))
        yield


def replay(history: HandHistory, given: DealtHand) -> State:
    """Check that PokerKit comes to the same end, without mending anything, and return that."""
    end, hand = tuple(history)[-1], given.hand
    assert swap(tuple(end.payoffs), hand.button) == hand.payoffs, given.text
    players = [done.player_index for done in end.operations if isinstance(done, DECISIONS)]
    seats = [hand.button if player else 1 - hand.button for player in players]
    assert seats == [done.seat for done in hand.log], given.text
    return end


def by_position(given: DealtHand) -> list[str]:
    """Return the names as PokerKit has them: the big blind, then the button."""
    return list(swap(given.names, given.hand.button))


def check_phh(hands: list[DealtHand]) -> None:
    for given, history in zip(hands, HandHistory.loads_all("".join(phh(hands))), strict=True):
        assert history.finishing_stacks == list(replay(history, given).stacks)
        assert history.players == by_position(given)


@pytest.fixture(scope="module")
def hands():
    return [*random_hands(range(300)), *bot_hands()]


def test_the_hands_have_everything_in_them_that_is_special(hands):
    happened = Counter()
    for each in hands:
        hand = each.hand
        happened["ante"] += hand.rules.ante > 0
        happened["all-in"] += chip_flow.all_in_street(hand) is not None
        happened["split"] += hand.folded == NOBODY and hand.payoffs == (0, 0)
        happened["short"] += min(hand.starting_stacks) < hand.rules.big_blind
        happened["fold"] += hand.folded != NOBODY
    assert min(happened.values()) > 5, happened


def test_the_flow_of_chips_is_the_one_that_the_engine_saw(hands):
    for hand in [dealt.hand for dealt in hands]:
        flow = chip_flow.chip_flow(hand)
        for (before, action), step in zip(hand.steps(), flow.steps, strict=True):
            assert (before.street, before.actor, action.amount) == (step.street, step.seat, step.total)
            assert step.added == action.amount - before.bets[before.actor]
            assert step.above == action.amount - max(before.bets)
            assert step.all_in == (action.amount == before.limits[before.actor])
            assert step.verb in (action.kind, "raise" if max(before.bets) else "bet")
        assert chip_flow.final_pot(hand) == sum(flow.collected)


@pytest.mark.slow
def test_random_hands_and_those_of_all_bots_are_read_back_from_phh(hands):
    check_phh(hands)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(10))
def test_five_thousand_random_hands_are_read_back(chunk):
    check_phh(random_hands(range(10_000 + 500 * chunk, 10_500 + 500 * chunk)))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_survives(name):
    check_phh([written_hand(SHOWDOWN, players=(name, "bob"), seating=seating) for seating in ("AB", "BA")])


@pytest.mark.parametrize("seed", [7, -7, "7", 2**70, "seed: '\"\n"])
def test_phh_says_where_a_hand_belongs(seed):
    given = msgspec.structs.replace(written_hand(SHOWDOWN), seed=seed)
    (fields,) = tomllib.loads("".join(phh([given]))).values()
    assert {name: value for name, value in fields.items() if name.startswith("_")} == {
        "_run": "a run",
        "_match": 3,
        "_seed": seed if seed != 2**70 else str(seed),  # TOML has ints of 64 bits
        "_seating": "AB",
        "_forced_fold": False,
    }

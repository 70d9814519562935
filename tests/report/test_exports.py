"""Hand histories: PHH, ACPC and PokerStars text, read back by PokerKit with the same end."""

import doctest
import json
import re
import tomllib
from collections import Counter
from urllib.parse import unquote

import msgspec
import pytest
from pokerkit import CheckingOrCalling, CompletionBettingOrRaisingTo, Folding, HandHistory, NoLimitTexasHoldem, State
from pokerkit.notation import ACPCProtocolParser, PokerStarsParser
from tests.poker.pokerkit_oracle import RememberedHand, swap
from tests.report.exported_hands import NAMES, bot_hands, random_hands, written_hand

from molt_bench.errors import MoltBenchError
from molt_bench.poker.hand import NOBODY
from molt_bench.report.exports import chip_flow, latex, percent_encoding
from molt_bench.report.exports.acpc import acpc
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.ohh import ohh
from molt_bench.report.exports.phh import phh
from molt_bench.report.exports.pokerstars import pokerstars

#: PokerKit warns where a player folds though checking is free, and about a field that its own reader makes.
pytestmark = [
    pytest.mark.filterwarnings("ignore:There is no reason for this player to fold:UserWarning"),
    pytest.mark.filterwarnings("ignore:The field 'time_zone_abbreviation':UserWarning"),
]

SHOWDOWN = "1:50/100/0:10000,9000:b0:AhKd|7c7d|2h3h4hQcKs:r300c/kr600c/kk/r8100c:9000"
FOLD = "2:50/100/10:10000,9000:b1:AhKd|7c7d|:cr9990f:110"
DECISIONS = (Folding, CheckingOrCalling, CompletionBettingOrRaisingTo)


@pytest.mark.parametrize("module", [chip_flow, percent_encoding, latex], ids=lambda module: module.__name__)
def test_the_examples_in_the_modules_are_right(module):
    done = doctest.testmod(module)
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


def check_acpc(hands: list[DealtHand]) -> None:
    for given in hands:
        rules, button = given.hand.rules, given.hand.button
        small = -rules.small_blind if rules.small_blind == rules.big_blind else rules.small_blind
        game = NoLimitTexasHoldem((), True, 0, (small, rules.big_blind), rules.big_blind)
        parser = ACPCProtocolParser(game, swap(given.hand.starting_stacks, button))
        (history,) = parser("".join(acpc([given])), error_status=True)
        replay(history, given)
        assert history.user_defined_fields["_results"] == list(swap(given.hand.payoffs, button))
        assert [unquote(name) for name in history.players] == by_position(given)


def check_pokerstars(hands: list[DealtHand]) -> None:
    """Some hands with the cards of both, and some as one of them saw it."""
    for number, given in enumerate(hands):
        hero = (None, *given.players)[number % 3]
        (history,) = PokerStarsParser()("".join(pokerstars([given], hero=hero)), error_status=True)
        replay(history, given)
        assert history.hand == given.identity
        assert [unquote(name.removeprefix("_")) for name in history.players] == by_position(given)


def without_antes(hands: list[DealtHand]) -> list[DealtHand]:
    return [each for each in hands if not each.hand.rules.ante]


def without_antes_and_equal_blinds(hands: list[DealtHand]) -> list[DealtHand]:
    """Leave out what PokerKit's reader of PokerStars histories does not know."""
    return [each for each in without_antes(hands) if each.hand.rules.small_blind < each.hand.rules.big_blind]


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
        assert chip_flow.final_pot(hand) == flow.pot


@pytest.mark.slow
def test_random_hands_and_those_of_all_bots_are_read_back_from_phh(hands):
    check_phh(hands)


@pytest.mark.slow
def test_random_hands_and_those_of_all_bots_are_read_back_from_acpc(hands):
    check_acpc(without_antes(hands))


@pytest.mark.slow
def test_random_hands_and_those_of_all_bots_are_read_back_from_pokerstars(hands):
    check_pokerstars(without_antes_and_equal_blinds(hands))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(10))
def test_five_thousand_random_hands_are_read_back(chunk):
    hands = random_hands(range(10_000 + 500 * chunk, 10_500 + 500 * chunk))
    check_phh(hands)
    check_acpc(without_antes(hands))
    check_pokerstars(without_antes_and_equal_blinds(hands))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_survives_every_history(name):
    given = [written_hand(SHOWDOWN, players=(name, "bob"), seating=seating) for seating in ("AB", "BA")]
    check_phh(given)
    check_acpc(given)
    check_pokerstars(given)
    for written, each in zip("".join(ohh(given)).split("\n\n"), given, strict=True):
        assert [player["name"] for player in json.loads(written)["ohh"]["players"]] == list(each.names)


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


def test_a_pokerstars_history_reads_as_one_of_the_site():
    (hand,) = pokerstars([written_hand(SHOWDOWN)])
    assert (
        re.sub(r"#\d{10,}", "#1", hand)
        == """\
PokerStars Hand #1:  Hold'em No Limit ($50/$100 USD) - 2000/01/01 00:00:00 ET
Table 'match-0003 s1 AB' 2-max Seat #1 is the button
Seat 1: alice ($10000 in chips)
Seat 2: bob ($9000 in chips)
alice: posts small blind $50
bob: posts big blind $100
*** HOLE CARDS ***
Dealt to alice [Ah Kd]
Dealt to bob [7c 7d]
alice: raises $200 to $300
bob: calls $200
*** FLOP *** [2h 3h 4h]
bob: checks
alice: bets $600
bob: calls $600
*** TURN *** [2h 3h 4h] [Qc]
bob: checks
alice: checks
*** RIVER *** [2h 3h 4h Qc] [Ks]
bob: bets $8100 and is all-in
alice: calls $8100
*** SHOW DOWN ***
bob: shows [7c 7d] (a pair of sevens)
alice: shows [Ah Kd] (a pair of kings)
alice collected $18000 from pot
*** SUMMARY ***
Total pot $18000 | Rake $0
Board [2h 3h 4h Qc Ks]
Seat 1: alice (button) (small blind) showed [Ah Kd] and won ($18000) with a pair of kings
Seat 2: bob (big blind) showed [7c 7d] and lost with a pair of sevens


"""
    )


#: How trackers find their way, each line written from the site's own histories of real money.
HEADER = re.compile(
    r"PokerStars Hand #(?P<hand>\d+):  Hold'em No Limit \(\$(?P<small>[\d.]+)/\$(?P<big>[\d.]+) USD\) - "
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d ET"
)
TABLE = re.compile(r"Table '(?P<table>[^']+)' 2-max Seat #(?P<button>\d) is the button")
SEAT = re.compile(r"Seat (?P<seat>\d): (?P<name>.+) \(\$(?P<stack>[\d.]+) in chips\)")


def test_the_header_is_that_of_a_real_money_table_which_trackers_take():
    head, table, *seats = "".join(pokerstars([written_hand(SHOWDOWN)])).splitlines()[:4]
    assert HEADER.fullmatch(head)
    assert HEADER.fullmatch(head)["big"] == "100"
    assert TABLE.fullmatch(table)
    assert [SEAT.fullmatch(seat)["name"] for seat in seats] == ["alice", "bob"]


@pytest.mark.parametrize(
    "name",
    ["callstation", "calls", "checks", "folder", "folds", "bets 5", "raises 5", "posts big blind 5", "Seat 1", "_x"],
)
def test_a_name_like_a_word_of_the_format_is_read_as_a_name(name):
    for text in (SHOWDOWN, FOLD.replace("/100/10:", "/100/0:").replace(":110", ":100")):
        check_pokerstars([written_hand(text, players=(name, "bob"), seating=seating) for seating in ("AB", "BA")])


def test_antes_uncalled_bets_and_a_hero_stand_in_a_pokerstars_history():
    (hand,) = pokerstars([written_hand(FOLD)], hero="bob")
    assert hand.splitlines()[1:] == [
        "Table 'match-0003 s1 AB' 2-max Seat #2 is the button",
        "Seat 1: alice ($10000 in chips)",
        "Seat 2: bob ($9000 in chips)",
        "alice: posts the ante $10",
        "bob: posts the ante $10",
        "bob: posts small blind $50",
        "alice: posts big blind $100",
        "*** HOLE CARDS ***",
        "Dealt to bob [7c 7d]",
        "bob: calls $50",
        "alice: raises $9890 to $9990 and is all-in",
        "bob: folds",
        "Uncalled bet ($9890) returned to alice",
        "alice collected $220 from pot",
        "alice: doesn't show hand",
        "*** SUMMARY ***",
        "Total pot $220 | Rake $0",
        "Seat 1: alice (big blind) collected ($220)",
        "Seat 2: bob (button) (small blind) folded before Flop",
        "",
        "",
    ]


def test_an_uncalled_bet_comes_back_before_the_board_is_run_out():
    (hand,) = pokerstars([written_hand("1:50/100/0:10000,900:b0:AhKd|7c7d|2h3h4hQcKs:cr300r2000c:900")])
    lines = hand.splitlines()
    at = lines.index("alice: raises $1700 to $2000")
    assert lines[at + 1 : at + 5] == [
        "bob: calls $600 and is all-in",
        "Uncalled bet ($1100) returned to alice",
        "*** FLOP *** [2h 3h 4h]",
        "*** TURN *** [2h 3h 4h] [Qc]",
    ]
    assert "alice collected $1800 from pot" in lines


def test_an_acpc_line_has_the_big_blind_first_and_raises_by_all_chips_put_in():
    lines = "".join(acpc([written_hand(SHOWDOWN), written_hand(SHOWDOWN, seating="BA")])).splitlines()
    assert "# blind = 100 50" in lines
    assert "# firstPlayer = 2 1 1 1" in lines
    assert lines[-3:] == [
        "STATE:0:r300c/cr900c/cc/r9000c:7c7d|AhKd/2h3h4h/Qc/Ks:-9000|9000:bob|alice",
        "# match-0003 s1 BA",
        "STATE:1:r300c/cr900c/cc/r9000c:7c7d|AhKd/2h3h4h/Qc/Ks:-9000|9000:alice|bob",
    ]
    assert "# stack = 9000 10000" in lines


def test_acpc_has_no_antes():
    with pytest.raises(MoltBenchError, match="no antes"):
        list(acpc([written_hand(FOLD)]))


def test_the_same_hand_has_the_same_number_and_no_other_has_it():
    first, again, swapped = (written_hand(SHOWDOWN, seating=seating) for seating in ("AB", "AB", "BA"))
    assert first.identity == again.identity != swapped.identity
    assert 0 <= first.identity < 10**18

"""Hands as rows, as CSV read by the csv module, and as PHH read back by PokerKit with the same end."""

import csv
import io
import json
import tomllib
from collections import Counter

import msgspec
import pytest
from pokerkit import CheckingOrCalling, CompletionBettingOrRaisingTo, Folding, HandHistory, NoLimitTexasHoldem, State
from tests.e2e.shell import one_clear_line, quick, rechained
from tests.poker.pokerkit_oracle import RememberedHand, swap
from tests.report.exported_hands import NAMES, bot_hands, random_hands, written_hand

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.luck.cards import hand_terms
from molt_bench.poker.hand import NOBODY
from molt_bench.report.dealt_hands import DealtHand, dealt_hands, hands_of
from molt_bench.report.exports.hands_csv import hands_csv
from molt_bench.report.exports.phh import phh
from molt_bench.report.hand_rows import all_in_street, row
from molt_bench.runs.journal_lines import Game
from molt_bench.runs.run import Run

#: PokerKit warns where a player folds though checking is free.
pytestmark = pytest.mark.filterwarnings("ignore:There is no reason for this player to fold:UserWarning")

BOTS = ("tight", "callstation")
FOLDED = "1:50/100/0:10000,10000:b0:AhKd|7c7d|:f:-50"
SHOWDOWN = "7:50/100/0:10000,9000:b0:AhKd|7c7d|2h3h4hQcKs:r300c/kr600c/kk/r8100c:9000"
DECISIONS = (Folding, CheckingOrCalling, CompletionBettingOrRaisingTo)


class Broken:
    name = "broken"

    def act(self, observation):
        raise RuntimeError("no")


def game(*agents, **settings) -> Game:
    made = [agent if not isinstance(agent, str) else BUILTIN_AGENTS[agent]() for agent in agents]
    record = play_game(tuple(made), **{"seed": "s1", "hands": 10, **settings})
    named = msgspec.structs.replace(record.spec, players=("one", "two"))
    return Game(1, msgspec.structs.replace(record, spec=named))


def read_csv(hands) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(hands_csv(hands)), newline=""), strict=True))


# Rows and CSV.


def test_a_row_is_a_hand_by_player():
    given = written_hand(SHOWDOWN, seating="BA")
    assert row(given) == {
        "run": "a run",
        "match": 3,
        "seed": "s1",
        "seating": "BA",
        "hand": 7,
        "counts": True,
        "player_a": "alice",
        "player_b": "bob",
        "button": "B",
        "small_blind": 50,
        "big_blind": 100,
        "ante": 0,
        "stack_a": 9000,
        "stack_b": 10000,
        "cards_a": "7c7d",
        "cards_b": "AhKd",
        "board": "2h3h4hQcKs",
        "actions": "r300c/kr600c/kk/r8100c",
        "pot": 18000,
        "showdown": True,
        "all_in_street": "river",
        "net_a": -9000,
        "all_in_ev_a": -9000.0,
        "luck_adjusted_a": -hand_terms(given.hand).adjusted,
        "faults_a": 0,
        "faults_b": 0,
        "forced_fold": "",
    }


@pytest.mark.parametrize("seating", ["AB", "BA"])
def test_rows_add_up_to_the_result_of_the_game(seating):
    played = game(*BOTS, seating=seating, warmup_hands=4)
    rows = read_csv(hands_of(played))
    assert [each["counts"] for each in rows] == ["false"] * 4 + ["true"] * 10
    assert sum(int(each["net_a"]) for each in rows if each["counts"] == "true") == played.record.net[0]
    assert [int(each["net_a"]) for each in rows] == list(played.record.hand_nets)


def test_faults_and_forced_folds_stand_in_the_row_and_a_game_both_failed_does_not_count():
    rows = read_csv(hands_of(game(Broken(), "callstation", seating="BA")))
    assert {(each["forced_fold"], each["faults_a"], each["faults_b"]) for each in rows} == {("A", "3", "0")}
    assert all(each["actions"].endswith("F") for each in rows)
    assert {each["counts"] for each in read_csv(hands_of(game(Broken(), Broken())))} == {"false"}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_survives_csv_and_none_is_a_formula(name):
    (read,) = read_csv([written_hand(FOLDED, players=(name, "bob"))])
    assert not read["player_a"].startswith(tuple("=+-@\t\r\n"))
    assert read["player_a"].removeprefix("'") == name
    assert (read["player_b"], read["net_a"]) == ("bob", "-50")


def test_csv_is_as_rfc_4180_has_it():
    given = written_hand(FOLDED, players=('a"b', "c,d"))
    header, line, rest = "".join(hands_csv([given])).split("\r\n")
    assert header == ",".join(row(given))
    assert '"a""b","c,d"' in line
    assert rest == ""
    assert "\n" not in line


# From a run.


def test_hands_are_read_in_the_order_of_the_journal_whether_or_not_the_run_holds_them(runs, bots_id):
    whole, bare = Run.open(runs / bots_id), Run.open(runs / bots_id, hands=False)
    assert not any(each.record.hand_texts for each in bare.games)
    assert bare.result() == whole.result()
    texts = [text for each in whole.games for text in each.record.hand_texts]
    assert [each.text for each in dealt_hands(bare)] == texts
    assert {each.run for each in dealt_hands(bare)} == {bots_id}


def test_a_hand_that_cannot_have_happened_is_named(runs, bots_id, tmp_path):
    lines = [json.loads(line) for line in (runs / bots_id / "journal.jsonl").read_bytes().splitlines()]
    record = lines[2]["record"]
    hole, rest = record["hand_texts"][3].split("|", 1)
    record["hand_texts"][3] = f"{hole[:-2]}{hole[-4:-2]}|{rest}"
    (tmp_path / "journal.jsonl").write_bytes(rechained(lines))
    for form in ("csv", "phh"):
        one_clear_line(quick("export", tmp_path, "--format", form), "the journal's line 3 is damaged: hand 4")


# PHH.


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


def check_phh(hands: list[DealtHand]) -> None:
    for given, history in zip(hands, HandHistory.loads_all("".join(phh(hands))), strict=True):
        assert history.finishing_stacks == list(replay(history, given).stacks)
        assert history.players == list(swap(given.names, given.hand.button))  # the big blind, then the button


@pytest.mark.slow
def test_random_hands_with_everything_special_and_those_of_all_bots_are_read_back_from_phh():
    hands, happened = [*random_hands(range(300)), *bot_hands()], Counter()
    for hand in [each.hand for each in hands]:
        happened["ante"] += hand.rules.ante > 0
        happened["all-in"] += all_in_street(hand) is not None
        happened["split"] += hand.folded == NOBODY and hand.payoffs == (0, 0)
        happened["short"] += min(hand.starting_stacks) < hand.rules.big_blind
        happened["fold"] += hand.folded != NOBODY
    assert min(happened.values()) > 5, happened
    check_phh(hands)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(10))
def test_five_thousand_random_hands_are_read_back(chunk):
    check_phh(random_hands(range(10_000 + 500 * chunk, 10_500 + 500 * chunk)))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_survives_phh(name):
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

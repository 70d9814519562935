"""Tables: CSV read by the csv module, and the journal read game by game."""

import csv
import io

import msgspec
import pytest
from tests.report.exported_hands import NAMES, bot_hands, random_hands, written_hand

from molt_bench import BUILTIN_AGENTS, play_game
from molt_bench.config.loader import load_config
from molt_bench.errors import JournalError
from molt_bench.luck.cards import hand_terms
from molt_bench.report.chip_flow import chip_flow
from molt_bench.report.dealt_hands import dealt_hands, hands_of
from molt_bench.report.exports.hands_csv import hands_csv
from molt_bench.report.hand_rows import COLUMNS, row
from molt_bench.runs.header import config_hash
from molt_bench.runs.journal import Journal, read_header
from molt_bench.runs.journal_lines import FORMAT, Game, Header, SessionEnd
from molt_bench.runs.run import Run

BOTS = ("tight", "callstation")


class Broken:
    name = "broken"

    def act(self, observation):
        raise RuntimeError("no")


def game(*agents, match=1, participants=("one", "two"), **settings) -> Game:
    made = [agent if not isinstance(agent, str) else BUILTIN_AGENTS[agent]() for agent in agents]
    record = play_game(tuple(made), **{"seed": "s1", "hands": 10, **settings})
    named = msgspec.structs.replace(record.spec, players=participants)
    return Game(match, msgspec.structs.replace(record, spec=named))


def read_csv(hands) -> list[dict[str, str]]:
    text = "".join(hands_csv(hands))
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def as_read(value: str) -> str:
    """Drop the apostrophe that keeps a spreadsheet from calculating."""
    return value.removeprefix("'")


def test_chips_are_neither_made_nor_lost():
    for given in [*random_hands(range(500)), *bot_hands()]:
        flow, hand = chip_flow(given.hand), given.hand
        for seat in (0, 1):
            paid = flow.antes[seat] + flow.blinds[seat] + sum(step.added for step in flow.steps if step.seat == seat)
            assert 0 <= paid <= hand.starting_stacks[seat]
            assert flow.collected[seat] + flow.returned[seat] - paid == hand.payoffs[seat], given.text
        assert 0 in flow.returned


def test_a_row_is_a_hand_by_player():
    given = written_hand("7:50/100/0:10000,9000:b0:AhKd|7c7d|2h3h4hQcKs:r300c/kr600c/kk/r8100c:9000", seating="BA")
    won = hand_terms(given.hand)
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
        "luck_adjusted_a": -won.adjusted,
        "faults_a": 0,
        "faults_b": 0,
        "forced_fold": "",
    }


def test_rows_add_up_to_the_result_of_the_game():
    for seating in ("AB", "BA"):
        played = game(*BOTS, seating=seating, warmup_hands=4)
        rows = read_csv(hands_of(played))
        assert len(rows) == 14
        assert [each["counts"] for each in rows] == ["false"] * 4 + ["true"] * 10
        assert sum(int(each["net_a"]) for each in rows if each["counts"] == "true") == played.record.net[0]
        assert [int(each["net_a"]) for each in rows] == list(played.record.hand_nets)


def test_faults_and_forced_folds_stand_in_the_row_and_a_game_both_failed_does_not_count():
    played = game(Broken(), "callstation", seating="BA")
    rows = read_csv(hands_of(played))
    assert {each["forced_fold"] for each in rows} == {"A"}
    assert {(each["faults_a"], each["faults_b"]) for each in rows} == {("3", "0")}
    assert all(each["actions"].endswith("F") for each in rows)
    nobody = game(Broken(), Broken())
    assert nobody.record.both_failed
    assert not any(dealt.counts for dealt in hands_of(nobody))
    assert {each["counts"] for each in read_csv(hands_of(nobody))} == {"false"}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_survives_csv_and_none_is_a_formula(name):
    given = written_hand("1:50/100/0:10000,10000:b0:AhKd|7c7d|:f:-50", players=(name, "bob"))
    (read,) = read_csv([given])
    assert not read["player_a"].startswith(tuple("=+-@\t\r\n"))
    assert as_read(read["player_a"]) == name
    assert (read["player_b"], read["net_a"]) == ("bob", "-50")


def test_csv_is_as_rfc_4180_has_it():
    lines = "".join(hands_csv([written_hand("1:50/100/0:10000,10000:b0:AhKd|7c7d|:f:-50", players=('a"b', "c,d"))]))
    header, line, rest = lines.split("\r\n")
    assert header == ",".join(COLUMNS)
    assert '"a""b","c,d"' in line
    assert rest == ""
    assert "\n" not in line


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "journal.jsonl"
    written = Journal(str(path))
    config = load_config({"participants": [*BOTS], "seeds": {"masterSeed": "a"}}).plain()
    written.write(Header(FORMAT, 2, "0.1.0", config_hash(config), config))
    for number in (1, 2):
        written.write(game(*BOTS, match=number))
        written.write(SessionEnd(1.0))
    written.close()
    return path


def test_hands_come_in_the_order_of_the_journal(journal):
    hands = list(dealt_hands(Run.open(journal.parent)))
    assert [each.match for each in hands] == [1] * 10 + [2] * 10
    assert {each.run for each in hands} == {journal.parent.name}


def test_a_line_that_was_torn_off_is_left_out(journal):
    data = journal.read_bytes()
    second = data.rindex(b'{"prev":', 0, data.rindex(b'"line":"game"'))
    journal.write_bytes(data[: second + 100])
    assert len(list(dealt_hands(Run.open(journal.parent)))) == 10


def test_what_is_no_journal_is_said(tmp_path):
    for content in (b"", b'{"line":"sitting","seconds":1}\n'):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(JournalError, match="expected the header"):
            read_header(tmp_path / "x")
    with pytest.raises(JournalError, match="cannot be read"):
        read_header(tmp_path / "nowhere")

"""A run that was cut or edited afterwards is noticed, and what is missing is said."""

import json
import shutil
from hashlib import sha256
from itertools import pairwise, product

import msgspec
import pytest

from molt_bench.bench.endings import Interrupted, OrderKnown, SeedsUsed, Spent
from molt_bench.report.artifacts import indented
from tests.cases import one_in
from tests.e2e.shell import lines_of, one_clear_line, quick, quick_run, read, rechained

FLAGS = ("--participants", "tight,callstation,random", "--seeds", "4", "--hands", "10", "--max-matches", "5")
RULE = ("--set", "stop.adjacentConfidence=null")
#: Every command that reads a whole run, and its flags.
READERS = {
    "verify": (),
    "report": (),
    "resume": (),
    "export": ("--format", "csv"),
    "html": ("--format", "html", "--output", "page.html"),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a finished run of five matches of eight games."""
    return quick_run(tmp_path_factory.mktemp("finished"), *FLAGS, *RULE)


@pytest.fixture
def run(finished, tmp_path):
    """Return a copy of it to work on."""
    return shutil.copytree(finished, tmp_path / "run")


def lines_in(folder):
    return (folder / "journal.jsonl").read_bytes().splitlines()


def write(folder, lines):
    (folder / "journal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def forge(folder, lines):
    """Write lines with a chain that fits, and take away the summary that would tell."""
    (folder / "journal.jsonl").write_bytes(rechained(lines))
    (folder / "summary.json").unlink()


def reading(command, folder, tmp_path):
    name = {"html": "export"}.get(command, command)
    return quick(name, folder, *READERS[command], cwd=tmp_path)


@pytest.mark.slow
def test_an_untouched_run_is_read_by_every_command(run, tmp_path):
    for command in READERS:
        done = reading(command, run, tmp_path)
        assert done.returncode == 0, (command, done.stderr)


def test_every_line_but_the_first_begins_with_the_hash_of_the_one_before(run):
    lines = lines_in(run)
    assert len(lines) == 1 + 5 * (8 + 1) + 1
    for before, line in pairwise(lines):
        assert line.startswith(b'{"prev":"%b",' % sha256(before).hexdigest().encode())
    end = read(run, "summary.json")["journal"]
    assert end == {"lines": len(lines), "sha256": sha256(lines[-1]).hexdigest()}


@pytest.mark.parametrize("command", READERS)
def test_a_deleted_game_is_noticed_by_every_command_which_says_where_it_is_missing(run, tmp_path, command):
    lines = lines_in(run)
    number = next(at for at, line in enumerate(lines) if json.loads(line).get("match") == 3)
    write(run, lines[:number] + lines[number + 1 :])
    done = reading(command, run, tmp_path)
    one_clear_line(done, f"line {number + 1} does not follow line {number}")


@pytest.mark.parametrize("command", one_in(2, ["verify", "report"]))
def test_a_deleted_game_is_noticed_even_if_the_chain_was_forged(run, tmp_path, command):
    lines = lines_in(run)
    number = next(at for at, line in enumerate(lines) if json.loads(line).get("match") == 3)
    forge(run, lines[:number] + lines[number + 1 :])
    one_clear_line(reading(command, run, tmp_path), "margins of match 3 are not what its games give")


@pytest.mark.parametrize("command", one_in(5, READERS))
def test_an_edited_line_is_noticed(run, tmp_path, command):
    lines = lines_in(run)
    game = json.loads(lines[5])
    game["seconds"] += 1
    lines[5] = json.dumps(game, separators=(",", ":")).encode()
    write(run, lines)
    one_clear_line(reading(command, run, tmp_path), "line 7 does not follow line 6")


@pytest.mark.parametrize("command", one_in(5, READERS))
def test_a_journal_cannot_claim_another_format(run, tmp_path, command):
    lines = lines_in(run)
    header = json.loads(lines[0])
    write(run, [json.dumps({**header, "format": 2}, separators=(",", ":")).encode(), *lines[1:]])
    one_clear_line(reading(command, run, tmp_path), "has format 2; this version reads format 1")


@pytest.mark.parametrize("command", one_in(3, ["resume", "verify", "report"]))
def test_a_run_that_was_cut_where_it_looked_good_is_noticed(run, tmp_path, command):
    lines = lines_in(run)
    write(run, [*lines[: 1 + 3 * 9]])
    one_clear_line(reading(command, run, tmp_path), "has 28 lines", "the journal of 47 lines")


def test_a_whole_match_cut_out_is_named(run):
    lines = lines_in(run)
    kept = [line for line in lines if json.loads(line).get("match") != 2]
    forge(run, kept)
    one_clear_line(quick("verify", run), "it goes on: match")


@pytest.mark.parametrize("command", ["verify", pytest.param("report", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("matches", "ending", "said"),
    [
        (3, OrderKnown(0.95, tie_mbb=250), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxMatches", 5), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxMatches", 3), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxSeconds", 10), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxCostUsd", 1, in_a_round=True), "after match 3 it goes on: match 4 is missing"),
        (1, Spent("maxCostUsd", 0, in_a_round=True), "after match 1 it goes on: match 2 is missing"),
        (1, Spent("maxTokens", 0, in_a_round=True), "after match 1 it goes on: match 2"),
        (2, Interrupted(), "after match 2 it goes on: match 3 is missing"),
        (5, SeedsUsed(10, 2), "it stops because the budget of 5 matches is spent"),
    ],
)
def test_a_forged_ending_is_noticed(run, tmp_path, command, matches, ending, said):
    lines = lines_of(run, "journal.jsonl")
    forge(run, [*lines[: 1 + matches * 9], {**lines[-1], "ending": msgspec.to_builtins(ending)}])
    one_clear_line(reading(command, run, tmp_path), str(ending), said)


def test_games_after_the_end_are_noticed(run):
    lines = lines_of(run, "journal.jsonl")
    more = {**lines[-3], "match": 6}
    forge(run, [*lines[:-1], more, lines[-1]])
    one_clear_line(quick("verify", run), "goes on to match 6", "the budget of 5 matches is spent")


def test_a_changed_budget_in_a_forged_header_is_noticed(run):
    header, *lines = lines_of(run, "journal.jsonl")
    header["config"]["stop"]["budget"]["maxMatches"] = 3
    forge(run, [header, *lines])
    one_clear_line(quick("verify", run), "the config has been changed after the run")


def test_a_torn_last_line_after_a_crash_is_still_fine(run):
    journal = run / "journal.jsonl"
    lines = lines_in(run)
    (run / "summary.json").unlink()
    journal.write_bytes(b"".join(line + b"\n" for line in lines[:20]) + lines[20][:100])
    for command in ("report", "verify"):
        done = quick(command, run)
        assert done.returncode == 0, done.stderr
    done = quick("resume", run, "--quiet")
    assert done.returncode == 0, done.stderr
    assert lines_in(run)[:20] == lines[:20]
    assert quick("verify", run).returncode == 0


def test_verify_of_a_run_that_has_not_ended_says_how_far_it_got(run):
    (run / "summary.json").unlink()
    write(run, lines_in(run)[:22])
    done = quick("verify", run)
    assert done.returncode == 0
    assert "19 games are identical" in done.stdout
    assert "the run has not ended" in done.stdout


@pytest.mark.parametrize(
    ("field", "value"), [("stopReason", "it is sure"), ("totals", {"hands": 1}), ("errors", {}), ("journal", None)]
)
def test_an_edited_summary_is_noticed(run, field, value):
    summary = read(run, "summary.json")
    (run / "summary.json").write_text(json.dumps({**summary, field: value}))
    done = quick("verify", run)
    assert done.returncode == 1
    assert "summary.json" in done.stderr


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("leaderboard.json", "rawBbPer100"),
        ("leaderboard.json", "pairs"),
        ("summary.json", "headline"),
        ("leaderboard.json", "varianceLeft"),
    ],
)
def test_a_field_that_was_taken_out_is_missed(run, name, field):
    content = read(run, name)
    for part in (content, *content.get("participants", ()), *content.get("pairs", ())):
        part.pop(field, None)
    assert content != read(run, name)
    (run / name).write_text(indented(content))
    one_clear_line(quick("verify", run), f"{name} differs")


@pytest.mark.parametrize(
    ("lines", "command"),
    one_in(4, product([-100, 0, 43, 1e300, "x", None, [], "beyond"], ["report", "verify"])),
)
def test_a_summary_that_makes_no_sense_is_no_traceback(run, command, lines):
    written = {"journal": {"lines": "@", "sha256": "x"}}
    number = "1e999" if lines == "beyond" else json.dumps(lines)
    (run / "summary.json").write_text(json.dumps(written).replace('"@"', number))
    done = quick(command, run)
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr


def game_changed(folder, change, at=3):
    """Forge a run with one game changed."""
    lines = lines_of(folder, "journal.jsonl")
    change(lines[at])
    forge(folder, lines)


def won_more(line):
    line["record"]["hand_nets"][0] += 5000
    line["record"]["net"] = [line["record"]["net"][0] + 5000, line["record"]["net"][1] - 5000]


@pytest.mark.parametrize("command", one_in(3, ["verify", "report", "html"]))
def test_chips_that_the_hands_do_not_give_are_noticed(run, tmp_path, command):
    (run / "matches.json").unlink()
    game_changed(run, won_more)
    said = "margins of match 1 are not what its games give" if command in ("report", "html") else "in its result"
    one_clear_line(reading(command, run, tmp_path), said)


@pytest.mark.parametrize("command", one_in(2, ["verify", "report"]))
def test_a_game_of_somebody_else_is_noticed(run, tmp_path, command):
    game_changed(run, lambda line: line["record"]["spec"].update(players=["AB", line["record"]["spec"]["players"][1]]))
    one_clear_line(reading(command, run, tmp_path), "match 1")


@pytest.mark.parametrize("command", one_in(2, ["verify", "report"]))
def test_the_same_game_twice_is_noticed(run, tmp_path, command):
    lines = lines_of(run, "journal.jsonl")
    forge(run, [*lines[:4], lines[3], *lines[4:]])
    one_clear_line(reading(command, run, tmp_path), "match 1 has the same game twice")


@pytest.mark.parametrize("command", one_in(2, ["verify", "report"]))
def test_margins_of_a_match_that_are_there_twice_are_noticed(run, tmp_path, command):
    lines = lines_of(run, "journal.jsonl")
    forge(run, [*lines[:10], lines[9], *lines[10:]])
    one_clear_line(reading(command, run, tmp_path), "match 1 has its margins twice")


@pytest.mark.parametrize("command", one_in(2, ["verify", "report"]))
def test_games_after_a_stop_in_the_middle_are_noticed(run, tmp_path, command):
    lines = lines_of(run, "journal.jsonl")
    forge(run, [*lines[:10], lines[-1], *lines[10:]])
    one_clear_line(reading(command, run, tmp_path), "goes on after the run had stopped")


def test_a_header_that_makes_no_sense_is_one_clear_line(run):
    from molt_bench.runs.header import config_hash

    header, *lines = lines_of(run, "journal.jsonl")
    header["config"]["participants"][0] = "tight"
    header["configHash"] = config_hash(header["config"])
    forge(run, [header, *lines])
    for command in ("report", "verify"):
        done = quick(command, run)
        assert done.returncode in (0, 1)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", one_in(5, READERS))
def test_a_match_with_an_impossible_number_is_named(run, tmp_path, command):
    game_changed(run, lambda line: line.update(match=-3))
    one_clear_line(reading(command, run, tmp_path), "line 4 is damaged", "$.match")

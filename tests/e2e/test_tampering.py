"""A run that was cut, edited or forged is noticed by every command that reads it, and what is wrong is said."""

import json
import shutil
from hashlib import sha256
from itertools import cycle, pairwise

import msgspec
import pytest

from molt_bench.bench.endings import Interrupted, OrderKnown, SeedsUsed, Spent
from molt_bench.report.artifacts import indented
from tests.e2e.shell import (
    good,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    verified,
)

#: Every command that reads a whole run, and its flags.
READERS = {
    "verify": ("verify",),
    "report": ("report",),
    "resume": ("resume",),
    "csv": ("export", "--format", "csv"),
    "html": ("export", "--format", "html", "--output", "page.html"),
}
#: Lines of a match in the journal: its games, and its margins.
MATCH = 5


def reading(command, folder, home):
    name, *flags = READERS[command]
    return quick(name, folder, *flags, cwd=home)


def lines_in(folder):
    return (folder / "journal.jsonl").read_bytes().splitlines()


def write(folder, lines):
    (folder / "journal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def forge(folder, lines):
    """Leave nothing but a journal whose chain fits."""
    for path in folder.iterdir():
        path.unlink()
    (folder / "journal.jsonl").write_bytes(rechained(lines))


def as_compact(content):
    return json.dumps(content, separators=(",", ":")).encode()


def test_every_line_but_the_first_begins_with_the_hash_of_the_one_before(run):
    lines = lines_in(run)
    assert len(lines) == 1 + 5 * MATCH + 1
    for before, line in pairwise(lines):
        assert line.startswith(b'{"prev":"%b",' % sha256(before).hexdigest().encode())
    end = read(run, "summary.json")["journal"]
    assert end == {"lines": len(lines), "sha256": sha256(lines[-1]).hexdigest()}


@pytest.mark.parametrize("command", READERS)
def test_a_deleted_game_is_noticed_by_every_command_which_says_where_it_is_missing(run, tmp_path, command):
    lines = lines_in(run)
    del lines[12]
    write(run, lines)
    one_clear_line(reading(command, run, tmp_path), "line 13 does not follow line 12")


def edited(lines):
    lines[5] = as_compact({**json.loads(lines[5]), "seconds": 1000})


def another_format(lines):
    lines[0] = as_compact({**json.loads(lines[0]), "format": 2})


def cut_where_it_looked_good(lines):
    del lines[1 + 3 * MATCH :]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (edited, "line 7 does not follow line 6"),
        (another_format, "has format 2; this version reads format 1"),
        (cut_where_it_looked_good, "has 16 lines, and summary.json was written from the journal of 27 lines"),
    ],
)
@pytest.mark.parametrize("command", ["verify", *(pytest.param(each, marks=pytest.mark.slow) for each in READERS)])
def test_a_change_without_a_new_chain_is_noticed(run, tmp_path, command, change, said):
    lines = lines_in(run)
    change(lines)
    write(run, lines)
    if (command, change) in {("csv", cut_where_it_looked_good), ("html", cut_where_it_looked_good)}:
        return  # which show what there is
    one_clear_line(reading(command, run, tmp_path), *said.split(", and summary.json was written from "))


def at(number, change):
    """Return what changes one line of a journal."""
    return lambda lines: change(lines[number])


def game(change):
    """Return what changes the record of the third game."""
    return at(3, lambda line: change(line["record"]))


def won_more(record):
    record["hand_nets"][0] += 5000
    record["net"] = [record["net"][0] + 5000, record["net"][1] - 5000]


def other_card(record):
    """Give seat 0 the same card twice."""
    hole, rest = record["hand_texts"][3].split("|", 1)
    record["hand_texts"][3] = f"{hole[:-2]}{hole[-4:-2]}|{rest}"


def other_net(record):
    record["hand_nets"][1] += 7


def margins_turned_around(lines):
    for line in lines:
        if line["line"] == "margins":
            line["margins"]["adjusted"] = [-one for one in line["margins"]["adjusted"]]


def chips_moved(lines):
    next(line for line in lines if line["line"] == "margins")["margins"]["raw"][0] += 1.0


def a_match_left_out(lines):
    lines[:] = [line for line in lines if line.get("match") != 2]


ALL = "verify report html csv"
#: What a forger may do who makes the chain anew, by what is wrong; and what commands say.
FORGERIES = {
    "a game is missing": (lambda lines: lines.pop(12), {"verify report": "margins of match 3 are not what its games"}),
    "a match is missing": (a_match_left_out, {"verify": "it goes on: match"}),
    "a game is there twice": (lambda lines: lines.insert(4, lines[3]), {"verify report": "match 1 has the same game"}),
    "margins are there twice": (
        lambda lines: lines.insert(6, lines[5]),
        {"verify report": "match 1 has its margins twice"},
    ),
    "somebody else played": (game(lambda record: record["spec"]["players"].reverse()), {"verify report": "match 1"}),
    "it stopped before": (
        lambda lines: lines.insert(6, lines[-1]),
        {"verify report": "goes on after the run had stopped"},
    ),
    "games after the end": (
        lambda lines: lines.insert(-1, {**lines[-3], "match": 6}),
        {"verify": "goes on to match 6"},
    ),
    "another budget": (
        at(0, lambda header: header["config"]["stop"]["budget"].update(maxMatches=3)),
        {"verify": "the config has been changed after the run"},
    ),
    "a match that cannot be": (at(3, lambda line: line.update(match=-3)), {ALL: "line 4 is damaged"}),
    "chips that no hand gives": (
        game(won_more),
        {"verify": "in its result", "report html": "margins of match 1 are not what its games give"},
    ),
    "chips that a hand does not give": (game(other_net), {ALL: "line 4 is damaged"}),
    "a hand less": (game(lambda record: record["hand_nets"].pop(0)), {ALL: "line 4 is damaged"}),
    "a card twice": (
        game(other_card),
        {"verify": "differs from hand 4 on", "html csv phh": "line 4 is damaged: hand 4"},
    ),
    "margins turned around": (margins_turned_around, {"verify": "margins of match 1 are not what its games"}),
    "margins of other chips": (chips_moved, {"verify report html": "margins"}),
}
READERS["phh"] = ("export", "--format", "phh")


@pytest.mark.parametrize(
    ("name", "command", "said"),
    [
        pytest.param(name, command, said, marks=pytest.mark.slow if number or place else ())
        for name, (_, words) in FORGERIES.items()
        for number, (commands, said) in enumerate(words.items())
        for place, command in enumerate(commands.split())
    ],
)
def test_what_a_forger_does_is_noticed_and_nothing_is_written(run, tmp_path, name, command, said):
    lines = lines_of(run, "journal.jsonl")
    FORGERIES[name][0](lines)
    forge(run, lines)
    one_clear_line(reading(command, run, tmp_path), *said.split(": "))
    assert [path.name for path in run.iterdir()] == ["journal.jsonl"]


@pytest.mark.parametrize(
    ("matches", "ending", "said"),
    [
        (3, OrderKnown(0.95, tie_mbb=250), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxMatches", 5), "after match 3 it goes on: match 4 is missing"),
        (3, Spent("maxCostUsd", 1, in_a_round=True), "after match 3 it goes on: match 4 is missing"),
        (2, Interrupted(), "after match 2 it goes on: match 3 is missing"),
        (5, SeedsUsed(10, 2), "it stops because the budget of 5 matches is spent"),
    ],
)
@pytest.mark.parametrize("command", ["verify", pytest.param("report", marks=pytest.mark.slow)])
def test_a_forged_ending_is_noticed(run, tmp_path, command, matches, ending, said):
    lines = lines_of(run, "journal.jsonl")
    forge(run, [*lines[: 1 + matches * MATCH], {**lines[-1], "ending": msgspec.to_builtins(ending)}])
    one_clear_line(reading(command, run, tmp_path), str(ending), said)


def test_a_torn_last_line_after_a_crash_is_still_fine(run):
    lines = lines_in(run)
    (run / "summary.json").unlink()
    (run / "journal.jsonl").write_bytes(b"".join(line + b"\n" for line in lines[:14]) + lines[14][:100])
    good(quick("report", run))
    said = verified(run)
    assert "11 games are identical" in said
    assert "the run has not ended" in said
    good(quick("resume", run, "--quiet"))
    assert lines_in(run)[:14] == lines[:14]
    verified(run)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stopReason", "it is sure"),
        ("totals", {"hands": 1}),
        ("journal", None),
        ("headline", "no one leads"),
        ("notFromJournal", ["headline"]),
    ],
)
def test_an_edited_summary_is_noticed(run, field, value):
    (run / "summary.json").write_text(indented({**read(run, "summary.json"), field: value}))
    one_clear_line(quick("verify", run), "summary.json")


@pytest.mark.parametrize("field", ["rawBbPer100", "pairs", "varianceLeft"])
def test_a_field_that_was_taken_out_is_missed(run, field):
    content = read(run, "leaderboard.json")
    for part in (content, *content["participants"], *content["pairs"]):
        part.pop(field, None)
    assert content != read(run, "leaderboard.json")
    (run / "leaderboard.json").write_text(indented(content))
    one_clear_line(quick("verify", run), "leaderboard.json differs")


def test_a_summary_that_makes_no_sense_is_no_traceback(run):
    for command, lines in zip(
        cycle(("report", "verify")), ("-100", "0", "43", "1e300", '"x"', "null", "[]", "1e999"), strict=False
    ):
        (run / "summary.json").write_text('{"journal": {"lines": %s, "sha256": "x"}}' % lines)  # noqa: UP031
        done = quick(command, run)
        assert done.returncode in (0, 1)
        assert "Traceback" not in done.stderr


def test_a_header_that_makes_no_sense_is_no_traceback(run):
    from molt_bench.runs.header import config_hash

    header, *lines = lines_of(run, "journal.jsonl")
    header["config"]["participants"][0] = "tight"
    forge(run, [{**header, "configHash": config_hash(header["config"])}, *lines])
    for command in ("report", "verify"):
        done = quick(command, run)
        assert done.returncode in (0, 1)
        assert "Traceback" not in done.stderr


MIXER = """
from molt_bench import Action, Mix


class Mixer:
    name = "mixer"

    def act(self, observation):
        return Mix([(Action("call" if observation.to_call else "check"), 3), (Action("fold"), 1)])
"""
WRONG_MIXES = {
    "no mixes": (lambda line: "hello", ("hand 1", "not the mixes of a hand: 'hello'")),
    "no mix": (lambda line: f"{line},9f", ("hand 1", "not a mix")),
    "weight 0": (lambda line: "0:0f", ("hand 1", "not a mix: '0f'")),
    "after the hand": (lambda line: f"{line};98:1f", ("match 1, seed", "differs in the mixes of hand 1")),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Return a run of an agent of our own that mixes, and so is not asked again by verify."""
    home = tmp_path_factory.mktemp("mixed")
    (home / "mixer.py").write_text(MIXER)
    flags = ("--participants", f"{home / 'mixer.py'}:Mixer,callstation", "--seeds", "1", "--hands", "4")
    return quick_run(home / "runs", *flags, "--max-matches", "1", "--quiet", "--executor", "inline")


def with_first_mix(mixed, home, change):
    """Return a copy of the run in whose second game the first mix was changed, and its lines."""
    run, lines = shutil.copytree(mixed, home / "run"), lines_of(mixed, "journal.jsonl")
    mixes = lines[2]["record"]["mixes"]
    first = next(place for place, line in enumerate(mixes) if line)
    mixes[first] = change(mixes[first])
    return run, lines


@pytest.mark.parametrize("name", WRONG_MIXES)
def test_a_mix_that_was_changed_is_one_line_that_names_the_hand(mixed, tmp_path, name):
    change, words = WRONG_MIXES[name]
    forge(*with_first_mix(mixed, tmp_path, change))
    one_clear_line(quick("verify", tmp_path / "run"), *words)


def test_a_journal_whose_lines_were_changed_is_not_that_of_the_summary(mixed, tmp_path):
    run, lines = with_first_mix(mixed, tmp_path, lambda line: line.replace(":3", ":4"))
    (run / "journal.jsonl").write_bytes(rechained(lines))
    one_clear_line(quick("verify", run), "is not the journal that summary.json was written from: lines were changed")

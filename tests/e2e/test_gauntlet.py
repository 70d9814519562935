"""A gauntlet: everyone plays the reference alone, and every command knows that."""

import shutil

import pytest

from tests.cases import one_in
from tests.e2e.llm import config_for, cut, played, same_files
from tests.e2e.shell import (
    configured_run,
    cut_back,
    everything,
    first_lines,
    gone_on,
    good,
    moment,
    quick,
    quick_run,
    read,
    results,
    strict_json,
    verified,
)
from tests.viewing import told

BOTS = ("tag", "maniac", "tight", "callstation", "random", "shover")
#: Game modes, decks, rounds and ways to count that a gauntlet may meet.
MODES = {
    "game": (
        {},
        {"stacks": "carry"},
        {"warmupHands": 2},
        {"stack": 1000},
        {"stacks": "carry", "stack": 500, "warmupHands": 1},
    ),
    "rating": ({}, {"estimator": "raw"}, {"updatePer": "seedPair"}),
    "seeds": ({"perMatch": 1}, {"perMatch": 3}, {"perMatch": 2}),
    "scheduler": ({}, {"rematchWindow": 0}, {"minSeedPairs": 1}, {"rematchWindow": 4}),
    "stop": (
        {"budget": {"maxMatches": 6}},
        {"budget": {"maxHands": 300}, "adjacentConfidence": None},
        {"budget": {"maxMatches": 7}, "topkStable": {"k": 1, "rounds": 3}},
        {"budget": {"maxMatches": 2}},
    ),
}
FOUR = ("--participants", "tag,maniac,tight,random")
GAUNTLET = (*FOUR, "--scheduler", "gauntlet")
AGAINST_TIGHT = ("--participants", "tight,tag,maniac,random", "--scheduler", "gauntlet")
SMALL = ("--seeds", "2", "--hands", "4", "--quiet", "--executor", "inline")


def chosen(number, what, options):
    return options[int(moment("gauntlet", number, what) * len(options))]


def generated(number):
    """Return a config of a gauntlet, drawn by its number."""
    offset = int(moment("gauntlet", number, "bots") * len(BOTS))
    names = [BOTS[(offset + at) % len(BOTS)] for at in range(2 + number % 5)]
    config = {section: dict(chosen(number, section, options)) for section, options in MODES.items()}
    config["game"]["handsPerGame"] = 4
    config["participants"] = [{"id": name, "type": name, "anchor": at == 1} for at, name in enumerate(names)]
    config["scheduler"]["policy"] = "gauntlet"
    return config


@pytest.mark.parametrize("number", one_in(24, range(24)))
def test_every_command_takes_a_gauntlet_in_every_mode(tmp_path, number):
    config = generated(number)
    reference = config["participants"][0]["id"]
    run = configured_run(tmp_path, config, "--executor", "inline")
    assert read(run, "config.json")["scheduler"]["policy"] == "gauntlet"
    matches = read(run, "matches.json")["matches"]
    assert all(reference in (match["participantA"], match["participantB"]) for match in matches)
    board = read(run, "leaderboard.json")
    (own,) = [row for row in board["participants"] if row["id"] == reference]
    assert (board["reference"], own["bbPer100"], own["bbPer100HalfWidth"]) == (reference, 0, 0)
    assert board["cycles"] == []

    again = shutil.copytree(run, tmp_path / "again" / run.name)
    lines = (again / "journal.jsonl").read_bytes().count(b"\n")
    cut_back(again, first_lines(1 + int(moment("gauntlet", number, "cut") * (lines - 2))))
    assert results(gone_on(again, "--executor", "inline")) == results(run)

    before = {name: data for name, data in everything(run).items() if name != "summary.json"}
    assert f"gainst {reference}, the reference: " in good(quick("report", run)).stdout
    assert {name: data for name, data in everything(run).items() if name != "summary.json"} == before
    assert "are identical when replayed" in verified(run)
    for form in ("html", "csv", "phh"):
        good(quick("export", run, "--format", form, "--output", tmp_path / f"out.{form}"))
    same = quick("compare", run, run, "--json")
    compared = strict_json(same.stdout)["agents"] if same.stdout else []
    assert {tuple(each["byOpponent"]) for each in compared if each["oldId"] != reference} <= {(reference,)}
    good(quick("plan", tmp_path / "bench.json"))


def test_an_extended_gauntlet_is_the_longer_one(tmp_path):
    common = (*AGAINST_TIGHT, *SMALL, "--set", "stop.adjacentConfidence=null")
    long, short = (quick_run(tmp_path / most, *common, "--max-matches", most) for most in "85")
    assert results(gone_on(short, "--max-matches", 8)) == results(long)


def test_a_seed_file_is_shared_among_the_pairings_that_play(tmp_path):
    """Four participants have six pairs, but a gauntlet has three: three blocks are enough for decks of their own."""
    (tmp_path / "seeds.txt").write_text("".join(f"seed-{number}\n" for number in range(6)))
    flags = (*AGAINST_TIGHT, *SMALL, "--seeds-file", tmp_path / "seeds.txt")
    dealt = [match["seeds"] for match in read(quick_run(tmp_path / "out", *flags), "matches.json")["matches"]]
    assert sorted(dealt) == [[f"seed-{at}", f"seed-{at + 1}"] for at in (0, 2, 4)]


@pytest.mark.slow
def test_executors_play_the_same_gauntlet(tmp_path):
    common = (*GAUNTLET, *SMALL, "--max-matches", "6")
    runs = [quick_run(tmp_path / name, *common, "--executor", name) for name in ("inline", "async", "processes")]
    assert results(runs[0]) == results(runs[1]) == results(runs[2])


def test_two_gauntlets_compare_what_is_won_from_the_reference(tmp_path):
    common = ("--participants", "tight,tag,maniac", "--scheduler", "gauntlet", *SMALL, "--seeds", "4", "--hands", "10")
    common += ("--max-matches", "4", "--master-seed", "7", "--set", "stop.adjacentConfidence=null")
    old = quick_run(tmp_path / "old", *common)
    new = quick_run(tmp_path / "new", *common, "--set", "participants.1.type=callstation")
    (change,) = strict_json(quick("compare", old, new, "--agent", "tag", "--json").stdout)["agents"]
    assert (list(change["byOpponent"]), change["paired"]) == (["tight"], True)
    assert change["changeBbPer100"] != 0


def test_the_budget_has_to_let_everyone_meet_the_reference_only(tmp_path):
    lineup = (*GAUNTLET, *SMALL, "--seeds", "4", "--output-dir", tmp_path, "--max-matches")
    assert quick(*lineup, "3").stderr == ""
    said = quick(*lineup, "2").stderr
    assert "ends before all 3 pairs have played 4 seed pairs" in said
    assert "maxMatches: 3 would" in said


@pytest.mark.slow
def test_models_play_a_gauntlet_and_resume_it(server, tmp_path):
    config = config_for(server.url)
    model = config["participants"][0]
    config |= {"participants": ["tight", model, {**model, "id": "other"}], "scheduler": {"policy": "gauntlet"}}
    run = played(tmp_path / "whole", config, env={"OPENAI_API_KEY": "key"})
    before = same_files(run)
    matches = read(run, "matches.json")["matches"]
    assert {match["participantA"] for match in matches} == {"tight"}
    first = {match["participantB"]: match["seeds"] for match in reversed(matches)}
    assert first["other"] != first[model["id"]], "each has its own decks"
    cut(run, games=3)
    assert same_files(gone_on(run, env={"OPENAI_API_KEY": "key"})) == before
    assert "identical" in verified(run)
    pilot = quick("plan", tmp_path / "whole" / "bench.json", "--pilot", run, "--json", cwd=tmp_path / "whole")
    assert strict_json(pilot.stdout)["assumed"]["pairings"] == 2


def test_a_plan_takes_what_a_run_takes():
    def planned(*flags):
        return strict_json(quick("plan", *FOUR, "--max-matches", "60", "--json", *flags).stdout)

    everyone, gauntlet = planned(), planned("--scheduler", "gauntlet")
    assert (everyone["assumed"]["pairings"], gauntlet["assumed"]["pairings"]) == (6, 3)
    assert everyone["budget"]["hands"] == gauntlet["budget"]["hands"]
    assert everyone["gapMbb"] < gauntlet["gapMbb"]
    said = good(quick("plan", *FOUR, "--max-matches", "4")).stdout
    assert max(map(len, said.splitlines())) <= 80
    assert "* More than stop.budget allows: the run would stop first." in said


@pytest.mark.slow
def test_the_viewer_marks_the_reference_and_has_no_matrix(tmp_path):
    flags = ("--participants", "tight,tag,maniac", "--scheduler", "gauntlet", *SMALL, "--max-matches", "3")
    run = quick_run(tmp_path / "out", *flags)
    page = told(run, run.name)
    assert [each["id"] for each in page["participants"] if each["reference"]] == ["tight"]
    assert page["payoff"] is None
    assert "gainst \u2068tight\u2069, the reference: " in page["headline"][0]
    assert not any("met so far" in sentence for sentence in page["sentences"])
    (own,) = [row for row in page["leaderboard"] if row["id"] == "tight"]
    assert (own["bb100"], own["halfWidth"]) == (0, 0)

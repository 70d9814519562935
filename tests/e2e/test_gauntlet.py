"""A gauntlet: everybody plays the reference alone, and every command knows that."""

import json
import shutil

import pytest

from molt_bench.view.library import Library
from molt_bench.view.run_page import run_page
from tests.cases import one_in
from tests.e2e.llm import config_for, cut, played, same_files
from tests.e2e.shell import (
    cut_back,
    everything,
    first_lines,
    moment,
    one_clear_line,
    quick,
    quick_run,
    read,
    results,
    strict_json,
)

BOTS = ("tag", "maniac", "tight", "callstation", "random", "shover")
#: Game modes, decks, rounds and ways to count that a gauntlet may meet.
MODES = {
    "game": (
        {},
        {"stacks": "carry"},
        {"warmupHands": 2, "ante": 10},
        {"stack": 1000},
        {"stacks": "carry", "stack": 500, "warmupHands": 1},
    ),
    "rating": ({}, {"estimator": "raw"}, {"updatePer": "seedPair"}),
    "seeds": ({"perMatch": 1}, {"perMatch": 3}, {"perMatch": 2}),
    "scheduler": ({}, {"matchesPerRound": 3}, {"rematchWindow": 0}, {"minSeedPairs": 1}, {"rematchWindow": 4}),
    "stop": (
        {"budget": {"maxMatches": 6}},
        {"budget": {"maxHands": 300}, "adjacentConfidence": None},
        {"budget": {"maxMatches": 7}, "topkStable": {"k": 1, "rounds": 3}},
        {"budget": {"maxMatches": 2}},
    ),
}


def chosen(number, what, options):
    return options[int(moment("gauntlet", number, what) * len(options))]


def generated(number):
    """Return a config of a gauntlet, drawn by its number."""
    count = 2 + number % 5
    offset = int(moment("gauntlet", number, "bots") * len(BOTS))
    names = [BOTS[(offset + at) % len(BOTS)] for at in range(count)]
    config = {section: dict(chosen(number, section, options)) for section, options in MODES.items()}
    config["game"]["handsPerGame"] = 4
    config["participants"] = [{"id": name, "type": name, "anchor": at == 1} for at, name in enumerate(names)]
    config["scheduler"]["reference"] = chosen(number, "reference", names)
    return config


def written(config, folder, name="config.json"):
    path = folder / name
    path.write_text(json.dumps(config))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", one_in(24, range(24)))
def test_every_command_takes_a_gauntlet_in_every_mode(tmp_path, number):
    config = generated(number)
    reference = config["scheduler"]["reference"]
    run = quick_run(tmp_path / "out", "--config", written(config, tmp_path), "--quiet", "--executor", "inline")
    matches = read(run, "matches.json")["matches"]
    assert all(reference in (match["participantA"], match["participantB"]) for match in matches)
    board = read(run, "leaderboard.json")
    (own,) = [row for row in board["participants"] if row["id"] == reference]
    assert (board["reference"], own["bbPer100"], own["bbPer100HalfWidth"]) == (reference, 0, 0)
    assert board["cycles"] == []

    again = tmp_path / "again" / run.name
    shutil.copytree(run, again)
    lines = (again / "journal.jsonl").read_bytes().count(b"\n")
    cut_back(again, first_lines(1 + int(moment("gauntlet", number, "cut") * (lines - 2))))
    assert quick("resume", again, "--quiet", "--executor", "inline").returncode == 0
    assert results(again) == results(run)

    before = {name: data for name, data in everything(run).items() if name != "summary.json"}
    told = quick("report", run)
    assert f"The order is against {reference}, the reference" in told.stdout
    assert {name: data for name, data in everything(run).items() if name != "summary.json"} == before
    assert "are identical when replayed" in quick("verify", run).stdout
    assert quick("export", run, "--format", "html", "--output", tmp_path / "run.html").returncode == 0
    for form in ("csv", "phh"):
        done = quick("export", run, "--format", form, "--output", tmp_path / f"out.{form}")
        assert done.returncode == 0, done.stderr
    same = quick("compare", run, run, "--json")
    compared = strict_json(same.stdout)["agents"] if same.stdout else []
    assert {tuple(each["opponents"]) for each in compared if each["oldId"] != reference} <= {(reference,)}
    assert quick("plan", written(config, tmp_path)).returncode == 0


class TestConfig:
    LINEUP = ("--participants", "tag,maniac,tight")

    def test_a_gauntlet_needs_a_reference(self):
        one_clear_line(
            quick(*self.LINEUP, "--scheduler", "gauntlet"), "scheduler.reference = None", "one of tag, maniac, tight"
        )

    def test_a_reference_is_a_participant_and_the_nearest_is_suggested(self):
        one_clear_line(quick(*self.LINEUP, "--reference", "tga"), "scheduler.reference = 'tga'", "did you mean 'tag'?")

    def test_no_other_policy_has_a_reference(self):
        done = quick(*self.LINEUP, "--reference", "tag", "--scheduler", "round_robin")
        one_clear_line(done, "scheduler.reference = 'tag'", "policy: gauntlet", "round_robin has no reference")

    def test_a_gauntlet_is_not_decided_by_matches_won(self):
        done = quick(*self.LINEUP, "--reference", "tag", "--set", "stop.adjacentConfidence.method=openskill")
        one_clear_line(done, "stop.adjacentConfidence.method = 'openskill'", "margin")

    def test_a_reference_alone_means_a_gauntlet(self, tmp_path):
        run = quick_run(
            tmp_path / "out", *self.LINEUP, "--reference", "tag", "--seeds", "1", "--hands", "2", "--max-matches", "2",
            "--quiet",
        )  # fmt: skip
        assert read(run, "config.json")["scheduler"]["policy"] == "gauntlet"

    def test_the_reference_of_a_run_cannot_be_changed(self, tmp_path):
        small = ("--seeds", "1", "--hands", "2", "--max-matches", "2", "--quiet")
        run = quick_run(tmp_path / "out", *self.LINEUP, "--reference", "tag", *small)
        one_clear_line(quick("resume", run, "--set", "scheduler.reference=tight"), "a field of stop")


def test_an_extended_gauntlet_is_the_longer_one(tmp_path):
    common = (
        *("--participants", "tag,maniac,tight", "--reference", "tight", "--seeds", "2", "--hands", "4", "--quiet"),
        *("--set", "stop.adjacentConfidence=null", "--executor", "inline"),
    )
    long = quick_run(tmp_path / "long", *common, "--max-matches", "8")
    short = quick_run(tmp_path / "short", *common, "--max-matches", "5")
    assert quick("resume", short, "--max-matches", "8", "--quiet").returncode == 0
    assert results(short) == results(long)


def test_a_seed_file_is_shared_among_the_pairings_that_play(tmp_path):
    """Four participants have six pairs, but a gauntlet has three: three blocks are enough for decks of their own."""
    (tmp_path / "seeds.txt").write_text("".join(f"seed-{number}\n" for number in range(6)))
    run = quick_run(
        tmp_path / "out", "--participants", "tag,maniac,tight,random", "--reference", "tight", "--seeds", "2",
        "--hands", "3", "--seeds-file", tmp_path / "seeds.txt", "--quiet",
    )  # fmt: skip
    dealt = [tuple(match["seeds"]) for match in read(run, "matches.json")["matches"]]
    assert sorted(dealt) == [(f"seed-{at}", f"seed-{at + 1}") for at in (0, 2, 4)]


@pytest.mark.slow
def test_executors_play_the_same_gauntlet(tmp_path):
    common = (
        *("--participants", "tag,maniac,tight,random", "--reference", "tag", "--seeds", "2", "--hands", "4", "--quiet"),
        *("--max-matches", "6", "--set", "scheduler.matchesPerRound=3"),
    )
    runs = [quick_run(tmp_path / name, *common, "--executor", name) for name in ("inline", "async", "processes")]
    assert results(runs[0]) == results(runs[1]) == results(runs[2])


def test_two_gauntlets_compare_what_is_won_from_the_reference(tmp_path):
    common = (
        *(
            "--reference",
            "tight",
            "--seeds",
            "4",
            "--hands",
            "10",
            "--max-matches",
            "4",
            "--quiet",
            "--master-seed",
            "7",
        ),
        *("--set", "stop.adjacentConfidence=null", "--executor", "inline"),
    )
    old = quick_run(tmp_path / "old", "--participants", "tag,tight,maniac", *common)
    new = quick_run(
        tmp_path / "new", "--participants", "tag,tight,maniac", *common, "--set", "participants.0.type=callstation"
    )
    done = strict_json(quick("compare", old, new, "--agent", "tag", "--json").stdout)
    (change,) = done["agents"]
    assert (list(change["opponents"]), change["paired"]) == (["tight"], True)
    assert change["changeBbPer100"] != 0


def test_the_budget_has_to_let_everybody_meet_the_reference_only(tmp_path):
    lineup = (
        "--participants",
        "tag,maniac,tight,random",
        "--seeds",
        "4",
        "--hands",
        "2",
        "--quiet",
        "--executor",
        "inline",
    )
    done = quick(*lineup, "--reference", "tag", "--max-matches", "3", "--output-dir", tmp_path / "enough")
    assert done.stderr == ""
    done = quick(*lineup, "--reference", "tag", "--max-matches", "2", "--output-dir", tmp_path / "short")
    assert "ends before all 3 pairs have played 4 seed pairs" in done.stderr
    assert "maxMatches: 3 would" in done.stderr


@pytest.mark.slow
def test_models_play_a_gauntlet_and_resume_it(server, tmp_path):
    config = config_for(server.url)
    model = config["participants"][0]
    config |= {"participants": [model, {**model, "id": "other"}, "tight"], "scheduler": {"reference": "tight"}}
    run = played(tmp_path / "whole", config, env={"OPENAI_API_KEY": "key"})
    before = same_files(run)
    matches = read(run, "matches.json")["matches"]
    assert {match["participantB"] for match in matches} == {"tight"}
    first = {match["participantA"]: match["seeds"] for match in reversed(matches)}
    assert first["other"] != first[model["id"]], "each has its own decks"
    cut(run, games=3)
    assert quick("resume", "--run-agents", run, "--quiet", env={"OPENAI_API_KEY": "key"}).returncode == 0
    assert same_files(run) == before
    assert "identical" in quick("verify", run).stdout
    pilot = quick("plan", tmp_path / "whole" / "bench.json", "--pilot", run, "--json", cwd=tmp_path / "whole")
    assert strict_json(pilot.stdout)["assumed"]["pairings"] == 2


class TestPlan:
    """A plan takes what a run takes."""

    LINEUP = "tag,maniac,tight,random"

    def planned(self, *flags):
        done = quick("plan", "--participants", self.LINEUP, "--max-matches", "60", "--json", *flags)
        return strict_json(done.stdout)

    def test_a_gauntlet_is_planned_by_the_flags_of_a_run(self):
        everybody, gauntlet = self.planned(), self.planned("--reference", "tag")
        assert (everybody["assumed"]["pairings"], gauntlet["assumed"]["pairings"]) == (6, 3)
        assert everybody["budget"]["hands"] == gauntlet["budget"]["hands"]
        assert everybody["budget"]["gapMbb"] < gauntlet["budget"]["gapMbb"]

    def test_the_screen_has_at_most_80_columns(self):
        done = quick("plan", "--participants", self.LINEUP, "--reference", "tag", "--gap", "100")
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 80

    def test_what_the_budget_forbids_is_said(self):
        done = quick("plan", "--participants", self.LINEUP, "--gap", "100")
        assert "* More than stop.budget allows: the run would stop first." in done.stdout

    @pytest.mark.parametrize("flags", [("--gap", "-1"), ("--gap", "nan")])
    def test_nonsense_is_wrong_usage(self, flags):
        done = quick("plan", "--participants", self.LINEUP, *flags)
        assert (done.returncode, done.stdout) == (2, "")
        assert flags[0] in done.stderr


@pytest.mark.slow
def test_the_viewer_marks_the_reference_and_has_no_matrix(tmp_path):
    run = quick_run(
        tmp_path / "out", "--participants", "tag,maniac,tight", "--reference", "tight", "--seeds", "2", "--hands", "4",
        "--max-matches", "3", "--quiet", "--executor", "inline",
    )  # fmt: skip
    page = run_page(Library(run).open(run.name))
    assert [each["id"] for each in page["participants"] if each["reference"]] == ["tight"]
    assert page["payoff"] is None
    assert any("The order is against \u2068tight\u2069" in sentence for sentence in page["sentences"])
    assert not any("met so far" in sentence for sentence in page["sentences"])
    (own,) = [row for row in page["leaderboard"] if row["id"] == "tight"]
    assert (own["bb100"], own["halfWidth"]) == (0, 0)

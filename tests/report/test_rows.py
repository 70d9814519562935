"""Each quantity has one value and the same digits wherever it is shown: they are rounded once, in the rows."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from tests.e2e.shell import quick
from tests.viewing import told

from molt_bench.plugins.adapters.data_frames import RunFrames
from molt_bench.report.explanation import explanation
from molt_bench.report.result_tables import print_result
from molt_bench.report.run_rows import Rows
from molt_bench.runs.run import Run


def number(text: str) -> float | None:
    return None if text in ("-", "") else float(text.replace(",", ""))


def surely(value: float | None) -> str:
    if value is None:
        return ""
    return "<80%" if value < 0.8 else ">99%" if value > 0.99 else f"{value:.1%}"


@pytest.fixture(scope="module")
def run(runs, bots_id) -> Path:
    return Path(runs / bots_id)


@pytest.fixture(scope="module")
def rows(run) -> Rows:
    return Rows(Run.open(run).result())


def terminal(rows: Rows) -> dict[str, tuple]:
    """Return what the terminal shows of every agent: rank, bb/100, ±, how sure, in chips, the record, and faults."""
    out = StringIO()
    print_result(rows, Console(file=out, width=200))
    shown = {}
    for cells in map(str.split, out.getvalue().splitlines()):
        if cells[1:2] and cells[1] in rows.by_id:
            rank, name, won, half, *sure, raw, record, faults, _ = cells
            ends = [int(end) for end in rank.split("-")]
            played = [int(count) for count in record.split("-")]
            shown[name] = (
                [ends[0], ends[-1]],
                number(won),
                number(half),
                "".join(sure),
                number(raw),
                played,
                int(faults),
            )
    return shown


def of_json(row: dict) -> tuple:
    """Return the same of a row of `leaderboard.json`, or of a data frame."""
    faults = row["faults"] if isinstance(row["faults"], int) else sum(row["faults"].values())
    ranks = row["rankRange"] if "rankRange" in row else [row["rankBest"], row["rankWorst"]]
    record = [row[name] for name in ("wins", "losses", "draws")]
    won = (row["bbPer100"], row["bbPer100HalfWidth"], surely(row["betterThanNext"]), row["rawBbPer100"])
    return (ranks, *won, record, faults)


def of_page(page: dict) -> dict[str, tuple]:
    """Return the same of the page of a run."""
    return {
        row["id"]: (
            [*row["ranks"]],
            *(row["bb100"], row["halfWidth"], surely(row["sure"]), row["raw"][0]),
            [row[name] for name in ("wins", "losses", "draws")],
            row["faults"],
        )
        for row in page["leaderboard"]
    }


@pytest.fixture(scope="module")
def site(run, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    done = quick("export", run, "--format", "site", "--output", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def by_place(run, rows, site) -> dict[str, dict[str, tuple]]:
    """Return what every place shows of every agent."""
    published = json.loads((site / "api" / "runs" / f"{run.name}.json").read_text())
    listed = {
        "leaderboard.json": json.loads((run / "leaderboard.json").read_text())["participants"],
        "report --json": json.loads(quick("report", run, "--json").stdout)["participants"],
        "data frame": RunFrames.open(run, library="rows").leaderboard(),
    }
    return {
        "terminal": terminal(rows),
        "page": of_page(told(run.parent, run.name)),
        "site": of_page(published),
        **{place: {row["id"]: of_json(row) for row in found} for place, found in listed.items()},
    }


@pytest.mark.parametrize("place", ["leaderboard.json", "report --json", "data frame", "page", "site"])
def test_every_agent_has_the_same_numbers_as_on_the_terminal(by_place, place):
    assert by_place["terminal"]
    assert by_place[place] == by_place["terminal"]


def test_a_lead_is_the_same_in_the_file_on_the_page_and_in_words(run, rows):
    leads = json.loads((run / "leaderboard.json").read_text())["leads"]
    page = {row["id"]: row for row in told(run.parent, run.name)["leaderboard"]}
    said = " ".join(explanation(rows))
    for lead in leads:
        assert page[lead["above"]]["lead"] == [lead["bbPer100"], lead["bbPer100HalfWidth"]]
        assert f"{lead['bbPer100']:,.1f} ± {lead['bbPer100HalfWidth']:,.1f}" in said


def test_what_one_wins_from_another_is_the_same_in_the_file_in_the_matrix_and_in_words(run, rows):
    payoff = told(run.parent, run.name)["payoff"]
    at, said = payoff["ids"].index, " ".join(explanation(rows))
    pairs = json.loads((run / "leaderboard.json").read_text())["pairs"]
    assert len(pairs) == 3
    for pair in pairs:
        one, two = at(pair["a"]), at(pair["b"])
        assert (payoff["mean"][one][two], payoff["halfWidth"][one][two]) == (
            pair["bbPer100"],
            pair["bbPer100HalfWidth"],
        )
        assert payoff["mean"][two][one] == 0.0 - pair["bbPer100"]
        assert f"{pair['bbPer100']:+,.1f} from {pair['b']}" in said


def test_a_match_is_the_same_in_the_file_and_on_the_page(run):
    matches = json.loads((run / "matches.json").read_text())["matches"]
    page = told(run.parent, run.name)["matches"]
    for one, two in zip(matches, page, strict=True):
        assert (one["result"]["bbPer100A"], one["result"]["scoreA"]) == (two["bb100"], two["net"])


def test_the_hands_of_a_spreadsheet_add_up_to_the_matches(run):
    won = Counter()
    done = quick("export", run, "--format", "csv", "--output", run.parent / "hands.csv", "--quiet")
    assert done.returncode == 0, done.stderr
    with (run.parent / "hands.csv").open(newline="") as file:
        for hand in csv.DictReader(file):
            won[int(hand["match"])] += int(hand["net_a"]) * (hand["counts"] == "true")
    for number, match in enumerate(json.loads((run / "matches.json").read_text())["matches"], start=1):
        assert won[number] == match["result"]["scoreA"]

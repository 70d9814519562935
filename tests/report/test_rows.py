"""Each quantity has one value and the same digits wherever it is shown: they are rounded once, in the rows."""

import csv
import json
import re
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

#: What is shown of an agent, by the names that the rows have.
FIELDS = ("bbPer100", "bbPer100HalfWidth", "rawBbPer100", "rankRange", "sure", "wins", "losses", "draws", "faults")


def number(text: str) -> float | None:
    return None if text in ("-", "") else float(text.replace(",", ""))


@pytest.fixture(scope="module")
def run(runs, bots_id) -> Path:
    return Path(runs / bots_id)


@pytest.fixture(scope="module")
def rows(run) -> Rows:
    return Rows(Run.open(run).result())


def surely(value: float | None) -> str:
    if value is None:
        return ""
    return "<80%" if value < 0.8 else ">99%" if value > 0.99 else f"{value:.1%}"


def terminal(run: Path) -> dict[str, dict]:
    out = StringIO()
    found = Rows(Run.open(run).result())
    print_result(found, Console(file=out, width=200))
    shown = {}
    for line in out.getvalue().splitlines():
        cells = line.split()
        if re.fullmatch(r"\d+(-\d+)?", cells[0] if cells else ""):
            rank, name, won, half, *sure, raw, record, faults, _ = cells
            if name in found.by_id:
                wins, losses, draws = map(int, record.split("-"))
                ends = [*map(int, rank.split("-"))]
                shown[name] = {
                    "bbPer100": number(won),
                    "bbPer100HalfWidth": number(half),
                    "rawBbPer100": number(raw),
                    "rankRange": [ends[0], ends[-1]],
                    "sure": "".join(sure),
                    "faults": int(faults),
                    "wins": wins,
                    "losses": losses,
                    "draws": draws,
                }
    return shown


def of_json(row: dict) -> dict:
    faults = row["faults"] if isinstance(row["faults"], int) else sum(row["faults"].values())
    found = {name: row[name] for name in FIELDS if name in row}
    return {**found, "sure": surely(row["betterThanNext"]), "faults": faults}


def artifact(run: Path) -> dict[str, dict]:
    board = json.loads((run / "leaderboard.json").read_text())
    return {row["id"]: of_json(row) for row in board["participants"]}


def frames(run: Path) -> dict[str, dict]:
    shown = {}
    for row in RunFrames.open(run, library="rows").leaderboard():
        shown[row["id"]] = of_json({**row, "rankRange": [row["rankBest"], row["rankWorst"]]})
    return shown


def of_page(page: dict) -> dict[str, dict]:
    return {
        row["id"]: {
            "bbPer100": row["bb100"],
            "bbPer100HalfWidth": row["halfWidth"],
            "rawBbPer100": row["raw"][0],
            "rankRange": [*row["ranks"]],
            "sure": surely(row["sure"]),
            "faults": row["faults"],
            "wins": row["wins"],
            "losses": row["losses"],
            "draws": row["draws"],
        }
        for row in page["leaderboard"]
    }


def served(run: Path) -> dict[str, dict]:
    return of_page(told(run.parent, run.name))


@pytest.fixture(scope="module")
def site(run, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    done = quick("export", run, "--format", "site", "--output", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def by_place(run, site) -> dict[str, dict[str, dict]]:
    """Return what every place shows of every agent."""
    published = json.loads((site / "api" / "runs" / f"{run.name}.json").read_text())
    report = json.loads(quick("report", run, "--json").stdout)
    return {
        "terminal": terminal(run),
        "leaderboard.json": artifact(run),
        "report --json": {row["id"]: of_json(row) for row in report["participants"]},
        "data frame": frames(run),
        "page": served(run),
        "site": of_page(published),
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


def test_what_a_lead_is_made_of_adds_up_to_it(rows):
    for lead in rows.leads:
        parts = rows.parts_of_lead(lead.above, lead.below)
        assert sum(parts.values()) / 10 == pytest.approx(lead.bb_per_100, abs=0.051)
        assert lead.mostly_bb_per_100 == round(max(parts.values()) / 10, 1)

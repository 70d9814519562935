"""The end of a run on the terminal: rank and name at any width, words that are whole, and the headline."""

import os
from io import StringIO

import msgspec
import pytest
from rich.console import Console
from tests.e2e.shell import quick

from molt_bench import run_benchmark
from molt_bench.report.analysis import Analysis
from molt_bench.report.result_tables import contested, leaderboard_table, print_result
from molt_bench.report.rows import Rows
from molt_bench.report.verdict import headline
from molt_bench.runs.run import Run


@pytest.fixture(scope="module")
def rows(runs, bots_id):
    return Rows(Run.open(runs / bots_id).result())


def printed(width, show, *, terminal=False):
    out = StringIO()
    show(Console(file=out, width=width, force_terminal=terminal, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_rank_and_name_are_there_at_any_width(rows, width):
    text = printed(width, lambda console: console.print(leaderboard_table(rows, rows.agents)))
    lines = [line.split() for line in text.splitlines()]
    for row in rows.agents:
        assert [row.rank_text(), rows.found.shown[row.id]] in [each[:2] for each in lines]
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text


def test_columns_are_left_out_by_importance_and_a_note_says_which(rows):
    narrow, wide = (
        printed(width, lambda console: console.print(leaderboard_table(rows, rows.agents))) for width in (45, 80)
    )
    assert "Left out" not in wide
    left_out = narrow.rpartition("Left out for lack of room:")[2]
    assert "mu±sigma" in left_out
    assert "bb/100" not in left_out
    assert "mu±sigma" in wide


def test_no_word_is_cut_on_a_screen_of_60_columns(rows):
    text = printed(60, lambda console: print_result(rows, console), terminal=True)
    lines = [line.rstrip() for line in text.splitlines()]
    assert all(len(line) <= 60 for line in lines)
    words = " ".join(headline(rows)).split()
    assert " ".join(words) in " ".join(" ".join(lines).split())


def test_the_verdict_comes_first(rows):
    text = printed(80, lambda console: print_result(rows, console))
    assert text.splitlines()[0] == " ".join(headline(rows))


def test_the_units_are_explained_to_whoever_sees_them_for_the_first_time(rows):
    text = printed(200, lambda console: print_result(rows, console))
    assert "bb/100: big blinds (the larger forced bet) won per 100 hands" in text


def test_of_forty_agents_the_table_has_those_at_the_top_and_those_of_whom_something_is_open():
    participants = [{"id": f"agent-{at}", "type": ("tight", "callstation")[at % 2]} for at in range(40)]
    config = {"participants": participants, "seeds": {"perMatch": 1}, "game": {"handsPerGame": 2}}
    rows = Rows(run_benchmark({**config, "stop": {"budget": {"maxMatches": 60}}}, executor="inline"))
    shown = contested(rows)
    assert len(shown) <= 20
    assert shown[:5] == [*rows.agents[:5]]
    text = printed(80, lambda console: print_result(rows, console))
    assert f"{40 - len(shown)} more agents" in text
    whole = printed(80, lambda console: print_result(rows, console, explained=True))
    assert all(f" {each['id']} " in whole for each in participants)


def test_a_run_by_ratings_that_leaves_an_order_open_says_how_to_go_on(tmp_path):
    flags = ("--participants", "random,random", "--seeds", 1, "--hands", 2, "--max-matches", 2)
    openskill = ("--set", "stop.adjacentConfidence.method=openskill", "--executor", "inline")
    done = quick(*flags, *openskill, "--output-dir", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "To continue: molt-bench resume " in done.stdout
    assert "--max-matches 4" in done.stdout


def test_a_screen_of_no_columns_is_taken_for_one_of_80(tmp_path):
    flags = ("--participants", "tight,random", "--seeds", 1, "--hands", 2, "--max-matches", 1, "--executor", "inline")
    done = quick(*flags, "--output-dir", tmp_path, env={**os.environ, "COLUMNS": "0"})
    assert done.returncode == 0, done.stderr
    assert "tight" in done.stdout


def test_a_tie_against_what_one_wins_from_the_other_is_said(rows):
    """Two that are tied by the field, though one of them surely beats the other."""
    found = Analysis(rows.found.result)
    above, below = found.order[:2]
    (verdict,) = found.judge.verdicts(found.model, [(above, below)])
    won = msgspec.structs.replace(verdict, above=below, below=above, lead=500.0, half_width=20.0, kind="ordered")
    found.neighbours = (msgspec.structs.replace(verdict, kind="tied"),)
    found.head_to_head = (won,)
    shown = found.shown
    told = Rows(found.result)
    told.found = found
    text = printed(300, lambda console: print_result(told, console))
    assert f"{shown[below]} wins 50.0 ± 2.0 bb/100 from {shown[above]}; the two are tied because " in text

"""The end of a run on the terminal: rank and name at any width, words that are whole, and the headline."""

from io import StringIO

import pytest
from rich.console import Console

from molt_bench.report.analysis import Analysis
from molt_bench.report.headline import headline
from molt_bench.report.result_tables import leaderboard_table, print_result
from molt_bench.runs.run import Run


@pytest.fixture(scope="module")
def found(runs, bots_id):
    return Analysis(Run.open(runs / bots_id).result())


def printed(width, show, *, terminal=False):
    out = StringIO()
    show(Console(file=out, width=width, force_terminal=terminal, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_rank_and_name_are_there_at_any_width(found, width):
    text = printed(width, lambda console: console.print(leaderboard_table(found)))
    rows = [line.split() for line in text.splitlines()]
    for row in found.rows:
        assert [row.rank_text(), found.shown[row.rating.id]] in [each[:2] for each in rows]
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text


def test_columns_are_left_out_by_importance_and_a_note_says_which(found):
    narrow, wide = (printed(width, lambda console: console.print(leaderboard_table(found))) for width in (45, 80))
    assert "Left out" not in wide
    left_out = narrow.rpartition("Left out for lack of room:")[2]
    assert "mu±sigma" in left_out
    assert "bb/100" not in left_out
    assert "mu±sigma" in wide


def test_no_word_is_cut_on_a_screen_of_60_columns(found):
    text = printed(60, lambda console: print_result(found, console), terminal=True)
    lines = [line.rstrip() for line in text.splitlines()]
    assert all(len(line) <= 60 for line in lines)
    words = " ".join(headline(found)).split()
    assert " ".join(words) in " ".join(" ".join(lines).split())


def test_the_headline_is_the_last_sentence(found):
    text = printed(80, lambda console: print_result(found, console))
    assert text.splitlines()[-1] == " ".join(headline(found))

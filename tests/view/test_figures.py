"""Figures for papers are the same bytes for the same run, with text that stays text."""

import pytest

from molt_bench.errors import MoltBenchError
from molt_bench.view.figures import write_figures
from molt_bench.view.open_run import OpenRun
from tests.e2e.shell import quick_run

NAMES = [f"{name}.{kind}" for name in ("leaderboard", "convergence", "payoffs") for kind in ("svg", "png")]


def test_figures_are_written_as_svg_and_png_and_repeat_themselves(library, models_id, tmp_path):
    run = library.open(models_id)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        assert write_figures(run, tmp_path / folder) == NAMES
    for name in NAMES:
        data = (tmp_path / "one" / name).read_bytes()
        assert data == (tmp_path / "two" / name).read_bytes()
        assert data.startswith(b"<?xml" if name.endswith("svg") else b"\x89PNG")
    svg = (tmp_path / "one" / "leaderboard.svg").read_text("utf-8")
    assert "model-1</text>" in svg
    assert "<script" not in svg
    assert "dc:date" not in svg


def test_who_has_not_played_is_in_no_figure_of_win_rates(tmp_path):
    flags = ("--participants", "tag,folder,tight", "--max-matches", 1, "--seeds", 4, "--hands", 10)
    run = OpenRun(quick_run(tmp_path, *flags, "--quiet", "--executor", "inline"))
    run.catch_up()
    write_figures(run, tmp_path)
    svg = (tmp_path / "leaderboard.svg").read_text("utf-8")
    assert "folder</text>" in svg
    assert "tight</text>" not in svg


def test_a_run_without_a_match_has_nothing_to_draw(runs, bots_id, tmp_path):
    lines = (runs / bots_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:2]))
    run = OpenRun(tmp_path)
    run.catch_up()
    with pytest.raises(MoltBenchError, match="no match was finished"):
        write_figures(run, tmp_path)

"""Figures for papers are the same bytes for the same run, with text that stays text."""

import json
import re
from itertools import combinations
from math import cbrt, dist
from xml.etree import ElementTree

import pytest
from tests.e2e.shell import quick_run

from molt_bench.errors import MoltBenchError
from molt_bench.report.analysis import Analysis, shown_names
from molt_bench.report.figures import _LOST, _WON, COLOURS, _names, write_figures
from molt_bench.runs.stored_run import StoredRun
from molt_bench.view.pages import STATIC

NAMES = [f"{name}.{kind}" for name in ("leaderboard", "convergence", "payoffs") for kind in ("svg", "pdf", "png")]


def analysis(folder):
    """Return what a run in a folder shows."""
    return Analysis(StoredRun.open(folder).result(recount=False))


@pytest.fixture(scope="module")
def one_match(tmp_path_factory):
    """Return what a run of a single match shows."""
    flags = ("--participants", "tag,random", "--max-matches", 1, "--seeds", 4, "--hands", 10)
    return analysis(quick_run(tmp_path_factory.mktemp("one"), *flags, "--quiet", "--executor", "inline"))


def test_figures_are_written_in_every_format_and_text_stays_text(one_match, tmp_path):
    assert write_figures(one_match, tmp_path) == NAMES
    for name in NAMES:
        data = (tmp_path / name).read_bytes()
        assert data.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[name[-3:]])
    svg = (tmp_path / "leaderboard.svg").read_text("utf-8")
    assert "tag</text>" in svg
    assert "<script" not in svg
    assert "dc:date" not in svg


@pytest.mark.slow
def test_figures_repeat_themselves(runs, models_id, tmp_path):
    found = analysis(runs / models_id)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_figures(found, tmp_path / folder)
    for name in NAMES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_who_has_not_played_is_in_no_figure_of_win_rates(tmp_path):
    flags = ("--participants", "tag,folder,tight", "--max-matches", 1, "--seeds", 4, "--hands", 10)
    write_figures(analysis(quick_run(tmp_path, *flags, "--quiet", "--executor", "inline")), tmp_path, formats=["svg"])
    svg = (tmp_path / "leaderboard.svg").read_text("utf-8")
    assert "folder</text>" in svg
    assert "tight</text>" not in svg


def test_convergence_is_drawn_before_everybody_has_met(tmp_path):
    flags = ("--participants", "tag,folder,tight,random", "--max-matches", 3, "--seeds", 2, "--hands", 5)
    run = quick_run(tmp_path, *flags, "--scheduler", "round_robin", "--quiet", "--executor", "inline")
    write_figures(analysis(run), tmp_path, formats=["svg"])
    svg = (tmp_path / "convergence.svg").read_text("utf-8")
    assert "tag</text>" in svg, "no empty figure"
    assert "opponents met so far" in svg


def test_a_character_that_no_font_has_is_told_once(tmp_path):
    config = {
        "participants": [{"id": "tag", "type": "tag", "displayName": "\U0001303f"}, "folder"],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 2},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    run = quick_run(tmp_path / "out", "--config", tmp_path / "config.json", "--quiet", "--executor", "inline")
    said = []
    write_figures(analysis(run), tmp_path, formats=["svg"], warn=said.append)
    assert len(said) == 1
    assert "\U0001303f" in said[0]


@pytest.mark.slow
def test_a_run_without_a_match_has_nothing_to_draw(runs, bots_id, tmp_path):
    lines = (runs / bots_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:2]))
    found = analysis(tmp_path)
    with pytest.raises(MoltBenchError, match="no match was finished"):
        write_figures(found, tmp_path)


def palette():
    """Return the colours of agents on the pages: those of the light theme, and those of the dark one."""
    found = re.findall(r"^\.c\d+ { --c: light-dark\((#\w+), (#\w+)\)", (STATIC / "app.css").read_text(), re.MULTILINE)
    return tuple(zip(*found, strict=True))


def oklab(colour):
    """Return a colour as people see it (Ottosson 2020)."""
    red, green, blue = ((int(colour[at : at + 2], 16) / 255) ** 2.2 for at in (1, 3, 5))
    long = cbrt(0.4122 * red + 0.5363 * green + 0.0514 * blue)
    medium = cbrt(0.2119 * red + 0.6807 * green + 0.1074 * blue)
    short = cbrt(0.0883 * red + 0.2817 * green + 0.6300 * blue)
    return (
        0.2105 * long + 0.7936 * medium - 0.0041 * short,
        1.9780 * long - 2.4286 * medium + 0.4506 * short,
        0.0259 * long + 0.7828 * medium - 0.8087 * short,
    )


@pytest.mark.parametrize("theme", [0, 1])
def test_twelve_agents_have_colours_that_one_can_tell_apart(theme):
    colours = palette()[theme]
    assert len(colours) == 12
    assert min(dist(oklab(one), oklab(two)) for one, two in combinations(colours, 2)) > 0.09


def test_figures_have_the_colours_of_the_pages():
    assert palette()[0] == COLOURS


LONG = "The Extraordinarily Verbose Reasoning Model v4.5 (high effort, 64k thinking tokens) of 2026-11-01"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Return the figures of a run whose agents have long names."""
    folder = tmp_path_factory.mktemp("long")
    config = {
        "participants": [{"id": kind, "type": kind, "displayName": f"{LONG} {kind}"} for kind in ("tag", "folder")],
        "seeds": {"perMatch": 4},
        "game": {"handsPerGame": 5},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    write_figures(
        analysis(quick_run(folder / "out", "--config", folder / "config.json", "--quiet", "--executor", "inline")),
        folder,
        formats=["svg"],
    )
    return folder


@pytest.mark.parametrize("name", ["leaderboard", "convergence", "payoffs"])
def test_long_names_are_whole_and_leave_room_for_the_figure(drawn, name):
    svg = (drawn / f"{name}.svg").read_text("utf-8")
    words = " ".join(re.findall(r">([^<>]+)</t", svg))
    assert all(word in words for word in f"{LONG} tag folder".split())
    root = ElementTree.fromstring(svg)
    width = float(root.get("width").removesuffix("pt"))
    (patch,) = [each for each in root.iter() if each.get("id") == "patch_2"]
    xs = [float(x) for x in re.findall(r"[ML] ([\d.]+) ", patch[0].get("d"))]
    assert max(xs) - min(xs) > 0.2 * width
    assert max(xs) - min(xs) > 70  # points, an inch


def test_what_is_won_is_blue_and_what_is_lost_orange_as_on_the_pages(drawn):
    style = (STATIC / "app.css").read_text()
    assert "--pos: #0072b2" in style
    assert "--neg: #e07b00" in style
    assert (_LOST, _WON) == ("#e07b00", "#0072b2")


def test_every_agent_has_a_name_of_its_own_and_labels_stay_in_the_picture(tmp_path):
    """Also if two display names are the same, and one is nothing but spaces."""
    config = {
        "participants": [
            {"id": "one", "type": "tag", "displayName": "same"},
            {"id": "two", "type": "random", "displayName": "same "},
            {"id": "three", "type": "callstation", "displayName": "   "},
        ],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 5},
        "stop": {"adjacentConfidence": {"method": "openskill"}, "budget": {"maxMatches": 3}},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    flags = ("--config", tmp_path / "config.json", "--quiet", "--executor", "inline")
    write_figures(analysis(quick_run(tmp_path / "runs", *flags)), tmp_path, formats=["svg"])
    svg = (tmp_path / "leaderboard.svg").read_text("utf-8")
    for name in ("same (one)", "same (two)", "three"):
        assert f"{name}</text>" in svg
    drawn = " ".join(ElementTree.fromstring(svg).itertext())
    assert "in the order of OpenSkill" in " ".join(drawn.split())
    assert max(len(line) for line in re.findall(r">([^<]*interval[^<]*)<", svg)) <= 30


def test_one_match_is_drawn_at_a_whole_number_with_its_interval(one_match, tmp_path):
    write_figures(one_match, tmp_path, formats=["svg"])
    svg = (tmp_path / "convergence.svg").read_text("utf-8")
    assert ">1</text>" in svg
    assert not re.search(r">[01]\.\d+</text>", svg)
    assert "LineCollection" in svg


def test_payoffs_have_a_minus_and_no_white_text_on_orange(runs, bots_id, tmp_path):
    write_figures(analysis(runs / bots_id), tmp_path, formats=["svg"])
    svg = (tmp_path / "payoffs.svg").read_text("utf-8")
    assert re.search("\N{MINUS SIGN}\\d+</text>", svg)
    white = re.findall(r'style="[^"]*fill: #ffffff[^"]*"[^>]*>([^<]*)</text>', svg)
    assert not [text for text in white if text.startswith("\N{MINUS SIGN}")]


def test_marks_piled_on_a_letter_do_not_cover_other_names():
    names = shown_names({"a": "Z" + "\u0301" * 9, "b": "e\u0302\u0301"})
    assert _names(names) == {"a": "Z\u0301\u0301", "b": "e\u0302\u0301"}

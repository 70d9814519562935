"""The benchmarks and the research follow the code that they measure, and keep what they found."""

import ast
import json
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS, RESEARCH = ROOT / "benchmarks", ROOT / "research"
SCRIPTS = [*sorted(BENCHMARKS.glob("*.py")), *sorted(RESEARCH.rglob("*.py"))]


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_script_imports_from_the_package_is_there(path):
    if path.name == "against_old.py":
        return  # it also runs with an older version, and asks for what that one has
    for each in (found for found in ast.walk(ast.parse(path.read_text())) if isinstance(found, ast.ImportFrom)):
        if each.module.partition(".")[0] == "molt_bench" and "plugins.adapters" not in each.module:  # which need extras
            module = import_module(each.module)
            missing = [name.name for name in each.names if not hasattr(module, name.name)]
            assert not [name for name in missing if find_spec(f"{each.module}.{name}") is None]


@pytest.fixture
def rows(monkeypatch, tmp_path):
    import rows

    monkeypatch.setattr(rows, "KEPT", tmp_path / "figures.json")
    monkeypatch.setattr(rows, "PAGE", tmp_path / "page.md")
    rows.KEPT.write_text("{}")
    return rows


def test_the_page_gets_the_figures_of_both_paths_with_their_goals_between_its_marks(rows, monkeypatch):
    rows.PAGE.write_text(f"before\n{rows.BEGIN}of last time\n{rows.END}after\n")
    for kernels, measured in ((object(), 1.2), (None, 1.7)):
        monkeypatch.setattr(rows, "compiled", kernels)
        rows.row("a whole run", measured, 1.5, digits=2)
    rows.row("a ratio", 2.4, 2.5, digits=2, at_least=True)
    for _ in range(2):
        rows.main()
    text = rows.PAGE.read_text()
    assert re.fullmatch(rf"before\n{rows.BEGIN}(.*){rows.END}after\n", text, re.DOTALL)
    assert text.count("| a whole run | 1.20 met | 1.70 missed | at most 1.5 |\n") == 1
    assert text.count("| a ratio |  | 2.40 missed | at least 2.5 |\n") == 1
    assert "of last time" not in text


def test_the_page_about_performance_shows_what_is_kept():
    import rows

    text = rows.PAGE.read_text("utf-8")
    assert rows.table() in text
    assert json.loads(rows.KEPT.read_text("utf-8"))


@pytest.mark.parametrize("name", ["molt_bench: engine, stepped", "molt_bench: play_game, full records", "pokerkit"])
def test_a_contender_plays_its_hands_and_no_chips_are_lost(name):
    from peers import GROUPS, timed

    speed, actions = timed(GROUPS["engines, hands"][name], 20, 1)
    assert speed > 0
    assert 2 < actions < 8


def test_the_list_of_measurements_has_every_script():
    listed = (BENCHMARKS / "README.md").read_text("utf-8")
    assert not [path.name for path in BENCHMARKS.glob("*.py") if f"`{path.name}`" not in listed]
    assert not [name for name in re.findall(r"`(\w+\.py)`", listed) if not (BENCHMARKS / name).is_file()]


def test_every_script_of_the_research_is_on_a_page_of_it():
    text = "".join(page.read_text("utf-8") for page in RESEARCH.glob("*.md"))
    parts = {"luck_players", "whole_ranges", "local_best_response"}  # of other scripts
    assert not [path.name for path in RESEARCH.glob("*.py") if path.name not in text and path.stem not in parts]

"""The benchmarks follow the code that they measure, and keep what they found."""

import ast
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = {*sys.modules}
    yield
    for name in {*sys.modules} - before:
        if "benchmarks" in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_a_run_on_looked_up_games_ends_and_knows_its_truth(benchmarks):
    from efficiency import OURS, endings
    from ladders import Bot, Plan
    from pools import played

    bots = {"tight": Bot("tight"), "folder": Bot("folder"), "random": Bot("random", publish=True)}
    plan = Plan("three", "bots", bots, hands=5, seeds=10)
    with ThreadPoolExecutor(1) as executor:
        pool = played(plan, executor, None)
    (ending,) = endings(pool, OURS, [1])
    assert ending.confident
    assert not ending.wrong
    assert ending.hands < plan.most


def test_a_ladder_with_a_player_that_fails_is_refused(benchmarks):
    from ladders import Bot, Plan
    from pools import played

    no_size = {"error": 0.4, "calls": 0.4, "bets": 0.6, "bluffs": 0.1, "sizes": ("big", 66)}
    plan = Plan("failing", "bots", {"no size": Bot("reader", reads=no_size), "tight": Bot("tight")}, seeds=10)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="failing: no size against tight"):
        played(plan, executor, None)


@pytest.mark.slow
def test_players_of_every_ladder_finish_their_games(benchmarks):
    from ladders import EQUAL, LATER, MODELS, TUNING, VALIDATION
    from pools import play_chunk

    for plan in (*VALIDATION, *LATER, *TUNING, *EQUAL, *MODELS):
        names = [*plan.bots]
        for first, second in zip(names, [*names[1:], names[0]], strict=True):
            two = plan._replace(bots={name: plan.bots[name] for name in (first, second)}, hands=2)
            play_chunk(two, 0)  # raises if anybody fails


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_from_the_package_is_there(path):
    found = [each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.ImportFrom)]
    for each in found:
        if each.module.partition(".")[0] == "molt_bench" and "adapters" not in each.module:  # which need extras
            module = import_module(each.module)
            missing = [name.name for name in each.names if not hasattr(module, name.name)]
            assert not [name for name in missing if find_spec(f"{each.module}.{name}") is None]


@pytest.fixture
def rows(benchmarks, monkeypatch, tmp_path):
    import rows

    monkeypatch.setattr(rows, "KEPT", tmp_path / "build" / "rows.json")
    return rows


def test_the_table_has_every_figure_of_both_paths_with_its_goal(rows, monkeypatch, capsys):
    name = "whole run over its bare games, five bots"
    for kernels, measured in ((object(), 1.2), (None, 1.7)):
        monkeypatch.setattr(rows, "compiled", kernels)
        rows.row(name, measured, 1.5, digits=2)
    rows.row("engine stepped by hand over OpenSpiel's fastest row", 2.4, 2.5, digits=2, at_least=True)
    rows.row("a new one", 3, 10, " us")
    found = {first: rest for first, *rest in rows.table()}
    assert found[name] == ["1.20 met", "1.70 missed", "at most 1.5"]
    assert found["engine stepped by hand over OpenSpiel's fastest row"] == ["", "2.40 missed", "at least 2.5"]
    assert found["a new one"] == ["", "3.0 us met", "at most 10 us"]
    assert found["import molt_bench, wall clock"] == ["engine.py", "", "not measured yet"]
    assert [*found][:-1] == [*rows.EXPECTED]
    rows.print_table()
    assert "2 of 4 figures meet their goals" in capsys.readouterr().out


def test_the_page_about_performance_gets_the_tables_between_its_marks(rows, tmp_path):
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{rows.BEGIN}\nof last time\n{rows.END}\nafter\n")
    rows.row("default run from the shell, wall clock", 1.5, 2, " s")
    rows.row("a new one", 3, 10, " us")
    rows.write_page(page)
    rows.write_page(page)
    text = page.read_text()
    assert text.startswith(f"before\n{rows.BEGIN}\n")
    assert text.endswith(f"\n{rows.END}\nafter\n")
    assert text.count("1.5 s met") == 1
    assert text.count("| a new one |") == 1
    assert "of last time" not in text


def test_the_page_about_performance_has_every_figure_with_what_it_means(rows):
    text = rows.PAGE.read_text("utf-8")
    assert text.count(rows.BEGIN) == text.count(rows.END) == 1
    for name, figure in rows.EXPECTED.items():
        assert re.search(rf"^\| {re.escape(name)} \| .* \| {re.escape(figure.means)} \|$", text, re.MULTILINE), name


def test_every_figure_has_a_script_that_measures_it(rows):
    assert not [figure.by for figure in rows.EXPECTED.values() if not (BENCHMARKS / f"{figure.by}.py").is_file()]


def test_the_list_of_measurements_has_every_script():
    listed = (BENCHMARKS / "README.md").read_text("utf-8")
    assert not [path.name for path in BENCHMARKS.glob("*.py") if f"`{path.name}`" not in listed]
    assert not [name for name in re.findall(r"`(\w+\.py)`", listed) if not (BENCHMARKS / name).is_file()]

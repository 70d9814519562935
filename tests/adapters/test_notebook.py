"""In a notebook, a run shows how far it is; elsewhere, and where it is told not to, it shows nothing."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from molt_bench import RunFrames, run_benchmark
from molt_bench.arena.notebook_progress import notebook_observer, progress_line
from molt_bench.arena.status import Observer
from molt_bench.config.loader import load_config
from tests.agents.llm.provider import Provider

CONFIG = {
    "participants": [{"id": "tight", "type": "tight"}, {"id": "<b>wild", "type": "maniac"}],
    "seeds": {"perMatch": 2, "masterSeed": 7},
    "game": {"handsPerGame": 5},
    "stop": {"budget": {"maxMatches": 3}, "adjacentConfidence": None},
}
needed = [name for name in ("nbclient", "ipykernel") if find_spec(name) is None]


def only_in_a_notebook(test):
    """Mark a test that runs a notebook."""
    missing = pytest.mark.skipif(bool(needed), reason=f"{', '.join(needed)} not installed: make slow SUITE=adapters")
    return missing(pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")(test))


def shown(tmp_path, monkeypatch, code):
    """Run a notebook of one cell; return what it shows."""
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    text = f"from molt_bench import run_benchmark, run_benchmark_async\nconfig = {CONFIG!r}\n{code}"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    return notebook.cells[0].outputs


@only_in_a_notebook
@pytest.mark.parametrize(
    "call",
    [
        "run_benchmark(config)",
        "await run_benchmark_async(config)",
        "run_benchmark(config, executor='processes', workers=2)",
    ],
)
def test_a_run_shows_one_line_that_ends_with_all_of_its_matches(tmp_path, monkeypatch, call):
    (line,) = shown(tmp_path, monkeypatch, f"result = {call}")
    html = line["data"]["text/html"]
    assert '<progress value="3" max="3">' in html
    assert "3 of at most 3 matches; 60 hands" in html
    assert "&lt;b&gt;wild" in html
    assert "<b>wild" not in html


@only_in_a_notebook
def test_an_observer_of_ones_own_is_called_instead(tmp_path, monkeypatch):
    code = "from molt_bench.arena.status import Observer\nresult = run_benchmark(config, observer=Observer())"
    assert shown(tmp_path, monkeypatch, code) == []


@only_in_a_notebook
def test_warnings_are_shown_too(tmp_path, monkeypatch):
    code = "config['participants'] += ['random', 'tag']\nresult = run_benchmark(config)"
    outputs = shown(tmp_path, monkeypatch, code)
    said = "".join(each["text"] for each in outputs if each["output_type"] == "stream")
    assert said.startswith("warning: ")


def test_outside_of_notebooks_nothing_is_shown(capsys):
    assert notebook_observer(load_config(CONFIG)) is None
    run_benchmark(CONFIG)
    assert capsys.readouterr() == ("", "")


def test_the_line_says_what_is_played_and_who_leads():
    lines = []
    run_benchmark(CONFIG, observer=Observer(on_status=lambda status: lines.append(progress_line(status, None))))
    assert lines[0].startswith("0 matches; ")
    assert "playing tight v &lt;b&gt;wild, game 1 of 4" in lines[0]
    assert "order so far: " in lines[-1]
    assert "progress" not in lines[-1]


@pytest.mark.parametrize(("price", "said"), [({"input": 1e5, "output": 1e5}, ", $"), (None, " tokens; order")])
def test_the_line_says_what_models_have_used_and_the_result_can_be_drawn(monkeypatch, price, said):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    lines = []
    with Provider() as provider:
        model = {"id": "m", "type": "llm", "model": "openai:unheard-of", "baseUrl": provider.url}
        prices = {"llm": {"prices": {"openai:unheard-of": price}}} if price else {}
        config = {**CONFIG, "participants": [model, "tight"], "stop": {"budget": {"maxMatches": 1}}, **prices}
        observer = Observer(on_status=lambda status: lines.append(progress_line(status, 1)))
        result = run_benchmark(config, observer=observer)
    assert " tokens" in lines[-1]
    assert said in lines[-1]
    pytest.importorskip("matplotlib")
    assert "  m</text>" in RunFrames(result).plot()

"""The tutorial notebook runs from its first cell to its last."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "tutorial.ipynb"
needed = [name for name in ("nbclient", "ipykernel", "pandas") if find_spec(name) is None]
pytestmark = [
    pytest.mark.skipif(bool(needed), reason=f"{', '.join(needed)} not installed: make slow SUITE=adapters"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


def test_the_tutorial_runs_to_its_end_and_shows_a_leaderboard_tables_and_a_plot(tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # as in a notebook whose environment is not activated
    assert shutil.which("molt-bench") is None
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [each for cell in notebook.cells for output in cell.get("outputs", []) for each in output.get("data", {})]
    assert shown.count("text/html") == 5  # progress, the leaderboard and three tables
    assert shown.count("image/svg+xml") == 2


def test_it_is_stored_without_results():
    import nbformat

    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)

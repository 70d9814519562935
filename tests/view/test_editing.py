"""Names and notes are changed by the viewer's own pages on this machine, and by nothing else."""

import json
import shutil
from pathlib import Path

import pytest

from molt_bench.runs.about import ABOUT, About, read_about
from tests.view.conftest import Viewer

NOTHING = {"name": "", "note": ""}


@pytest.fixture(scope="module")
def served(runs, bots_id, tmp_path_factory):
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(runs / bots_id, folder / "run")
    viewer = Viewer(folder)
    viewer.run = folder / "run"
    yield viewer
    viewer.end()


@pytest.fixture
def run(served):
    (served.run / ABOUT).unlink(missing_ok=True)
    return served.run


def put(viewer, content, path="/api/runs/run/about.json", **headers):
    given = {
        "Origin": f"http://127.0.0.1:{viewer.port}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    kept = {name: value for name, value in given.items() if value is not None}
    return viewer.ask(path, method="PUT", headers={**kept, "Content-Length": str(len(body))}, body=body)


def test_a_name_and_a_note_are_written_to_the_run_and_shown_at_once(served, run):
    assert served.json("/api/runs/run.json")["editable"] is True
    answer = put(served, {"name": " New \u65e5\u672c ", "note": "One.\nTwo: <b>", "was": NOTHING})
    assert (answer.status, json.loads(answer.body)) == (200, {"title": "New \u65e5\u672c", "note": "One.\nTwo: <b>"})
    assert read_about(run) == About("New \u65e5\u672c", "One.\nTwo: <b>")
    page = served.json("/api/runs/run.json")
    assert (page["title"], page["note"]) == ("New \u65e5\u672c", "One.\nTwo: <b>")
    assert served.json("/api/runs.json")[0]["title"] == "New \u65e5\u672c"


def test_other_lines_of_the_file_stay_and_an_empty_one_is_removed(served, run):
    (run / ABOUT).write_text("name: Old\ntags: [a, b]\n")
    assert put(served, {"name": "", "note": "n", "was": {"name": "Old", "note": ""}}).status == 200
    assert (run / ABOUT).read_text() == "note: n\ntags:\n- a\n- b\n"
    (run / ABOUT).write_text("name: Old\n")
    assert put(served, {"name": "", "note": "", "was": {"name": "Old", "note": ""}}).status == 200
    assert not (run / ABOUT).exists()


def test_nobody_overwrites_what_they_have_not_seen(served, run):
    (run / ABOUT).write_text("name: Changed by hand\n")
    answer = put(served, {"name": "Mine", "note": "", "was": NOTHING})
    assert answer.status == 409
    assert b"reload" in answer.body
    assert read_about(run).name == "Changed by hand"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "http://localhost:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
    ],
)
def test_a_page_of_another_site_changes_nothing(served, run, headers):
    assert put(served, {"name": "Evil", "note": "", "was": NOTHING}, **headers).status == 403
    assert not (run / ABOUT).exists()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        ({"name": "x"}, 400),
        ({"name": 1, "note": "", "was": NOTHING}, 400),
        ({"name": "x", "note": "", "was": NOTHING, "more": 1}, 400),
        ({"name": "two\nlines", "note": "", "was": NOTHING}, 400),
        ({"name": "x" * 201, "note": "", "was": NOTHING}, 400),
        ({"name": "", "note": "x" * 10_001, "was": NOTHING}, 400),
        (b"x" * 70_000, 413),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(served, run, content, status):
    answer = put(served, content)
    assert answer.status == status
    assert json.loads(answer.body)["error"]
    assert not (run / ABOUT).exists()


@pytest.mark.parametrize("path", ["/api/runs/none/about.json", "/api/runs/%2e%2e/about.json", "/api/runs/run.json"])
def test_nothing_else_can_be_written(served, run, path):
    assert put(served, {"name": "x", "note": "", "was": NOTHING}, path).status in (404, 405)


@pytest.mark.slow
def test_a_link_in_a_run_that_was_sent_is_not_followed(served, run, tmp_path):
    (tmp_path / "mine").write_text("all my work")
    for name in (f".{ABOUT}.part", ABOUT):
        (run / name).symlink_to(tmp_path / "mine")
    assert put(served, {"name": "x", "note": "", "was": NOTHING}).status == 200
    assert (tmp_path / "mine").read_text() == "all my work"
    assert read_about(run).name == "x"


@pytest.mark.slow
def test_a_viewer_for_other_machines_changes_nothing(runs, bots_id, tmp_path):
    shutil.copytree(runs / bots_id, tmp_path / "run")
    viewer = Viewer(tmp_path, "--host", "0.0.0.0")
    try:
        token = viewer.said.partition("?token=")[2].split()[0]
        page = viewer.ask("/api/runs/run.json", headers={"Cookie": f"molt_bench_{viewer.port}={token}"})
        assert json.loads(page.body)["editable"] is False
        answer = put(viewer, {"name": "x", "note": "", "was": NOTHING})
        assert answer.status == 405
        assert not Path(tmp_path / "run" / ABOUT).exists()
    finally:
        viewer.end()

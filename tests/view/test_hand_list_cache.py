"""Pages are made ahead and kept, and never shown when something has changed."""

import asyncio
import gzip
import json
import shutil
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from molt_bench.plugins.reference.grades import GRADES
from molt_bench.runs.line_file import LineFile
from molt_bench.view import hand_list_cache
from molt_bench.view.hand_arrays import packed
from molt_bench.view.library import Library
from molt_bench.view.server import application
from tests.e2e.shell import BOTS, lines_of, quick, quick_run, rechained


@pytest.fixture
def lists(monkeypatch):
    """Return the names of the runs whose list of hands was made, in order."""
    made, make = [], hand_list_cache.packed_hands
    monkeypatch.setattr(hand_list_cache, "packed_hands", lambda run, *rest: made.append(run.id) or make(run, *rest))
    return made


def unpacked(body):
    """Read what a page is sent, as a page does."""
    start = 4 + struct.unpack_from("<I", body)[0]
    data = json.loads(body[4:start])
    for name, (kind, offset, length) in data["columns"].items():
        dtype = np.dtype(kind).newbyteorder("<")
        assert (start + offset) % dtype.itemsize == 0, "a browser refuses it otherwise"
        data["columns"][name] = np.frombuffer(body, dtype, length, start + offset).tolist()
    return data


def listed(library, run):
    return unpacked(library.hands_body(run).text)


def test_what_is_sent_is_the_list_of_hands(library, bots_id, models_id):
    for run in (bots_id, models_id):
        plain = json.loads(json.dumps(library.hand_columns(run)))
        assert json.loads(library.hands_body(run, packed=False).text) == plain
        body = library.hands_body(run)
        assert unpacked(body.text) == plain
        assert gzip.decompress(body.packed) == body.text


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ([0, 255], "uint8"),
        ([-1, 0], "int16"),
        ([256], "int16"),
        ([-32769], "int32"),
        ([2**31 - 1, -(2**31)], "int32"),
        ([2**31], "float64"),
        ([-(2**53), 7], "float64"),
        ([], "uint8"),
    ],
)
def test_columns_of_any_size_are_packed_without_loss(numbers, kind):
    columns = {"first": np.array([1, 2, 3]), "these": np.array(numbers, dtype=np.int64), "last": np.array([4])}
    body = packed({"odd": "\u2660"}, columns)
    assert json.loads(body[4 : 4 + struct.unpack_from("<I", body)[0]])["columns"]["these"][0] == kind
    assert unpacked(body) == {"odd": "\u2660", "columns": {"first": [1, 2, 3], "these": numbers, "last": [4]}}


@pytest.mark.slow
def test_the_pages_are_sent_bytes_and_everybody_else_json(viewer, bots_id):
    path = f"/api/runs/{bots_id}/hands.json"
    plain = viewer.ask(path)
    asked = {"Accept": "application/octet-stream, application/json"}
    sent = viewer.ask(path, headers=asked)
    assert (plain.headers["content-type"], sent.headers["content-type"]) == (
        "application/json",
        "application/octet-stream",
    )
    assert plain.headers["vary"] == sent.headers["vary"] == "Accept, Accept-Encoding"
    assert plain.headers["etag"] != sent.headers["etag"]
    assert unpacked(sent.body) == json.loads(plain.body)
    assert viewer.ask(path, headers={**asked, "If-None-Match": sent.headers["etag"]}).status == 304
    assert viewer.ask(path, headers={**asked, "If-None-Match": plain.headers["etag"]}).status == 200


def test_the_pages_of_the_newest_run_are_made_before_anybody_asks(runs, models_id, lists):
    library = Library(runs)
    library.prepare()
    assert lists == [models_id]
    page = library.run_page(models_id)
    assert library.run_page(models_id) is page
    assert len(listed(library, models_id)["columns"]["net"]) == 3 * 2 * 2 * 6
    assert lists == [models_id]


def test_nothing_is_made_ahead_of_a_reader_who_waits(runs, bots_id, lists):
    library = Library(runs)
    library.asked.set()
    library.prepare()
    assert lists == []


def test_the_hands_of_a_run_are_made_when_its_page_has_been_sent(runs, bots_id, lists):
    async def ask(path, query=b""):
        sent = []
        head = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": path}
        scope = {**head, "query_string": query, "headers": [(b"host", b"127.0.0.1:80")]}
        await application(library, host="127.0.0.1", port=80)(scope, None, lambda message: noted(sent, message))
        assert sent[0]["status"] == 200
        return sent

    async def noted(sent, message):
        if message["type"] == "http.response.body":
            assert lists == [], "nobody waits for them"
        sent.append(message)

    library = Library(runs)
    asyncio.run(ask(f"/api/runs/{bots_id}.json", b"since=0"))
    assert lists == [], "a page that keeps itself up to date asks often"
    asyncio.run(ask(f"/api/runs/{bots_id}.json"))
    assert lists == [bots_id]


def test_a_list_is_made_once_however_many_ask(runs, bots_id, lists):
    library = Library(runs)
    with ThreadPoolExecutor(8) as pool:
        bodies = [*pool.map(library.hands_body, [bots_id] * 8)]
    assert len({id(body) for body in bodies}) == 1
    assert lists == [bots_id]


def test_a_run_that_is_replaced_by_another_of_its_name_has_other_hands(runs, bots_id, models_id, tmp_path):
    shutil.copytree(runs / bots_id, tmp_path / "run")
    library = Library(tmp_path)
    assert len(listed(library, "run")["columns"]["net"]) == 288
    shutil.rmtree(tmp_path / "run")
    shutil.copytree(runs / models_id, tmp_path / "run")
    assert len(listed(library, "run")["columns"]["net"]) == 72


def test_of_a_run_in_progress_or_a_very_large_one_nothing_is_made_ahead(runs, bots_id, tmp_path, lists, monkeypatch):
    shutil.copytree(runs / bots_id, tmp_path / bots_id)
    journal = tmp_path / bots_id / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    (journal.parent / "summary.json").unlink()  # a run writes it when it has ended
    writer = LineFile(str(journal), new=False)
    try:
        Library(tmp_path).prepare()
    finally:
        writer.close()
    monkeypatch.setattr("molt_bench.view.library._MOST_PREPARED", 287)
    Library(tmp_path).prepare()
    assert lists == []
    monkeypatch.setattr("molt_bench.view.library._MOST_PREPARED", 288)
    Library(tmp_path).prepare()
    assert lists == [bots_id]


def test_a_run_that_cannot_be_read_is_no_trouble_until_somebody_asks(tmp_path):
    Library(tmp_path).prepare()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "journal.jsonl").write_text('{"line": "header", "format": 1}\n')
    Library(tmp_path).prepare()
    Library(tmp_path).prepare_hands("no such run")


@pytest.mark.slow
def test_a_page_that_was_kept_shows_new_grades(runs, bots_id, tmp_path):
    folder = tmp_path / bots_id
    shutil.copytree(runs / bots_id, folder)
    library = Library(tmp_path)
    library.prepare()
    before = listed(library, bots_id)
    assert library.run_page(bots_id)["grades"] is None
    assert quick("grade", folder).returncode == 0
    assert library.run_page(bots_id)["grades"]["games"] == 24
    assert before["losses"] is None
    assert len(listed(library, bots_id)["losses"][0]) == 288
    (folder / GRADES).unlink()
    assert library.run_page(bots_id)["grades"] is None
    assert listed(library, bots_id) == before


def test_cards_that_the_last_line_reveals_are_listed_then(tmp_path):
    """The other seating of the last seed is not played, so its cards are secret until the run has ended."""
    bots = tmp_path / "bots.py"
    bots.write_text(BOTS)
    sizes = ("--seeds", 2, "--hands", 5, "--max-matches", 1, "--quiet")
    folder = quick_run(tmp_path / "runs", *sizes, "--participants", f"{bots}:make_caller,tight", "--executor", "inline")
    journal = folder / "journal.jsonl"
    header, *games, end = [line for line in lines_of(folder, "journal.jsonl") if line["line"] != "margins"]
    *first, last = rechained([header, *games[:-1], end]).splitlines(keepends=True)
    (folder / "master-seed").write_text(json.loads(last)["masterSeed"])
    for path in folder.glob("*.json"):
        path.unlink()
    journal.write_bytes(b"".join(first))
    library = Library(tmp_path / "runs")
    hidden = listed(library, folder.name)
    assert (len(hidden["columns"]["net"]), hidden["notShown"]) == (10, 1)
    with journal.open("ab") as file:
        file.write(last)
    shown = listed(library, folder.name)
    assert (len(shown["columns"]["net"]), shown["notShown"]) == (15, 0)


def test_a_list_says_how_the_run_went_when_it_was_read(runs, bots_id, tmp_path):
    shutil.copytree(runs / bots_id, tmp_path / bots_id)
    journal = tmp_path / bots_id / "journal.jsonl"
    *first, last = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(first))
    (journal.parent / "summary.json").unlink()  # a run writes it when it has ended
    library, writer = Library(tmp_path), LineFile(str(journal), new=False)
    assert listed(library, bots_id)["status"] == "running"
    writer.close()
    assert listed(library, bots_id)["status"] == "interrupted"
    with journal.open("ab") as file:
        file.write(last)
    assert listed(library, bots_id)["status"] == "finished"

"""A published site: what its pages ask for or link to is a file of it, and the files of a run are as they were."""

import gzip
import json
import re
import shlex
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest

from molt_bench.view.library import Library
from molt_bench.view.site import write_site
from tests.e2e.shell import one_clear_line, quick

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "run"


@pytest.fixture(scope="module")
def site(runs, bots_id, tmp_path_factory):
    """Return a site of two runs, one of which has more deals than are published."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(runs, folder / "runs")
    (folder / "runs" / bots_id / "master-seed").write_text("secret")
    (folder / "runs" / "damaged").mkdir()
    (folder / "runs" / "damaged" / "journal.jsonl").write_text("{}")
    assert sorted(write_site(Library(folder / "runs"), folder / "site", most_deals=60)) == sorted(
        each.name for each in runs.iterdir()
    )
    return folder / "site"


def read(site, path):
    return json.loads((site / path).read_bytes())


def unpacked(site, run):
    """Return everything in the packs of a run, by match and name, read piece by piece as a page does."""
    found = {}
    for match, pieces in read(site, f"api/runs/{run}/packs.json").items():
        data = (site / f"api/runs/{run}/match-{match}.pack").read_bytes()
        assert sum(length for _, length, _ in pieces) == len(data)
        for offset, length, names in pieces:
            pages = json.loads(gzip.decompress(data[offset : offset + length]))
            assert [*pages] == names
            found |= {(int(match), name): page for name, page in pages.items()}
    return found


@pytest.mark.slow
def test_it_has_the_pages_and_all_the_data_they_ask_for(site, bots_id, models_id, library):
    assert {line["id"] for line in read(site, "api/runs.json")} == {bots_id, models_id}
    assert read(site, "api/history.json")["agents"]
    assert (site / "index.html").read_text().count("Content-Security-Policy") == 1
    for run in (bots_id, models_id):
        page = read(site, f"api/runs/{run}.json")
        assert page["leaderboard"] == json.loads(json.dumps(library.run_page(run)["leaderboard"]))
        held = unpacked(site, run)
        for match in page["matches"]:
            for seed in held[match["match"], "match"]["seeds"]:
                name = f"{seed['index']}/{seed['biggest']['hand']}"
                assert ((match["match"], name) in held) == seed["biggest"]["here"]
                assert (name in held[match["match"], "lines"]) == seed["biggest"]["here"]
        for fault in page["faults"]:
            place = fault["place"]
            assert (place["match"], f"{place['seed']}/{place['hand']}") in held


@pytest.mark.slow
def test_it_lists_the_hands_it_holds_and_leads_from_one_to_another(site, bots_id):
    assert read(site, f"api/runs/{bots_id}.json")["limits"] | {"text": ""} == {"hands": 60, "of": 144, "text": ""}
    columns = read(site, f"api/runs/{bots_id}/hands.json")["columns"]
    listed = {f"{m}/{s}/{h}" for m, s, h in zip(columns["match"], columns["seed"], columns["hand"], strict=True)}
    packed = unpacked(site, bots_id)
    pages = {f"{match}/{name}": page for (match, name), page in packed.items() if name not in ("match", "lines")}
    held = {*pages}
    assert (listed, len(held)) == (held, 60)
    for page in pages.values():
        for other in (page["previous"], page["next"]):
            assert other is None or "/".join(map(str, other.values())) in held


def test_the_files_of_a_run_are_there_with_their_hashes_and_no_secret(site, runs, bots_id, tmp_path):
    files = read(site, f"api/runs/{bots_id}.json")["files"]
    assert {"journal.jsonl", "config.json", "leaderboard.json", "matches.json"} <= {each["name"] for each in files}
    for each in files:
        content = (site / unquote(each["href"])).read_bytes()
        assert content == (runs / bots_id / each["name"]).read_bytes()
        assert (each["bytes"], each["sha256"]) == (len(content), sha256(content).hexdigest())
    assert not list(site.rglob("master-seed"))
    sums = (site / "files" / bots_id / "SHA256SUMS").read_text().splitlines()
    assert sums == [f"{each['sha256']}  {each['name']}" for each in files]


def test_what_was_downloaded_can_be_verified_with_the_command_that_is_shown(site, bots_id, tmp_path, monkeypatch):
    shutil.copytree(site / "files" / bots_id, tmp_path / bots_id)
    monkeypatch.chdir(tmp_path)
    shown = read(site, f"api/runs/{bots_id}.json")["reproduce"]["commands"]
    (command,) = [each["command"] for each in shown if " verify " in each["command"]]
    done = quick(*shlex.split(command)[1:])
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_site_is_replaced_and_anything_else_is_left_alone(site, runs, bots_id, tmp_path):
    for _ in range(2):
        done = quick("export", runs / bots_id, "--format", "site", "--output", tmp_path / "site", "--deals", "3")
        assert done.returncode == 0, done.stderr
    held = unpacked(tmp_path / "site", bots_id)
    assert len([name for _, name in held if name not in ("match", "lines")]) == 3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("all my work")
    site = ("--format", "site", "--output")
    one_clear_line(quick("export", runs, *site, tmp_path / "mine"), "mine", "not empty")
    one_clear_line(quick("export", runs, *site, runs / "site"), "--output", "outside")
    one_clear_line(quick("export", tmp_path / "none", *site, tmp_path / "x"), "DIR")


@pytest.mark.slow
def test_every_command_that_a_site_shows_works_with_its_archive(site, bots_id, models_id, tmp_path):
    for run in (bots_id, models_id):
        place = tmp_path / run
        place.mkdir()
        shutil.copy(site / "files" / run / f"{run}.zip", place)
        shown = {each["title"]: each["command"] for each in read(site, f"api/runs/{run}.json")["reproduce"]["commands"]}
        assert list(shown)[:2] == ["Unpack the archive", "Check that no file was changed"]
        for title, command in shown.items():
            if title == "Play it again" and run == models_id:
                continue  # it would ask the models
            if command.startswith("molt-bench"):
                again = ("--output-dir", place / "again", "--quiet") if title == "Play it again" else ()
                done = quick(*shlex.split(command)[1:], *again, cwd=place)
            else:
                done = subprocess.run(command, shell=True, cwd=place, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (title, done.stderr)
    journal = tmp_path / bots_id / bots_id / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b" ")
    check = shown["Check that no file was changed"].replace(models_id, bots_id)
    assert subprocess.run(check, shell=True, cwd=tmp_path / bots_id, capture_output=True, check=False).returncode != 0


def test_an_archive_has_the_same_bytes_when_it_is_written_again(site, runs, bots_id, tmp_path):
    for _ in write_site(Library(runs / bots_id), tmp_path / "again", most_deals=1):
        pass
    name = f"files/{bots_id}/{bots_id}.zip"
    assert (tmp_path / "again" / name).read_bytes() == (site / name).read_bytes()


def test_a_site_is_few_files_and_a_link_to_it_has_a_title_and_a_headline(site, bots_id, models_id):
    for run in (bots_id, models_id):
        matches = len(read(site, f"api/runs/{run}.json")["matches"])
        assert len([*(site / "api" / "runs" / run).iterdir()]) <= matches + 4
    page = (site / "index.html").read_text("utf-8")
    assert "<title>2 runs \N{MIDDLE DOT} molt-bench</title>" in page
    assert re.search(r'property="og:description" content="[^"<>]+bb/100', page)
    assert re.search(r'<link rel="icon" href="data:image/svg', page)


def test_no_path_of_this_machine_is_told(site, runs):
    told = [path.read_text() for path in (site / "api").glob("*.json")]
    assert len(told) == 2
    assert not any(str(runs.parent) in text or "damaged/journal" in text for text in told)


def test_the_commands_of_a_run_with_an_odd_name_work(tmp_path):
    name = "-x 'n\"ame 100% & <b> \u00e9"
    shutil.copytree(EXAMPLE, tmp_path / "runs" / name)
    for _ in write_site(Library(tmp_path / "runs"), tmp_path / "site", most_deals=1):
        pass
    shutil.copy(tmp_path / "site" / "files" / name / f"{name}.zip", tmp_path)
    commands = read(tmp_path / "site", f"api/runs/{name}.json")["reproduce"]["commands"]
    shown = {each["title"]: each["command"] for each in commands}
    for title in ("Unpack the archive", "Check that no file was changed"):
        done = subprocess.run(shown[title], shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    verify = shlex.split(shown["Replay every game from its records, calling no model, and check every file"])
    assert quick(*verify[1:], cwd=tmp_path).returncode == 0

"""A published site: what its pages ask for or link to is a file of it, and the files of a run are as they were."""

import json
import re
import shlex
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest

from molt_bench.plugins.view import publish
from molt_bench.plugins.view.publish import Site
from tests.e2e.shell import one_clear_line, quick
from tests.viewing import told

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "run"


@pytest.fixture(scope="module")
def site(runs, bots_id, tmp_path_factory):
    """Return a site of two runs, one of which has more deals than are published."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(runs, folder / "runs")
    (folder / "runs" / bots_id / "master-seed").write_text("secret")
    (folder / "runs" / "damaged").mkdir()
    (folder / "runs" / "damaged" / "journal.jsonl").write_text("{}")
    warnings = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(publish, "_ON_A_SITE", 60)
        done = [*Site().write(folder / "runs", folder / "site", warnings.append)]
    assert sorted(done) == sorted(each.name for each in runs.iterdir())
    assert [each.partition(" is left out: ")[0] for each in warnings] == ["damaged"]
    return folder / "site"


def read(site, path):
    return json.loads((site / path).read_bytes())


def hands_in(site, run):
    """Return the pages of the hands of a run by match, seed pair and number."""
    pages = [json.loads(path.read_bytes()) for path in (site / "api" / "runs" / run / "match").iterdir()]
    return {(page["match"], *map(int, name.split("/"))): hand for page in pages for name, hand in page["hands"].items()}


def test_it_has_the_pages_and_all_the_data_they_ask_for(site, bots_id, models_id, library):
    assert {line["id"] for line in read(site, "api/runs.json")} == {bots_id, models_id}
    assert read(site, "api/history.json")["agents"]
    assert (site / "index.html").read_text().count("Content-Security-Policy") == 1
    for run in (bots_id, models_id):
        page, held = read(site, f"api/runs/{run}.json"), hands_in(site, run)
        assert page["leaderboard"] == told(library, run)["leaderboard"]
        assert read(site, f"api/runs/{run}/styles.json") == told(library, run, "/styles")
        assert {tuple(fault["place"].values()) for fault in page["faults"]} <= held.keys()
        matches = {match["match"] for match in page["matches"]}
        assert {path.stem for path in (site / f"api/runs/{run}/match").iterdir()} == {*map(str, matches)}
    said = read(site, f"api/runs/{models_id}/said.json")
    assert said == told(library, models_id, "/said")
    assert "worker-src blob:" in (site / "index.html").read_text()


def test_it_lists_the_hands_it_holds_and_leads_from_one_to_another(site, bots_id):
    assert read(site, f"api/runs/{bots_id}.json")["limits"] | {"text": ""} == {"hands": 60, "of": 144, "text": ""}
    games, held = read(site, f"api/runs/{bots_id}/hands.json")["games"], hands_in(site, bots_id)
    listed = {(game["match"], game["seed"], number) for game in games for number in game["numbers"]}
    assert (listed, len(held)) == ({*held}, 60)
    for page in held.values():
        for other in (page["previous"], page["next"]):
            assert other is None or tuple(other.values()) in held


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
        done = quick("export", runs / bots_id, "--format", "site", "--output", tmp_path / "site")
        assert done.returncode == 0, done.stderr
    assert len(hands_in(tmp_path / "site", bots_id)) == 144
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
    assert [*Site().write(runs / bots_id, tmp_path / "again", pytest.fail)] == [bots_id]
    name = f"files/{bots_id}/{bots_id}.zip"
    assert (tmp_path / "again" / name).read_bytes() == (site / name).read_bytes()


def test_a_site_is_few_files_and_a_link_to_it_has_a_title_and_a_headline(site, bots_id, models_id):
    for run in (bots_id, models_id):
        matches = len(read(site, f"api/runs/{run}.json")["matches"])
        assert len([*(site / "api" / "runs" / run).rglob("*.json")]) == matches + 5
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
    assert [*Site().write(tmp_path / "runs", tmp_path / "site", pytest.fail)] == [name]
    shutil.copy(tmp_path / "site" / "files" / name / f"{name}.zip", tmp_path)
    commands = read(tmp_path / "site", f"api/runs/{name}.json")["reproduce"]["commands"]
    shown = {each["title"]: each["command"] for each in commands}
    for title in ("Unpack the archive", "Check that no file was changed"):
        done = subprocess.run(shown[title], shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    verify = shlex.split(shown["Replay every game from its records, calling no model, and check every file"])
    assert quick(*verify[1:], cwd=tmp_path).returncode == 0


def test_forged_files_of_a_run_are_left_out(runs, bots_id, tmp_path):
    shutil.copytree(runs / bots_id, tmp_path / "runs" / bots_id)
    board = tmp_path / "runs" / bots_id / "leaderboard.json"
    board.write_text(board.read_text().replace('"tag"', '"gat"'))
    warnings = []
    assert [*Site().write(tmp_path / "runs", tmp_path / "site", warnings.append)] == [bots_id]
    assert "leaderboard.json left out: not what the journal gives" in warnings[0]
    names = {each["name"] for each in read(tmp_path / "site", f"api/runs/{bots_id}.json")["files"]}
    assert {"journal.jsonl", "matches.json"} <= names
    assert "leaderboard.json" not in names

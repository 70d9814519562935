"""The command line, as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MOLT_BENCH = str(Path(sys.executable).with_name("molt-bench"))


@pytest.fixture
def run(tmp_path):
    def call(*arguments):
        return subprocess.run(
            [MOLT_BENCH, *arguments], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path
        )

    return call


def test_without_arguments_the_default_benchmark_is_run(run, tmp_path):
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("tight") < done.stdout.index("random")
    assert "Stopped: every adjacent pair is ordered with at least 95% confidence" in done.stdout
    (folder,) = (tmp_path / "benchmark-results").iterdir()
    assert {path.name for path in folder.iterdir()} == {
        "config.json",
        "convergence.json",
        "journal.jsonl",
        "leaderboard.json",
        "log.jsonl",
        "matches.json",
        "seeds.json",
        "summary.json",
    }


def test_the_version_is_shown(run):
    assert run("--version").stdout.startswith("molt-bench ")


def test_progress_goes_to_standard_error_line_by_line(run):
    done = run("--max-matches", "2")
    assert done.stderr.splitlines()[0].startswith("match 1: random v tight, ")
    assert len(done.stderr.splitlines()) == 2
    assert run("--max-matches", "2", "--quiet").stderr == ""


def test_json_is_one_object_and_nothing_else(run):
    done = run("--json")
    content = json.loads(done.stdout)
    assert [row["id"] for row in content["participants"]] == ["tight", "random"]
    assert content["summary"]["stopReason"].startswith("every adjacent pair")
    assert done.stderr == ""


def test_flags_win_over_the_config_and_set_over_both(run, tmp_path):
    (tmp_path / "bench.yaml").write_text("game: {handsPerGame: 30, stack: 5000}\nseeds: {perMatch: 3}\n")
    done = run("--config", "bench.yaml", "--hands", "20", "--set", "seeds.perMatch=2", "--json")
    folder = tmp_path / json.loads(done.stdout)["runDir"]
    config = json.loads((folder / "config.json").read_text())
    assert (config["game"]["handsPerGame"], config["game"]["stack"], config["seeds"]["perMatch"]) == (20, 5000, 2)


def test_every_flag_of_the_requirements_is_there(run, tmp_path):
    (tmp_path / "seeds.txt").write_text("1\n2\n3\n4\n")
    flags = "--participants random,tight,callstation --seeds 2 --hands 5 --master-seed m --seeds-file seeds.txt"
    more = "--max-matches 3 --output-dir out --scheduler round_robin --confidence 0.9 --quiet"
    done = run(*flags.split(), *more.split())
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "out").iterdir()
    config = json.loads((folder / "config.json").read_text())
    assert config["seeds"] == {"perMatch": 2, "masterSeed": "m", "file": "seeds.txt"}
    assert config["scheduler"]["policy"] == "round_robin"
    assert config["stop"]["adjacentConfidence"]["threshold"] == 0.9
    assert config["stop"]["budget"]["maxMatches"] == 3
    assert json.loads((folder / "seeds.json").read_text()) == [1, 2]


def test_the_master_seed_decides_the_cards(run):
    first, again, other = (json.loads(run("--json", "--master-seed", seed).stdout) for seed in ("a", "a", "b"))
    assert first["participants"] == again["participants"] != other["participants"]


def test_the_same_type_twice_is_told_apart(run):
    assert "random-2" in run("--participants", "random,random", "--max-matches", "1").stdout


def test_the_table_fits_80_columns(run):
    done = run("--participants", "random,tight,callstation,maniac,shover,folder", "--quiet", "--output-dir", "o")
    assert max(map(len, done.stdout.splitlines()[:12])) <= 80


def test_validate_and_schema_help_to_write_a_config(run, tmp_path):
    (tmp_path / "good.yaml").write_text("participants: [{id: a, type: tight}, {id: b, type: random}]\n")
    assert run("validate", "good.yaml").stdout.startswith("good.yaml is valid: 2 participants (a, b)")
    schema = json.loads(run("schema").stdout)
    assert "handsPerGame" in json.dumps(schema)
    assert schema["additionalProperties"] is False


def test_verify_plays_every_game_again(run, tmp_path):
    folder = json.loads(run("--json").stdout)["runDir"]
    done = run("verify", folder)
    assert done.returncode == 0
    assert "all 100 games are identical" in done.stdout
    journal = tmp_path / folder / "journal.jsonl"
    journal.write_text(journal.read_text().replace(":b0:", ":b1:", 1))
    assert run("verify", folder).returncode == 1


def test_report_rebuilds_every_file_from_the_journal(run, tmp_path):
    folder = tmp_path / json.loads(run("--json").stdout)["runDir"]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in before.keys() - {"journal.jsonl"}:
        (folder / name).unlink()
    assert run("report", str(folder)).returncode == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_agents_lists_every_bot_with_a_line(run):
    lines = run("agents").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        "random",
        "tight",
        "callstation",
        "maniac",
        "tag",
        "folder",
        "shover",
    ]


@pytest.mark.parametrize("arguments", [["run", "--handz", "3"], ["run", "--hands", "many"], ["rum"]])
def test_wrong_usage_is_status_2(run, arguments):
    assert run(*arguments).returncode == 2


def test_a_near_miss_gets_a_suggestion(run):
    assert "--hands" in run("--hand", "3").stderr or "--hands" in run("--handz", "3").stderr

"""The cards are secret: with anybody but built-in bots the master seed is drawn, and told when the run has ended."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from molt_bench.errors import ConfigError
from molt_bench.view.library import Library
from tests.e2e.shell import (
    MOLT_BENCH,
    SMALL,
    cut_back,
    everything,
    first_lines,
    good_run,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    results,
    run_of,
    start,
)

pytestmark = pytest.mark.draws
SECRET = "5f0c8a1e9b7d4c3f2a6e8d0b1c9f7e5a"
#: The example bot in plain Python.
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "bots" / "bot.py"
EXEC = f"exec:python3 {EXAMPLE}"
#: A program that writes down what it can see of the one that started it, and plays on.
SPY = """
import glob, json, os, sys
out = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
        seen = [open(path, "rb").read().decode("utf-8", "replace") for path in glob.glob("/proc/[0-9]*/cmdline")]
        with open(out, "a") as file:
            file.write(json.dumps({"cmdlines": seen, "env": dict(os.environ)}) + "\\n")
    elif message["type"] == "observation":
        kind = "call" if message["toCall"] else "check"
        print(json.dumps({"type": "action", "id": message["id"], "kind": kind}), flush=True)
    elif message["type"] == "bye":
        break
"""


def header_of(folder):
    return lines_of(folder, "journal.jsonl")[0]


def drawn(folder):
    """Return the master seed that a finished run tells in its journal."""
    return lines_of(folder, "journal.jsonl")[-1]["masterSeed"]


def test_built_in_bots_keep_the_fixed_seed_and_nothing_is_sealed(tmp_path):
    folder = quick_run(tmp_path, *SMALL)
    assert read(folder, "config.json")["seeds"]["masterSeed"] == "molt-bench"
    assert "masterSeedHash" not in header_of(folder)
    assert "masterSeed" not in lines_of(folder, "journal.jsonl")[-1]


def test_with_any_other_participant_each_run_has_a_seed_of_its_own(tmp_path, bots):
    first, second = (
        quick_run(tmp_path / name, *SMALL, "--participants", f"{bots}:make_caller,tight") for name in ("a", "b")
    )
    seeds = {drawn(first), drawn(second)}
    assert len(seeds) == 2
    assert all(len(seed) == 32 and int(seed, 16) for seed in seeds)
    assert read(first, "matches.json")["matches"][0]["seeds"] != read(second, "matches.json")["matches"][0]["seeds"]


def test_the_header_has_the_hash_and_the_end_of_the_run_the_seed(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,tight")
    header = header_of(folder)
    assert header["config"]["seeds"]["masterSeed"] is None
    assert header["masterSeedHash"] == sha256(drawn(folder).encode()).hexdigest()
    assert read(folder, "config.json")["seeds"]["masterSeed"] == drawn(folder)
    assert not (folder / "master-seed").exists()
    assert quick("verify", folder).returncode == 0


def test_the_same_config_with_the_revealed_seed_gives_the_same_bytes(tmp_path, bots):
    folder = quick_run(tmp_path / "first", *SMALL, "--participants", f"{bots}:make_caller,tight,random")
    again = quick_run(tmp_path / "again", "--config", folder / "config.json")
    assert results(again) == results(folder)
    assert (again / "leaderboard.json").read_bytes() == (folder / "leaderboard.json").read_bytes()


def test_a_revealed_seed_that_is_not_the_one_of_the_start_is_noticed(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,tight")
    *lines, last = lines_of(folder, "journal.jsonl")
    (folder / "journal.jsonl").write_bytes(rechained([*lines, {**last, "masterSeed": "0" * 32}]))
    (folder / "summary.json").unlink()
    for command in ("verify", "report"):
        one_clear_line(quick(command, folder), "is not the one the run was started with")


def interrupted(tmp_path, *flags, env=None):
    """Start a long run with a program at the table, interrupt it, and return its folder."""
    process = start(
        *("--participants", f"{EXEC},tight", "--seeds", "2", "--hands", "30", "--max-matches", "200"),
        *("--confidence", "0.9999", "--output-dir", tmp_path / "out", *flags),
        env={**os.environ, **(env or {})},
    )
    until_there = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("*/journal.jsonl"))) < 1 or (
        len(next((tmp_path / "out").glob("*/journal.jsonl")).read_bytes().splitlines()) < 6
    ):
        assert time.monotonic() < until_there
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    return run_of(tmp_path / "out")


@pytest.mark.slow
def test_until_it_ends_a_run_keeps_its_seed_to_itself_and_resume_finds_it(tmp_path):
    folder = interrupted(tmp_path)
    path = folder / "master-seed"
    seed = path.read_text().strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    told = {name: content for name, content in everything(folder).items() if name != "master-seed"}
    assert [name for name, content in told.items() if seed.encode() in content] == []
    # Nor are the seeds of games to come in any file: those that are named have been played.
    played = {line["record"]["spec"]["seed"] for line in lines_of(folder, "journal.jsonl") if line["line"] == "game"}
    assert {*read(folder, "seeds.json")} <= played
    assert read(folder, "config.json")["seeds"]["masterSeed"] is None
    done = quick("resume", "--run-agents", folder, "--max-matches", 3, "--quiet")
    assert done.returncode == 0, done.stderr
    assert drawn(folder) == seed
    assert not path.exists()
    again = quick_run(tmp_path / "again", "--config", folder / "config.json")
    assert read(again, "matches.json")["matches"][0] == read(folder, "matches.json")["matches"][0]


@pytest.mark.slow
def test_without_its_seed_file_an_unfinished_run_says_what_is_missing(tmp_path):
    folder = interrupted(tmp_path)
    seed = (folder / "master-seed").read_text().strip()
    (folder / "master-seed").write_text("another\n")
    one_clear_line(quick("resume", "--run-agents", folder), "master-seed is not the one it was started with")
    (folder / "master-seed").unlink()
    for command in ("resume", "report", "verify"):
        one_clear_line(quick(command, folder), "the master seed is secret until the run ends", "MOLT_BENCH_MASTER_SEED")
    done = quick("report", folder, env={"MOLT_BENCH_MASTER_SEED": seed})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("way", ["file", "variable"])
def test_a_secret_seed_comes_from_a_file_or_the_environment_and_stays_secret(tmp_path, bots, way):
    (tmp_path / "seed").write_text(f"{SECRET}\n")
    flags = ("--master-seed-file", tmp_path / "seed") if way == "file" else ()
    env = {"MOLT_BENCH_MASTER_SEED": SECRET} if way == "variable" else {}
    who = ("--participants", f"{bots}:make_caller,tight")
    folder = quick_run(tmp_path / "out", *SMALL, *who, *flags, env=env)
    assert drawn(folder) == SECRET
    assert header_of(folder)["config"]["seeds"]["masterSeed"] is None
    named = quick_run(tmp_path / "named", *SMALL, *who, "--master-seed", SECRET)
    assert results(named) == results(folder)


def test_a_flag_wins_over_the_environment_and_goes_with_no_file(tmp_path, bots):
    env = {"MOLT_BENCH_MASTER_SEED": SECRET}
    who = ("--participants", f"{bots}:make_caller,tight")
    folder = quick_run(tmp_path / "out", *SMALL, *who, "--master-seed", "a seed on the command line", env=env)
    assert read(folder, "config.json")["seeds"]["masterSeed"] == "a seed on the command line"
    done = quick(*SMALL, "--master-seed", "a", "--master-seed-file", tmp_path / "seed")
    assert done.returncode == 2


@pytest.mark.parametrize("content", [None, b"", b"\n", b"two\nlines", b"\xff\xfe"])
def test_a_seed_file_that_has_no_seed_in_it_is_one_clear_line(tmp_path, content):
    path = tmp_path / "seed"
    if content is not None:
        path.write_bytes(content)
    one_clear_line(quick(*SMALL, "--master-seed-file", path, "--output-dir", tmp_path / "out"), "--master-seed-file")


@pytest.mark.parametrize("seed", ["molt-bench", "my-paper", "7", "aaaaaaaaaaaaaaaaaaaaaaaa"])
def test_a_named_seed_that_can_be_guessed_is_warned_of_in_one_line(tmp_path, bots, seed):
    done = quick(
        *SMALL, "--participants", f"{bots}:make_caller,tight", "--master-seed", seed, "--output-dir", tmp_path / "out"
    )
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if "can be guessed" in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("molt-bench: warning: seeds.masterSeed")
    assert "can be guessed" in read(run_of(tmp_path / "out"), "summary.json")["warnings"][0]


@pytest.mark.parametrize("flags", [("--master-seed", SECRET), ()])
def test_a_long_seed_and_built_in_bots_are_not_warned_of(tmp_path, bots, flags):
    who = f"{bots}:make_caller,tight" if flags else "random,tight"
    done = quick(*SMALL, "--participants", who, *flags, "--output-dir", tmp_path / "out")
    assert "guessed" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_no_process_has_the_seed_in_its_arguments_or_gets_it_in_its_environment(tmp_path, executor):
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "seed").write_text(SECRET)
    seen = tmp_path / "seen.jsonl"
    for name, flags, env in (
        ("file", ("--master-seed-file", tmp_path / "seed"), {}),
        ("variable", (), {"MOLT_BENCH_MASTER_SEED": SECRET}),
    ):
        participants = f"exec:python3 {tmp_path / 'spy.py'} {seen},tight,random"
        good_run(tmp_path / name, *SMALL, "--participants", participants, "--executor", executor, *flags, env=env)
    lines = seen.read_text()
    assert lines.count("cmdlines") >= 4
    assert MOLT_BENCH.rpartition("/")[2] in lines
    assert SECRET not in lines


def test_a_program_cannot_be_given_the_variable_of_the_seed(tmp_path):
    config = {
        "participants": ["tight", {"id": "x", "type": EXEC, "env": ["MOLT_BENCH_MASTER_SEED"]}],
        "outputDir": str(tmp_path / "out"),
    }
    (tmp_path / "c.json").write_text(json.dumps(config))
    one_clear_line(quick("--config", tmp_path / "c.json"), "env", "MOLT_BENCH_MASTER_SEED")


@pytest.mark.slow
def test_agents_in_this_process_do_not_find_the_seed_in_the_environment(tmp_path):
    (tmp_path / "look.py").write_text(
        "import os\nfrom molt_bench import Action\n\n\n"
        "class Look:\n    name = 'look'\n\n    def act(self, seen):\n"
        "        assert 'MOLT_BENCH_MASTER_SEED' not in os.environ\n"
        "        return Action('call') if seen.to_call else Action('check')\n"
    )
    env = {"MOLT_BENCH_MASTER_SEED": SECRET}
    for executor in ("inline", "processes"):
        who = ("--participants", f"{tmp_path / 'look.py'}:Look,tight", "--executor", executor)
        folder = quick_run(tmp_path / executor, *SMALL, *who, env=env)
        assert read(folder, "leaderboard.json")["participants"][0]["faults"] == {}
        assert read(folder, "leaderboard.json")["participants"][1]["faults"] == {}


@pytest.mark.slow
def test_the_commands_in_the_guide_work_as_they_are_shown(tmp_path):
    guide = (ROOT / "docs" / "why" / "fairness.md").read_text("utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    path = f"{Path(MOLT_BENCH).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert drawn(run_of(tmp_path / "benchmark-results")) == (tmp_path / "seed.txt").read_text().strip()


def test_the_variable_is_taken_out_of_the_environment_when_a_run_goes_on_as_well(tmp_path, monkeypatch):
    from molt_bench.runs.journal_lines import Header
    from molt_bench.runs.master_seed import environment_seed, opened_seed, seed_hash

    fresh = cache(environment_seed.__wrapped__)  # so that nothing of it stays in this process
    monkeypatch.setattr("molt_bench.runs.master_seed.environment_seed", fresh)
    monkeypatch.setenv("MOLT_BENCH_MASTER_SEED", SECRET)
    header = Header(2, 3, "0", "", {}, master_seed_hash=seed_hash(SECRET))
    for _ in range(2):
        assert opened_seed(header, None, tmp_path).value == SECRET
        assert "MOLT_BENCH_MASTER_SEED" not in os.environ


def unfinished(tmp_path, bots, games):
    """Return a run with a secret seed as if it had been killed after so many games."""
    folder = quick_run(tmp_path / "out", *SMALL, "--participants", f"{bots}:make_caller,tight", "--executor", "inline")
    seed = drawn(folder)
    cut_back(folder, first_lines(1 + games))
    (folder / "master-seed").write_text(f"{seed}\n")
    for name in ("config.json", "matches.json", "seeds.json"):
        (folder / name).unlink()
    return folder, seed


def test_the_viewer_shows_no_card_that_is_still_to_be_dealt(tmp_path, bots):
    folder, seed = unfinished(tmp_path, bots, games=3)
    library = Library(folder)
    page = json.dumps(library.run_page(folder.name))
    assert seed not in page
    match = library.match_page(folder.name, 1)
    assert [each["index"] for each in match["seeds"]] == [0]
    played = {line["record"]["spec"]["seed"] for line in lines_of(folder, "journal.jsonl")[1:3]}
    assert {each["seed"] for each in match["seeds"]} == played
    with pytest.raises(ConfigError, match="hand"):
        library.hand_page(folder.name, 1, 1, 1)
    assert {*library.hand_columns(folder.name)["columns"]["seed"]} == {0}
    assert library.hand_page(folder.name, 1, 0, 1)["sides"]


@pytest.mark.slow
def test_a_full_disk_that_did_not_take_the_seed_leaves_it_sealed(tmp_path, bots):
    who = f"{MOLT_BENCH} --participants {bots}:make_caller,tight --seeds 4 --hands 20 --max-matches 3 --quiet"
    subprocess.run(
        ["bash", "-c", f"ulimit -f 8; exec {who} --output-dir {tmp_path / 'out'}"], capture_output=True, check=False
    )
    folder = run_of(tmp_path / "out")
    seed = (folder / "master-seed").read_text().strip()
    for name, content in everything(folder).items():
        assert name == "master-seed" or seed.encode() not in content
    assert read(folder, "config.json")["seeds"]["masterSeed"] is None
    done = quick("resume", "--run-agents", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert drawn(folder) == seed


def test_seeds_of_a_file_are_warned_of_where_somebody_may_read_them(tmp_path, bots):
    (tmp_path / "seeds.txt").write_text("\n".join(f"seed {number} of a long list" for number in range(8)))
    who = ("--participants", f"{bots}:make_caller,tight", "--seeds-file", tmp_path / "seeds.txt")
    done = quick(*SMALL, *who, "--output-dir", tmp_path / "out")
    assert done.returncode == 0
    assert done.stderr.count("the journal begins with these seeds") == 1


def test_a_pipe_in_place_of_a_seed_file_is_not_waited_for_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("molt_bench.files._PATIENCE_S", 0.2)
    os.mkfifo(tmp_path / "pipe")
    one_clear_line(quick(*SMALL, "--master-seed-file", tmp_path / "pipe", "--output-dir", tmp_path / "out"), "pipe")

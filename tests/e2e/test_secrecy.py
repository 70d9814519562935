"""The cards are secret: with anybody but built-in bots the master seed is drawn, and told when the run has ended."""

import json
import os
import re
import shutil
import signal
import stat
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from molt_bench.errors import ConfigError
from molt_bench.runs.journal_lines import Header
from molt_bench.runs.master_seed import environment_seed, opened_seed, seed_hash
from tests.e2e.shell import (
    MOLT_BENCH,
    SMALL,
    cut_back,
    everything,
    first_lines,
    gone_on,
    good,
    good_run,
    in_bash,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    records_in,
    results,
    run_of,
    start,
    until,
    verified,
)
from tests.viewing import told

pytestmark = pytest.mark.draws
SECRET = "5f0c8a1e9b7d4c3f2a6e8d0b1c9f7e5a"
VARIABLE = {"MOLT_BENCH_MASTER_SEED": SECRET}
ROOT = Path(__file__).parents[2]
#: The example bot in plain Python.
EXEC = f"exec:python3 {ROOT / 'docs' / 'examples' / 'bots' / 'bot.py'}"
#: A program that writes down what it can see of the one that started it, and plays on.
SPY = """
import glob, json, os, sys
out = sys.argv[1]

def read(path):
    try:
        return open(path, "rb").read().decode("utf-8", "replace")
    except OSError:  # the process has ended
        return ""

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
        seen = [*map(read, glob.glob("/proc/[0-9]*/cmdline"))]
        with open(out, "a") as file:
            file.write(json.dumps({"cmdlines": seen, "env": dict(os.environ)}) + "\\n")
    elif message["type"] == "observation":
        kind = "call" if message["toCall"] else "check"
        print(json.dumps({"type": "action", "id": message["id"], "kind": kind}), flush=True)
    elif message["type"] == "bye":
        break
"""
#: An agent in this process that looks for the seed.
LOOK = """
import os
from molt_bench import Action


class Look:
    name = "look"

    def act(self, seen):
        assert "MOLT_BENCH_MASTER_SEED" not in os.environ
        return Action("call") if seen.to_call else Action("check")
"""


def header_of(folder):
    return lines_of(folder, "journal.jsonl")[0]


def drawn(folder):
    """Return the master seed that a finished run tells in its journal."""
    return lines_of(folder, "journal.jsonl")[-1]["masterSeed"]


@pytest.fixture
def mine(bots):
    """Return flags of a small run with an agent of one's own."""
    return (*SMALL, "--participants", f"{bots}:make_caller,tight", "--executor", "inline")


def test_built_in_bots_keep_the_fixed_seed_and_nothing_is_sealed(tmp_path):
    folder = quick_run(tmp_path, *SMALL)
    assert read(folder, "config.json")["seeds"]["masterSeed"] == "molt-bench"
    assert "masterSeedHash" not in header_of(folder)
    assert "masterSeed" not in lines_of(folder, "journal.jsonl")[-1]


def test_with_any_other_participant_each_run_has_a_seed_of_its_own_which_is_told_at_its_end(tmp_path, mine):
    first, second = (quick_run(tmp_path / name, *mine) for name in ("a", "b"))
    seeds = {drawn(first), drawn(second)}
    assert len(seeds) == 2
    assert all(len(seed) == 32 and int(seed, 16) for seed in seeds)
    assert read(first, "matches.json")["matches"][0]["seeds"] != read(second, "matches.json")["matches"][0]["seeds"]
    assert header_of(first)["config"]["seeds"]["masterSeed"] is None
    assert header_of(first)["masterSeedHash"] == sha256(drawn(first).encode()).hexdigest()
    assert read(first, "config.json")["seeds"]["masterSeed"] == drawn(first)
    assert not (first / "master-seed").exists()
    verified(first)
    again = quick_run(tmp_path / "again", "--config", first / "config.json")
    assert results(again) == results(first)


def test_a_revealed_seed_that_is_not_the_one_of_the_start_is_noticed(tmp_path, mine):
    folder = quick_run(tmp_path / "out", *mine)
    *lines, last = lines_of(folder, "journal.jsonl")
    (folder / "journal.jsonl").write_bytes(rechained([*lines, {**last, "masterSeed": "0" * 32}]))
    (folder / "summary.json").unlink()
    for command in ("verify", "report"):
        one_clear_line(quick(command, folder), "is not the one the run was started with")


@pytest.fixture
def interrupted(tmp_path):
    """Return the folder of a long run with a program at the table that was interrupted."""
    flags = ("--seeds", "2", "--hands", "30", "--max-matches", "200", "--confidence", "0.9999")
    process = start("--participants", f"{EXEC},tight", *flags, "--output-dir", tmp_path / "out")
    until(lambda: any(path.read_bytes().count(b"\n") >= 6 for path in tmp_path.glob("out/*/journal.jsonl")))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    return run_of(tmp_path / "out")


@pytest.mark.slow
def test_until_it_ends_a_run_keeps_its_seed_to_itself_and_resume_finds_it(tmp_path, interrupted):
    path = interrupted / "master-seed"
    seed = path.read_text().strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(interrupted.stat().st_mode) == 0o700
    told = {name: content for name, content in everything(interrupted).items() if name != "master-seed"}
    assert [name for name, content in told.items() if seed.encode() in content] == []
    # Nor are the seeds of games to come in any file: those that are named have been played.
    assert {*read(interrupted, "seeds.json")} <= {record["spec"]["seed"] for record in records_in(interrupted)}
    assert read(interrupted, "config.json")["seeds"]["masterSeed"] is None
    gone_on(interrupted, "--max-matches", 3)
    assert drawn(interrupted) == seed
    assert not path.exists()
    again = quick_run(tmp_path / "again", "--config", interrupted / "config.json")
    assert read(again, "matches.json")["matches"][0] == read(interrupted, "matches.json")["matches"][0]


@pytest.mark.slow
def test_without_its_seed_file_an_unfinished_run_says_what_is_missing(interrupted):
    seed = (interrupted / "master-seed").read_text().strip()
    (interrupted / "master-seed").write_text("another\n")
    one_clear_line(quick("resume", "--run-agents", interrupted), "master-seed is not the one it was started with")
    (interrupted / "master-seed").unlink()
    for command in ("resume", "report", "verify"):
        said = "the master seed is secret until the run ends", "MOLT_BENCH_MASTER_SEED"
        one_clear_line(quick(command, interrupted), *said)
    good(quick("report", interrupted, env={"MOLT_BENCH_MASTER_SEED": seed}))


@pytest.mark.parametrize("way", ["file", "variable"])
def test_a_secret_seed_comes_from_a_file_or_the_environment_and_stays_secret(tmp_path, mine, way):
    (tmp_path / "seed").write_text(f"{SECRET}\n")
    flags = ("--master-seed-file", tmp_path / "seed") if way == "file" else ()
    folder = quick_run(tmp_path / "out", *mine, *flags, env=VARIABLE if way == "variable" else {})
    assert drawn(folder) == SECRET
    assert header_of(folder)["config"]["seeds"]["masterSeed"] is None
    assert results(quick_run(tmp_path / "named", *mine, "--master-seed", SECRET)) == results(folder)


def test_a_flag_wins_over_the_environment(tmp_path, mine):
    folder = quick_run(tmp_path / "out", *mine, "--master-seed", "a seed on the command line", env=VARIABLE)
    assert read(folder, "config.json")["seeds"]["masterSeed"] == "a seed on the command line"


def test_a_seed_file_that_has_no_seed_in_it_is_one_clear_line_and_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("molt_bench.files._PATIENCE_S", 0.2)
    os.mkfifo(tmp_path / "pipe")
    for number, content in enumerate((b"", b"\n", b"two\nlines", b"\xff\xfe")):
        (tmp_path / str(number)).write_bytes(content)
    for name in ("nowhere", "0", "1", "2", "3", "pipe"):
        done = quick(*SMALL, "--master-seed-file", tmp_path / name, "--output-dir", tmp_path / "out")
        one_clear_line(done, "--master-seed-file", name)


@pytest.mark.parametrize(
    ("seed", "warned"),
    [("molt-bench", True), ("my-paper", True), ("7", True), ("a" * 24, True), (SECRET, False), (None, False)],
)
def test_a_named_seed_that_can_be_guessed_is_warned_of_in_one_line(tmp_path, mine, seed, warned):
    flags = ("--master-seed", seed) if seed else ("--participants", "random,tight")
    done = good(quick(*mine, *flags, "--output-dir", tmp_path / "out"))
    warnings = [line for line in done.stderr.splitlines() if "can be guessed" in line]
    assert len(warnings) == warned
    if warned:
        assert warnings[0].startswith("molt-bench: warning: seeds.masterSeed")
        assert "can be guessed" in read(run_of(tmp_path / "out"), "summary.json")["warnings"][0]


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_no_process_has_the_seed_in_its_arguments_and_no_agent_in_its_environment(tmp_path, executor):
    (tmp_path / "spy.py").write_text(SPY)
    (tmp_path / "look.py").write_text(LOOK)
    (tmp_path / "seed").write_text(SECRET)
    seen = tmp_path / "seen.jsonl"
    people = f"exec:python3 {tmp_path / 'spy.py'} {seen},{tmp_path / 'look.py'}:Look,tight"
    for name, flags, env in (("file", ("--master-seed-file", tmp_path / "seed"), {}), ("variable", (), VARIABLE)):
        flags = (*SMALL, "--participants", people, "--no-sandbox", "--executor", executor, *flags)
        folder = good_run(tmp_path / name, *flags, env=env)
        assert [each["faults"] for each in read(folder, "leaderboard.json")["participants"]] == [{}, {}, {}]
    lines = seen.read_text()
    assert lines.count("cmdlines") >= 4
    assert MOLT_BENCH.rpartition("/")[2] in lines
    assert SECRET not in lines


def test_the_variable_is_taken_out_of_the_environment_when_a_run_goes_on_as_well(tmp_path, monkeypatch):
    fresh = cache(environment_seed.__wrapped__)  # so that nothing of it stays in this process
    monkeypatch.setattr("molt_bench.runs.master_seed.environment_seed", fresh)
    monkeypatch.setenv("MOLT_BENCH_MASTER_SEED", SECRET)
    header = Header(2, 3, "0", "", {}, master_seed_hash=seed_hash(SECRET))
    for _ in range(2):
        assert opened_seed(header, None, tmp_path) == SECRET
        assert "MOLT_BENCH_MASTER_SEED" not in os.environ


@pytest.mark.slow
def test_the_commands_in_the_guide_work_as_they_are_shown(tmp_path):
    guide = (ROOT / "docs" / "why" / "fairness.md").read_text("utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    good(in_bash(commands, cwd=tmp_path))
    assert drawn(run_of(tmp_path / "benchmark-results")) == (tmp_path / "seed.txt").read_text().strip()


def test_the_viewer_shows_no_card_that_is_still_to_be_dealt(tmp_path, mine):
    """Of a run with a secret seed that was killed after three games."""
    folder = quick_run(tmp_path / "out", *mine)
    seed = drawn(folder)
    cut_back(folder, first_lines(1 + 3))
    (folder / "master-seed").write_text(f"{seed}\n")
    for name in ("config.json", "matches.json", "seeds.json"):
        (folder / name).unlink()
    assert seed not in json.dumps(told(folder, folder.name))
    match = told(folder, folder.name, "/match/1")
    assert [each["index"] for each in match["seeds"]] == [0]
    assert {each["seed"] for each in match["seeds"]} == {each["spec"]["seed"] for each in records_in(folder)[:2]}
    with pytest.raises(ConfigError, match="hand"):
        told(folder, folder.name, "/hand/1/1/1")
    assert {game["seed"] for game in told(folder, folder.name, "/hands")["games"]} == {0}
    assert told(folder, folder.name, "/hand/1/0/1")["sides"]


@pytest.mark.slow
def test_a_full_disk_that_did_not_take_the_seed_leaves_it_sealed(tmp_path, mine):
    in_bash(
        'ulimit -f 8; exec molt-bench "$@"', *mine, "--seeds", "4", "--hands", "20", "--output-dir", tmp_path / "out"
    )
    folder = run_of(tmp_path / "out")
    seed = (folder / "master-seed").read_text().strip()
    for name, content in everything(folder).items():
        assert name == "master-seed" or seed.encode() not in content
    assert read(folder, "config.json")["seeds"]["masterSeed"] is None
    assert drawn(gone_on(folder)) == seed

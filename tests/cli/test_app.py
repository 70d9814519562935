"""The command line, as a user runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

MOLT_BENCH = str(Path(sys.executable).with_name("molt-bench"))


def run(*arguments):
    return subprocess.run([MOLT_BENCH, *arguments], capture_output=True, text=True, check=False, timeout=120)


def test_without_arguments_tight_ends_above_random():
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("tight") < done.stdout.index("random")
    assert "1,000" in done.stdout
    assert done.stdout == run("run").stdout


def test_the_version_is_shown():
    assert run("--version").stdout.startswith("molt-bench ")


def test_one_seed_has_no_interval():
    assert "needs 2 seeds" in run("--seeds", "1", "--hands", "5").stdout


def test_participants_seeds_and_hands_are_flags():
    done = run("--participants", "random,tight,callstation", "--seeds", "2", "--hands", "10")
    assert done.returncode == 0, done.stderr
    assert "callstation" in done.stdout
    assert "80" in done.stdout


def test_the_master_seed_decides_the_cards():
    first, again, other = (run("run", "--master-seed", seed).stdout for seed in ("a", "a", "b"))
    assert first == again != other


def test_the_same_type_twice_is_told_apart():
    done = run("run", "--participants", "random,random", "--seeds", "1", "--hands", "10")
    assert "random-2" in done.stdout


def test_the_table_fits_80_columns():
    done = run("run", "--participants", "random,tight,callstation,maniac,shover", "--seeds", "1", "--hands", "5")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_agents_lists_every_bot_with_a_line():
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--participants", "tight"], "participants = 'tight': expected at least two names"),
        (["--participants", "tight,randm"], "type = 'randm': expected 'random' perhaps"),
        (["--participants", "tight,"], "participants = 'tight,': expected at least two names"),
        (["--hands", "0"], "hands = 0: expected a whole number, at least 1"),
        (["--seeds", "-3"], "seeds = -3: expected at least 1"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_1(arguments, said):
    done = run("run", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("molt-bench: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["run", "--handz", "3"], ["run", "--hands", "many"], ["rum"]])
def test_wrong_usage_is_status_2(arguments):
    assert run(*arguments).returncode == 2

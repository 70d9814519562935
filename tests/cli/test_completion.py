"""Shell completion, asked for as the shells do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.e2e.shell import MOLT_BENCH, SMALL, quick, quick_run

from molt_bench.cli.completion import _JOURNAL
from molt_bench.runs.folder import JOURNAL


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a folder with a run in the usual place and in a place with an odd name, and other folders."""
    folder = tmp_path_factory.mktemp("home")
    run = quick_run("made", *SMALL, "--participants", "tight,tag", "--quiet", cwd=folder)
    for place in ("benchmark-results/2026-01-31T12-00-00", "runs/later", "runs/a b", "runs/$(touch owned)", "runs/x'y"):
        (folder / place).parent.mkdir(exist_ok=True)
        shutil.copytree(run, folder / place)
    shutil.rmtree(folder / "made")
    (folder / "empty").mkdir()
    return folder


def bash(home, *words):
    """Return what bash is offered for the last of the words behind the program's name."""
    line = "\n".join(["molt-bench", *words])
    env = {"_MOLT_BENCH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    done = quick(cwd=home, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


RUN = "benchmark-results/2026-01-31T12-00-00"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ver"], ["verify"]),
        (["check", "t"], ["tight", "tag"]),
        (["play", "call"], ["callstation"]),
        (["join", "url", "--agent", "man"], ["maniac"]),
        (["--participants", "blueprint,sho"], ["blueprint,shover"]),
        (["--no-color", "--quiet", "--participants", "ran"], ["random"]),
        (["run", "--scheduler", "round"], ["round_robin"]),
        (["--set", "game.stack"], ["game.stack=", "game.stacks="]),
        (["run", "--set", "stop.budget.maxG"], ["stop.budget.maxGames="]),
        (["run", "--set", "participants.3.disp"], ["participants.3.displayName="]),
        (["resume", RUN, "--set", "game."], []),
        (["resume", RUN, "--set", "stop.topk"], ["stop.topkStable=", "stop.topkStable.k=", "stop.topkStable.rounds="]),
        (["verify", ""], ["runs/later", RUN]),
        (["verify", "bench"], [RUN]),
        (["compare", RUN, "runs/l"], ["runs/later"]),
        (["plan", "c.yaml", "--pilot", "runs/"], ["runs/later"]),
        (["grade", RUN, "--agent", ""], ["tight", "tag"]),
        (["compare", RUN, RUN, "--agent", "ti"], ["tight"]),
        (["export", RUN, "--format", "p"], ["phh", "pokerstars", "parquet"]),
        (["compare", "--format", "j"], ["json", "junit"]),
        (["--versi"], ["--version"]),
        (["--max-m"], ["--max-matches"]),
        (["verify", "empty"], []),
    ],
)
def test_bash_is_offered(home, words, offered):
    assert bash(home, *words) == offered


def test_names_that_a_shell_would_act_on_are_left_to_the_shell(home):
    for shell in ("complete_zsh", "complete_fish"):
        env = {
            "_MOLT_BENCH_COMPLETE": shell,
            "_TYPER_COMPLETE_ARGS": "molt-bench verify runs/",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        done = quick(cwd=home, env=env)
        assert "runs/later" in done.stdout
        assert not {"touch", "x'y", "a b"} & {*done.stdout.replace("/", " ").split()}
    assert not (home / "owned").exists()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_offered_the_same(home, shell):
    env = {
        "_MOLT_BENCH_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "molt-bench --participants tag,call",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert "tag,callstation" in quick(cwd=home, env=env).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell):
    done = quick(env={"_MOLT_BENCH_COMPLETE": f"source_{shell}"})
    assert done.returncode == 0
    assert f"complete_{shell}" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes(home):
    script = (
        "source <(_MOLT_BENCH_COMPLETE=source_bash molt-bench) && "
        "COMP_WORDS=(molt-bench verify bench) COMP_CWORD=2 && "
        "$(complete -p molt-bench | grep -o '_[a-z_]*completion') molt-bench && printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    path = f"{Path(MOLT_BENCH).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env={**os.environ, "PATH": path},
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (f"{RUN}\n", "")


def test_the_journal_has_the_name_that_completion_looks_for():
    assert _JOURNAL == JOURNAL

"""Shell completion, asked for as the shells do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.e2e.shell import MOLT_BENCH, SMALL, quick, quick_run


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
    env = {"_MOLT_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    done = quick(cwd=home, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    offered = [line.partition(",") for line in done.stdout.splitlines()]
    return [value for kind, _, value in offered if kind == "plain"]


RUN = "benchmark-results/2026-01-31T12-00-00"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ver"], ["verify"]),
        (["check", "t"], ["tag", "tight"]),
        (["join", "url", "--agent", "man"], ["maniac"]),
        (["--participants", "blueprint,sho"], ["blueprint,shover"]),
        (["--no-color", "--quiet", "--participants", "ran"], ["random"]),
        (["--set", "game.stack"], ["game.stack=", "game.stacks="]),
        (["run", "--set", "stop.budget.maxG"], ["stop.budget.maxGames="]),
        (["resume", RUN, "--set", "stop.topk"], ["stop.topkStable=", "stop.topkStable.k=", "stop.topkStable.rounds="]),
        (["verify", ""], ["runs/later", RUN]),
        (["verify", "bench"], [RUN]),
        (["compare", RUN, "runs/l"], ["runs/later"]),
        (["plan", "c.yaml", "--pilot", "runs/"], ["runs/later"]),
        (["export", RUN, "--format", "p"], ["phh"]),
        (["--versi"], ["--version"]),
        (["run", "--max-m"], ["--max-matches"]),
        (["verify", "empty"], []),
    ],
)
def test_bash_is_offered(home, words, offered):
    assert bash(home, *words) == offered


def asked_by(shell, line, word):
    """Return the variables by which a shell asks how the last word of a line goes on."""
    return {"_MOLT_BENCH_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": word}


def test_names_that_a_shell_would_act_on_are_left_to_the_shell(home):
    for shell, word in (("zsh", "2"), ("fish", "runs/")):
        done = quick(cwd=home, env=asked_by(shell, "molt-bench verify runs/", word))
        assert "runs/later" in done.stdout
        assert not {"touch", "x'y", "a b"} & {*done.stdout.replace("/", " ").split()}
    assert not (home / "owned").exists()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_are_offered_the_same(home, shell):
    env = asked_by(shell, "molt-bench --participants tag,call", "2" if shell == "zsh" else "tag,call")
    assert "tag,callstation" in quick(cwd=home, env=env).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell):
    done = quick(env={"_MOLT_BENCH_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert f"{shell}_complete" in done.stdout


def test_where_there_is_nothing_to_offer_the_shell_completes_files(home):
    done = quick(cwd=home, env=asked_by("bash", "molt-bench check ./my", "2"))
    assert done.stdout == "file,./my\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.slow
def test_a_real_bash_completes(home):
    script = (
        'eval "$(_MOLT_BENCH_COMPLETE=bash_source molt-bench)" && '
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
        env={**os.environ, "PATH": path, "SHELL": "/bin/bash"},
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (f"{RUN}\n", "")

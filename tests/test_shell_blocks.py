"""Shell blocks and configs of the docs: each is run, here or by a test that is named here, and every flag exists."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import click
import pytest
import yaml

from molt_bench.cli.app import program
from molt_bench.config.loader import load_config
from tests.e2e.shell import fault_counts
from tests.llm.provider import Provider

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRIPTS = Path(sys.executable).parent
#: A run that pages name, and a config.
RUN, CONFIG = "benchmark-results/2026-11-15T10-08-05", "bench.yaml"
#: Who runs the shell blocks of a page: this file, or another.
HERE = "tests/test_shell_blocks.py"
RUN_BY = {
    "reference/compare-and-gate.md": HERE,
    "how-to/plan-and-extend-a-run.md": HERE,
    "how-to/compare-models.md": HERE,
    "how-to/use-all-cores.md": "tests/test_containers.py",
    "reference/command-line.md": HERE,
    "reference/live.md": "tests/serve/test_live_guide.py",
    "reference/viewer.md": HERE,
    # A clone and a virtual environment: nobody can run it, since the address is the reader's.
    "start/install.md": HERE,
    "how-to/play-against-an-agent.md": "tests/e2e/test_human.py",
    "why/fairness.md": "tests/e2e/test_secrecy.py",
}


def blocks(page, language):
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def test_every_page_with_a_shell_block_names_the_test_that_runs_it():
    assert {page for page in PAGES if blocks(page, "sh")} == {*RUN_BY}
    for page, test in RUN_BY.items():
        assert page.rpartition("/")[2] in (ROOT / test).read_text("utf-8")


def lines(page):
    """Return the commands of the program that a page shows in its shell blocks, each as words."""
    text = "\n".join(blocks(page, "sh")).replace("\\\n", " ")
    found = [shlex.split(line, comments=True) for line in text.splitlines()]
    return [words[1:] for words in found if words and words[0] == "molt-bench"]


@pytest.mark.parametrize("page", sorted(RUN_BY))
def test_every_flag_in_a_shell_block_exists(page):
    for words in lines(page):
        name = words[0] if words and words[0] in program.list_commands(None) else "run"
        command = program.get_command(click.Context(program), name)
        known = {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, words


def test_a_host_that_starts_programs_is_led_to_the_door_of_mcp():
    block = next(each for each in blocks("reference/live.md", "json") if "mcpServers" in each)
    (server,) = json.loads(block)["mcpServers"].values()
    assert (server["command"], server["args"]) == ("npx", ["-y", "mcp-remote", "INVITATION/mcp"])


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "yaml")])
def test_every_config_of_the_docs_is_understood(page):
    configs = [yaml.safe_load(block) for block in blocks(page, "yaml")]
    for config in configs:
        assert "jobs" in config or load_config(config).participants


def shell(command, folder, *, statuses=(0,), **variables):
    """Run a shell command in a folder, with the program on the path; return what it prints."""
    env = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1", **variables}
    done = subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode in statuses, done.stdout + done.stderr
    return done.stdout


def ended(folder, number):
    """Play a match of bots that ends at its budget, in the folder that pages name."""
    shell(f"molt-bench --participants tight,random,tag --seeds 2 --hands 5 --max-matches {number} --quiet", folder)
    (made,) = (folder / "benchmark-results").iterdir()
    made.rename(folder / RUN)


@pytest.mark.slow
def test_a_run_is_resumed_and_extended_as_shown(tmp_path):
    ended(tmp_path, 3)
    _, after_a_crash, on, _ = blocks("how-to/plan-and-extend-a-run.md", "sh")
    journal = tmp_path / RUN / "journal.jsonl"
    kept = journal.read_bytes().splitlines(keepends=True)[:-2]
    for file in journal.parent.iterdir():  # a crash leaves the journal alone, as far as it was written
        file.unlink()
    journal.write_bytes(b"".join(kept))
    assert "3 matches" in shell(after_a_crash, tmp_path)
    assert re.search(r"(?<!\d)(\d+) matches", shell(on, tmp_path))[1] != "3"


@pytest.mark.slow
def test_a_plan_with_a_pilot_is_as_shown(tmp_path):
    ended(tmp_path, 3)
    config = {"participants": ["tight", "random", "tag"], "seeds": {"perMatch": 2}, "game": {"handsPerGame": 5}}
    (tmp_path / CONFIG).write_text(json.dumps(config))
    pilot, *_ = blocks("how-to/plan-and-extend-a-run.md", "sh")
    assert "as in the pilot" in " ".join(shell(pilot, tmp_path).split())


@pytest.mark.slow
def test_many_models_play_as_shown(tmp_path):
    shutil.copy(DOCS / "examples" / "gauntlet.yaml", tmp_path / CONFIG)
    models = re.findall(r'model: "(.+?)"', (tmp_path / CONFIG).read_text("utf-8"))
    # They are elsewhere than their providers say, so they have no price of their own.
    prices = f"--set 'llm.prices={json.dumps({name: {'input': 2, 'output': 8} for name in models})}'"
    few, play = (block.strip() for block in blocks("how-to/compare-models.md", "sh"))
    with Provider(keep_requests=False) as provider:
        base = provider.url.removesuffix("/v1")
        there = {f"{name}_API_KEY": "a-key" for name in ("OPENAI", "ANTHROPIC", "GOOGLE")}
        there |= {"OPENAI_BASE_URL": provider.url, "ANTHROPIC_BASE_URL": base, "GOOGLE_GEMINI_BASE_URL": base}
        assert {*fault_counts(shell(f"{few} --max-matches 4 {prices}", tmp_path, **there))} == {"0"}
        printed = shell(f"{play} --seeds 1 --hands 2 --max-matches 4 {prices}", tmp_path, **there)
    assert "the reference" in printed


@pytest.mark.slow
def test_the_gate_runs_as_shown(tmp_path):
    agent = (DOCS / "examples" / "cautious.py").read_text("utf-8")
    (tmp_path / "agent.py").write_text(f"{agent}\n\nmake = Cautious\n", "utf-8")
    named = "git -c user.name=a -c user.email=a@b.c"
    shell(f"git init --quiet --initial-branch main && git add . && {named} commit --quiet -m first", tmp_path)
    files, prompts, *_ = blocks("reference/compare-and-gate.md", "sh")
    assert "not worse by more than 50 bb/100. The change is 0.0 ± " in shell(files, tmp_path)
    for name in ("old", "new"):
        (tmp_path / f"{name}.md").write_text("Play well.", "utf-8")
    prices = f"--set 'llm.prices={json.dumps({'openai:gpt-4.1': {'input': 2, 'output': 8}})}'"
    with Provider(keep_requests=False) as provider:
        there = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        few = f"{prices.strip()} --opponents tight --set game.handsPerGame=3 --margin 50000"
        assert "not worse by more than" in shell(f"{prompts.strip()} {few}", tmp_path, **there)


@pytest.mark.slow
def test_the_viewer_and_the_completion_start_as_shown(tmp_path):
    ended(tmp_path, 3)
    (completion,) = blocks("reference/command-line.md", "sh")
    assert "_molt_bench_completion" in shell(f"{completion}declare -F", tmp_path, SHELL="/bin/bash")
    command = lines("reference/viewer.md")[-1]
    assert {RUN, "9000"} <= {*command}
    words = [SCRIPTS / "molt-bench", *(word.replace("9000", "0") for word in command)]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            address = re.search(r"http://\S+", viewer.stdout.readline())[0]
            with urlopen(address, timeout=60) as page:
                assert b"molt-bench" in page.read()
        finally:
            viewer.terminate()

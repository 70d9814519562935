"""The guide to live agents: those who follow it get a run between a script and a bot."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from molt_bench.plugins.live.messages import turn_schema
from tests.serve.tables import LONG_S

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "reference" / "live.md").read_text("utf-8")
INIT, SERVE, SCRIPT, JOIN, _ = (block.strip() for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL))
EXAMPLES = ROOT / "src" / "molt_bench" / "plugins" / "live" / "examples"
SHOWN_URL = "http://127.0.0.1:8770/j/0123456789abcdef0123456789abcdef"


def words(command):
    """Return a command with our program in the place of its name."""
    program = [sys.executable, "-c", "from molt_bench.cli import main; main()"]
    first, *rest = shlex.split(command)
    return [*program, *rest] if first == "molt-bench" else [first, *rest]


@contextmanager
def serving_as_shown(folder):
    """Start the server as the guide does, on any free port; yields the process and the invitation it prints."""
    subprocess.run(INIT.replace("src/", f"{ROOT}/src/"), cwd=folder, check=True, shell=True)
    command = words(SERVE.replace("8770", "0"))
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            lines = iter(server.stdout.readline, "")
            said = "Invitation for guest: "
            found = next((line for line in lines if line.startswith(said)), None)
            assert found is not None, server.wait(LONG_S)
            yield server, found.removeprefix(said).strip()
        finally:
            server.kill()


#: A program for every step of the script takes its time; `test_skill.py` plays a game with it.
_WITH_CURL = (pytest.mark.slow, pytest.mark.skipif(shutil.which("curl") is None, reason="no curl"))


@pytest.mark.parametrize("player", [pytest.param(SCRIPT, marks=_WITH_CURL), JOIN])
@pytest.mark.slow
def test_the_commands_give_a_run_as_they_are_shown(tmp_path, player):
    assert SHOWN_URL in player
    with serving_as_shown(tmp_path) as (server, invitation):
        done = subprocess.run(
            words(player.replace(SHOWN_URL, invitation)),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=LONG_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        printed, _ = server.communicate(timeout=LONG_S)
    assert server.returncode == 0, printed
    assert "2 matches, 8 games, 80 hands" in printed
    (journal,) = tmp_path.glob("benchmark-results/*/journal.jsonl")
    assert invitation.rpartition("/")[2] not in journal.read_text("utf-8")


def test_the_config_is_the_one_that_is_shown():
    shown = re.search(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)[1]
    assert shown == (EXAMPLES / "live.yaml").read_text("utf-8")


def test_the_schema_of_turns_is_the_published_one():
    assert json.loads((ROOT / "docs" / "turns.schema.json").read_text("utf-8")) == json.loads(json.dumps(turn_schema()))


def test_every_code_in_the_guide_is_one_of_ours():
    source = "".join(
        file.read_text("utf-8") for file in (ROOT / "src" / "molt_bench" / "plugins" / "live").rglob("*.py")
    )
    codes = re.findall(r"^\| `([A-Z_]+)` \|", GUIDE, re.MULTILINE)
    assert len(codes) == 6
    assert all(f'"{code}"' in source for code in codes)

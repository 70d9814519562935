"""The example bots play for real, without a fault."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from molt_bench import make_agent, play_game
from molt_bench.testing import TABLES
from tests.agents.external.playing import played

BOTS = Path(__file__).parents[3] / "docs" / "examples" / "bots"


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed here")


@pytest.fixture
def server():
    """Return the URL of the example server."""
    command = [sys.executable, str(BOTS / "server.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().split()[-1]
        process.kill()


@pytest.fixture
def in_c(tmp_path):
    """Build the example in C as its first line says."""
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2"]
    subprocess.run(["cc", *flags, "-o", "bot", str(BOTS / "bot.c")], check=True, cwd=tmp_path, timeout=60)
    return tmp_path / "bot"


def plays_well(kind, *, hands=150):
    """Check it at every kind of table, and that it beats one who never looks at its cards."""
    agent = make_agent(kind)
    for options in TABLES.values():
        for partner in ("maniac", "shover"):
            assert play_game((agent, make_agent(partner)), seed=1, hands=5, **options).faults == ()
    record = played(agent, hands=hands)
    assert record.faults == ()
    assert record.net[0] > 0


def test_the_example_in_python():
    plays_well(f"exec:{sys.executable} {BOTS / 'bot.py'}")


def test_the_example_of_the_acpc():
    agent = make_agent(f"exec:python -m molt_bench.plugins.adapters.acpc -- {sys.executable} {BOTS / 'acpc_bot.py'}")
    for partner in ("maniac", "shover", "folder", "random"):
        assert play_game((agent, make_agent(partner)), seed=1, hands=30, stack=20_000).faults == ()
    record = played(agent, hands=150, stack=20_000)
    assert record.faults == ()
    assert record.net[0] > 0


@needs("node")
def test_the_example_in_javascript():
    plays_well(f"exec:node {BOTS / 'bot.js'}")


@needs("cc")
def test_the_example_in_c(in_c):
    plays_well(f"exec:{in_c}")


@pytest.mark.slow
def test_the_example_over_http(server):
    plays_well(server)


@pytest.mark.parametrize("example", sorted(BOTS.iterdir()), ids=lambda path: path.name)
def test_an_example_can_be_read_on_one_screen_or_two(example):
    assert len(example.read_text("utf-8").splitlines()) < 80

"""The example bots play for real, without a fault."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.testing import TABLES
from tests.agents.external.boxes import needs_bubblewrap
from tests.agents.external.playing import played

RUST = Path(__file__).with_name("bot.rs")
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


@pytest.fixture(params=["off", pytest.param("required", marks=needs_bubblewrap)])
def sandbox(request):
    """Return a way to play: without a box, and in one."""
    return request.param


def plays_well(kind, sandbox=None, *, hands=150):
    """Check it at every kind of table, and that it beats one who never looks at its cards."""
    agent = make_agent(ParticipantSpec(id="bot", type=kind, settings={} if sandbox is None else {"sandbox": sandbox}))
    for options in TABLES.values():
        for partner in ("maniac", "shover"):
            assert play_game((agent, make_agent(partner)), seed=1, hands=5, **options).faults == ()
    record = played(agent, hands=hands)
    assert record.faults == ()
    assert record.net[0] > 0


def test_the_example_in_python(sandbox):
    plays_well(f"exec:{sys.executable} {BOTS / 'bot.py'}", sandbox)


def test_the_example_of_the_acpc():
    agent = make_agent(f"exec:python -m molt_bench.plugins.adapters.acpc -- {sys.executable} {BOTS / 'acpc_bot.py'}")
    for partner in ("maniac", "shover", "folder", "random"):
        assert play_game((agent, make_agent(partner)), seed=1, hands=30, stack=20_000).faults == ()
    record = played(agent, hands=150, stack=20_000)
    assert record.faults == ()
    assert record.net[0] > 0


@needs("node")
def test_the_example_in_javascript(sandbox):
    plays_well(f"exec:node {BOTS / 'bot.js'}", sandbox)


@needs("cc")
def test_the_example_in_c(in_c, sandbox):
    plays_well(f"exec:{in_c}", sandbox)


@needs("rustc")
def test_a_bot_in_rust(tmp_path, sandbox):
    subprocess.run(["rustc", "-O", "-o", tmp_path / "bot", RUST], check=True, timeout=300)
    spec = ParticipantSpec(id="bot", type=f"exec:{tmp_path / 'bot'}", settings={"sandbox": sandbox})
    assert played(make_agent(spec), hands=20).faults == ()


@pytest.mark.slow
def test_the_example_over_http(server):
    plays_well(server)


@pytest.mark.parametrize("example", sorted(BOTS.iterdir()), ids=lambda path: path.name)
def test_an_example_can_be_read_on_one_screen_or_two(example):
    assert len(example.read_text("utf-8").splitlines()) < 80

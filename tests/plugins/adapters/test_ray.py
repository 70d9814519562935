"""Games on a Ray cluster: the same bytes, whatever happens to its workers. `make slow SUITE=ray` runs it."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.adapters.ray_cluster import Cluster
from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.llm import SAME, config_for, prepared, same_files
from tests.e2e.shell import bench, good_run, run_of
from tests.e2e.test_executors import CONFIG, artifacts
from tests.llm.mixing import mixing
from tests.play.test_worker_pool import played
from tests.play.worker_games import GAMES, failing, play_here, poisoned, setup

#: Seconds for a run that starts a cluster and boxes, on a machine that others use, too.
PATIENCE_S = 500

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def ray():
    return pytest.importorskip("ray", reason="Ray is not installed: make slow SUITE=ray installs it")


@pytest.fixture(scope="module")
def local(ray):
    """A cluster of this machine, which all tests share; workers find the tests where they are."""
    root = str(Path(__file__).parents[3])
    ray.init(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": root}})
    yield ray
    ray.shutdown()


def test_the_records_of_a_cluster_are_those_of_this_process(local):
    assert played(Cluster(setup)) == {spec: play_here(spec) for spec in GAMES}


def play_and_die(folder, spec):
    """Kill the worker the first time that every fifth game is played."""
    mark = Path(folder, str(spec.seed))
    if spec.seed % 5 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return play_here(spec)


def mortal(folder):
    return partial(play_and_die, folder)


def test_a_worker_of_the_cluster_that_is_killed_is_replaced_and_nothing_is_lost(local, tmp_path):
    assert played(Cluster(partial(mortal, str(tmp_path)))) == {spec: play_here(spec) for spec in GAMES}
    assert len(list(tmp_path.iterdir())) == 6


def test_a_game_that_kills_every_worker_is_named(local):
    with pytest.raises(MoltBenchError, match=r"workers died .* on seed .*\b17\b"):
        played(Cluster(poisoned))


def test_what_a_game_raises_is_one_line(local):
    with pytest.raises(MoltBenchError, match="a worker failed with ValueError: it does not work"):
        played(Cluster(failing))


def test_what_is_played_when_the_time_is_up_is_cancelled(local):
    found = {}
    Cluster(setup).play(GAMES, found.__setitem__, until=monotonic())
    assert found == {}


def test_a_run_on_a_cluster_of_its_own_gives_the_same_bytes(ray, tmp_path):
    ray.shutdown()
    participants = ("--participants", "tight,random,maniac")
    here = good_run(tmp_path / "here", *CONFIG, *participants, "--executor", "inline")
    there = good_run(tmp_path / "there", *CONFIG, *participants, "--executor", "ray")
    assert artifacts(here) == artifacts(there)


def test_a_run_with_a_model_gives_the_same_bytes_beside_a_cluster(ray, tmp_path, server):
    """The model's games are played here and those of bots there."""
    ray.shutdown()
    server.say = mixing
    config = config_for(server.url, reply="strategy") | {"game": {"handsPerGame": 20}}
    config["stop"]["budget"]["maxMatches"] = 4
    found = []
    for executor in ("inline", "ray"):
        flags = prepared(tmp_path / executor, config)
        done = bench(*flags, "--quiet", "--executor", executor, cwd=tmp_path / executor, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        found.append(same_files(run_of(tmp_path / executor / "out"), SAME))
    assert found[0] == found[1]


def test_a_cluster_that_is_elsewhere_is_found_by_its_address(ray, tmp_path):
    """A head node in processes of its own, as on another machine."""
    ray.shutdown()
    address = "127.0.0.1:26379"
    command = str(Path(sys.executable).with_name("ray"))
    start = [command, "start", "--head", "--port", "26379", "--num-cpus", "2", "--include-dashboard", "false"]
    subprocess.run(start, check=True, capture_output=True, env={**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1"})
    try:
        participants = ("--participants", "tight,random")
        here = good_run(tmp_path / "here", *CONFIG, *participants, "--executor", "inline")
        more = ("--executor", f"ray:{address}")
        assert artifacts(good_run(tmp_path / "there", *CONFIG, *participants, *more)) == artifacts(here)
    finally:
        ray.shutdown()
        subprocess.run([command, "stop", "--force"], check=False, capture_output=True)


@needs_bubblewrap
def test_python_code_in_a_sandbox_plays_on_the_cluster_with_the_same_bytes(ray, tmp_path):
    ray.shutdown()
    bots = ("--sandbox", "--participants", f"{_boxed_bot(tmp_path)}:make,tight")
    small = (*CONFIG, "--seeds", "2", "--max-matches", "2")
    here = good_run(tmp_path / "here", *small, *bots, "--executor", "inline", timeout=PATIENCE_S)
    there = good_run(tmp_path / "there", *small, *bots, "--executor", "ray", timeout=PATIENCE_S)
    assert artifacts(here) == artifacts(there)
    assert '"sandbox": "bubblewrap ' in (there / "journal.jsonl").read_text().replace('":"', '": "')


def _boxed_bot(folder):
    """Return a file of Python code that plays only in a sandbox."""
    path = folder / "bot.py"
    path.write_text(
        "import os\nfrom molt_bench import make_agent\n\n"
        "def make():\n"
        "    assert len([each for each in os.listdir('/proc') if each.isdigit()]) <= 3, 'not in a sandbox'\n"
        "    return make_agent('callstation')\n"
    )
    return path


def test_an_address_where_nothing_is_is_one_clear_line(ray, tmp_path):
    ray.shutdown()
    ended = bench("--executor", "ray:127.0.0.1:1", "--output-dir", tmp_path, timeout=200)
    assert ended.returncode == 1
    assert "executor = 'ray:127.0.0.1:1': expected the address of a running cluster" in ended.stderr
    assert not list(tmp_path.iterdir())

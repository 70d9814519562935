"""Where games run never changes a byte of what comes of them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from types import ModuleType

import psutil
import pytest

from molt_bench import run_benchmark
from molt_bench.agents.scripted import FolderAgent
from molt_bench.arena.worker_setup import WorkerSetup
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.play.worker_pool import WorkerPool
from molt_bench.specs import ParticipantSpec
from tests.e2e.same_bytes import compared
from tests.e2e.shell import (
    MOLT_BENCH,
    SEEDED,
    cut_back,
    first_lines,
    gone_on,
    good,
    quick,
    quick_run,
    run_of,
    until,
    verified,
)
from tests.play.test_worker_pool import running

CONFIG = ("--seeds", "4", "--hands", "10", "--max-matches", "4", *SEEDED)
BOTS = ("--participants", "tight,random,maniac")
PROCESSES = ("processes", "--workers", "2")


def artifacts(folder):
    """Return all that has to be the same of a run's files, except that its config names the folder."""
    found = compared(folder)
    config = json.loads(found.pop("config.json"))
    return found | {"config.json": config | {"outputDir": None}}


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    out = tmp_path_factory.mktemp("inline") / "out"
    return artifacts(quick_run(out, *CONFIG, *BOTS, "--executor", "inline"))


@pytest.mark.parametrize("executor", [("async", "--games-at-once", "3"), PROCESSES], ids=" ".join)
def test_the_same_bytes_from_every_executor(tmp_path, inline, executor):
    assert artifacts(quick_run(tmp_path / "out", *CONFIG, *BOTS, "--executor", *executor)) == inline


@pytest.mark.slow
def test_an_agent_of_ones_own_plays_in_workers(tmp_path, bots):
    found = [
        artifacts(quick_run(tmp_path / name[0] / "out", *CONFIG, "--participants", f"{bots}:make_caller,random", *more))
        for name in (("inline",), PROCESSES)
        for more in [("--executor", *name)]
    ]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_run_begun_by_a_worker_is_finished_inline(tmp_path, inline):
    """And the journal of workers is one that is played again identically."""
    folder = quick_run(tmp_path / "out", *CONFIG, *BOTS, "--executor", "processes", "--workers", "1")
    lines = Path(folder, "journal.jsonl").read_bytes().count(b"\n")
    cut_back(folder, first_lines(lines // 2))
    assert artifacts(gone_on(folder, "--executor", "inline")) == inline
    verified(folder)


def started(home, matches, *, session=False):
    """Start a long run on two workers; return it once games are finished, and the workers."""
    flags = ["--participants", "tight,random,folder", "--seeds", "20", "--hands", "40", "--max-matches", str(matches)]
    more = ["--set", "stop.adjacentConfidence=null", "--output-dir", str(home), "--quiet", "--executor", *PROCESSES]
    run = subprocess.Popen(
        [MOLT_BENCH, *flags, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=session,
        # Under `nohup` the tests ignore SIGHUP, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    until(lambda: any(journal.read_bytes().count(b"\n") > 20 for journal in home.glob("*/journal.jsonl")))
    assert run.poll() is None, run.communicate()
    return run, workers_of(run)


def workers_of(run):
    return [each.pid for each in psutil.Process(run.pid).children() if each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.skipif(not Path("/proc").exists(), reason="the process table is read from /proc")
@pytest.mark.slow
class TestKilled:
    def test_a_worker_that_is_killed_ends_the_run_with_a_line_and_resuming_changes_nothing(self, tmp_path):
        run, workers = started(tmp_path / "killed", 4)
        os.kill(workers[0], signal.SIGKILL)
        _, errors = run.communicate(timeout=120)
        assert run.returncode == 1
        assert b"a worker process ended by signal 9 while it played" in errors
        assert b"Traceback" not in errors
        folder = gone_on(run_of(tmp_path / "killed"))
        whole, _ = started(tmp_path / "whole", 4)
        assert whole.communicate(timeout=120)[1] == b""
        assert artifacts(folder) == artifacts(run_of(tmp_path / "whole"))

    def test_a_job_that_is_stopped_as_a_whole_goes_on_with_the_same_workers(self, tmp_path):
        """As by Ctrl-Z and `fg`."""
        run, workers = started(tmp_path / "out", 12, session=True)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            os.killpg(run.pid, number)
            sleep(0.5)
        assert workers_of(run) == workers
        _, errors = run.communicate(timeout=120)
        assert (run.returncode, errors) == (0, b"")

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_an_interruption_leaves_no_worker_and_a_run_that_goes_on(self, tmp_path, how):
        run, workers = started(tmp_path / "out", 50)
        assert len(workers) == 2
        run.send_signal(how)
        _, errors = run.communicate(timeout=60)
        assert run.returncode == 130
        assert b"molt-bench resume" in errors
        assert b"Traceback" not in errors
        assert not any(map(running, workers))


CHATTY = """
from molt_bench import Action

class Chatty:
    name = "chatty"

    def act(self, observation):
        print("hello there")
        return Action("fold")
"""


@pytest.mark.parametrize("executor", [("inline",), pytest.param(PROCESSES, marks=pytest.mark.slow)], ids=" ".join)
def test_what_agents_print_is_not_in_the_one_object(tmp_path, executor):
    (tmp_path / "chatty.py").write_text(CHATTY)
    more = ("--participants", f"{tmp_path}/chatty.py:Chatty,tight", "--executor", *executor, "--json")
    done = good(quick(*CONFIG, *more, "--output-dir", tmp_path / "out"))
    assert "chatty" in json.dumps(json.loads(done.stdout))
    assert "hello there" in done.stderr


def test_workers_with_another_version_or_other_code_of_an_agent_are_told_apart(bots):
    setup = WorkerSetup.of((ParticipantSpec(id="mine", type=f"{bots}:make_caller"),))
    with pytest.raises(MoltBenchError, match=r"has \S+ molt-bench, and the run was started with 9\.9"):
        WorkerSetup(setup.participants, {**setup.versions, "molt-bench": "9.9"})()
    bots.write_text(bots.read_text() + "\n# changed\n")
    with pytest.raises(MoltBenchError, match="code of 'mine'"):
        setup()


class TestAuto:
    """Workers are the default for runs that go on for a while."""

    @pytest.fixture(autouse=True)
    def _at_once(self, monkeypatch):
        monkeypatch.setattr("molt_bench.arena.executors._WORTH_WORKERS_S", -1.0)
        monkeypatch.setattr("molt_bench.arena.executors.cores", lambda: 2)

    def config(self, kind):
        participants = [{"id": "mine", "type": kind}, {"id": "tight", "type": "tight"}]
        stop = {"budget": {"maxMatches": 2}}
        return {"participants": participants, "seeds": {"perMatch": 2}, "game": {"handsPerGame": 5}, "stop": stop}

    def test_games_go_to_workers(self, monkeypatch):
        pools = []
        monkeypatch.setattr(WorkerPool, "close", lambda pool, close=WorkerPool.close: (pools.append(pool), close(pool)))
        run_benchmark(self.config("random"))
        assert len(pools) == 1

    @pytest.mark.slow
    def test_an_agent_that_workers_cannot_make_ends_the_run_with_one_line(self, monkeypatch):
        module = ModuleType("only_here")
        module.make = FolderAgent
        monkeypatch.setitem(sys.modules, "only_here", module)
        with pytest.raises(MoltBenchError, match="only_here"):
            run_benchmark(self.config("only_here:make"))

    def test_agents_that_are_objects_play_here_and_nowhere_else(self):
        mine = self.config("mine"), {"agents": {"mine": FolderAgent}}
        assert len(run_benchmark(mine[0], **mine[1]).matches) == 2
        with pytest.raises(ConfigError, match="inline or async, since 'mine'"):
            run_benchmark(mine[0], **mine[1], executor="processes")
        with pytest.raises(ConfigError, match="executor = 'threads'"):
            run_benchmark(executor="threads")

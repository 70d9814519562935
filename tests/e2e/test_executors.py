"""Where games run never changes a byte of what comes of them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType

import pytest

from molt_bench import run_benchmark
from molt_bench.agents.scripted import FolderAgent
from molt_bench.arena.worker_setup import WorkerSetup
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.play.worker_pool import WorkerPool
from molt_bench.specs import ParticipantSpec
from tests.e2e.same_bytes import compared
from tests.e2e.shell import MOLT_BENCH, SEEDED, cut_back, first_lines, quick, quick_run
from tests.play.test_worker_pool import running

CONFIG = ("--seeds", "4", "--hands", "10", "--max-matches", "4", "--set", "scheduler.matchesPerRound=2", *SEEDED)
EXECUTORS = (
    ("async",),
    ("async", "--games-at-once", "3"),
    ("processes", "--workers", "2"),
    ("auto",),
)


def artifacts(folder):
    """Return all that has to be the same of a run's files, except that its config names the folder."""
    found = compared(folder)
    config = json.loads(found.pop("config.json"))
    return found | {"config.json": config | {"outputDir": None}}


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    out = tmp_path_factory.mktemp("inline") / "out"
    return artifacts(quick_run(out, *CONFIG, "--participants", "tight,random,maniac", "--executor", "inline"))


@pytest.mark.parametrize("executor", EXECUTORS, ids=" ".join)
def test_the_same_bytes_from_every_executor(tmp_path, inline, executor):
    folder = quick_run(tmp_path / "out", *CONFIG, "--participants", "tight,random,maniac", "--executor", *executor)
    assert artifacts(folder) == inline


@pytest.mark.slow
def test_an_agent_of_ones_own_plays_in_workers(tmp_path, bots):
    found = [
        artifacts(quick_run(tmp_path / name / "out", *CONFIG, "--participants", f"{bots}:make_caller,random", *more))
        for name, more in (("one", ("--executor", "inline")), ("two", ("--executor", "processes", "--workers", "2")))
    ]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_run_begun_by_a_worker_is_finished_inline(tmp_path, inline):
    """And the journal of workers is one that is played again identically."""
    apart = ("--executor", "processes", "--workers", "1")
    folder = quick_run(tmp_path / "out", *CONFIG, "--participants", "tight,random,maniac", *apart)
    lines = Path(folder, "journal.jsonl").read_bytes().count(b"\n")
    cut_back(folder, first_lines(lines // 2))
    done = quick("resume", "--run-agents", folder, "--executor", "inline", "--quiet")
    assert done.returncode == 0, done.stderr
    assert artifacts(folder) == inline
    assert quick("verify", folder).returncode == 0


def workers_of(pid):
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def started(tmp_path, *more, session=False):
    """Start a long run on two workers, and return it once games are finished."""
    command = [MOLT_BENCH, "--participants", "tight,random,folder", "--seeds", "20", "--hands", "40", "--quiet"]
    command += ["--set", "stop.adjacentConfidence=null", "--output-dir", str(tmp_path / "out")]
    run = subprocess.Popen(
        [*command, "--executor", "processes", "--workers", "2", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=session,
        # Under `nohup` the tests ignore SIGHUP, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    deadline = monotonic() + 60
    while not any(journal.read_bytes().count(b"\n") > 20 for journal in tmp_path.glob("out/*/journal.jsonl")):
        assert monotonic() < deadline
        assert run.poll() is None, run.communicate()
        sleep(0.02)
    return run


@pytest.mark.skipif(not Path("/proc").exists(), reason="the process table is read from /proc")
@pytest.mark.slow
class TestKilled:
    def test_a_worker_that_is_killed_ends_the_run_with_a_line_and_resuming_changes_nothing(self, tmp_path):
        run = started(tmp_path / "killed", "--max-matches", "4")
        os.kill(workers_of(run.pid)[0], signal.SIGKILL)
        _, errors = run.communicate(timeout=120)
        assert run.returncode == 1
        assert b"a worker process ended by signal 9 while it played" in errors
        assert b"Traceback" not in errors
        (folder,) = (tmp_path / "killed" / "out").iterdir()
        assert quick("resume", folder).returncode == 0
        whole = started(tmp_path / "whole", "--max-matches", "4")
        assert whole.communicate(timeout=120)[1] == b""
        folders = [folder, next((tmp_path / "whole" / "out").iterdir())]
        assert artifacts(folders[0]) == artifacts(folders[1])

    def test_a_job_that_is_stopped_as_a_whole_goes_on_with_the_same_workers(self, tmp_path):
        """As by Ctrl-Z and `fg`."""
        run = started(tmp_path, "--max-matches", "12", session=True)
        workers = workers_of(run.pid)
        os.killpg(run.pid, signal.SIGSTOP)
        sleep(0.5)
        os.killpg(run.pid, signal.SIGCONT)
        sleep(0.5)
        assert workers_of(run.pid) == workers
        _, errors = run.communicate(timeout=120)
        assert (run.returncode, errors) == (0, b"")

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_an_interruption_leaves_no_worker_and_a_run_that_goes_on(self, tmp_path, how):
        run = started(tmp_path, "--max-matches", "50")
        pids = workers_of(run.pid)
        assert len(pids) == 2
        run.send_signal(how)
        _, errors = run.communicate(timeout=60)
        assert run.returncode == 130
        assert b"molt-bench resume" in errors
        assert b"Traceback" not in errors
        assert not any(running(pid) for pid in pids)


CHATTY = """
from molt_bench import Action

class Chatty:
    name = "chatty"

    def act(self, observation):
        print("hello there")
        return Action("fold")
"""


@pytest.mark.parametrize("executor", [("inline",), ("processes", "--workers", "1")], ids=" ".join)
def test_what_agents_print_is_not_in_the_one_object(tmp_path, executor):
    (tmp_path / "chatty.py").write_text(CHATTY)
    more = ("--participants", f"{tmp_path}/chatty.py:Chatty,tight", "--executor", *executor, "--json")
    ended = quick(*CONFIG, *more, "--output-dir", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    assert "chatty" in json.dumps(json.loads(ended.stdout))
    assert "hello there" in ended.stderr


class TestRefused:
    def test_workers_with_another_version_are_told_apart(self):
        setup = WorkerSetup.of((ParticipantSpec(id="tight", type="tight"),))
        other = WorkerSetup(setup.participants, {**setup.versions, "molt-bench": "9.9"})
        with pytest.raises(MoltBenchError, match=r"has \S+ molt-bench, and the run was started with 9\.9"):
            other()

    def test_workers_with_other_code_of_an_agent_are_told_apart(self, bots):
        setup = WorkerSetup.of((ParticipantSpec(id="mine", type=f"{bots}:make_caller"),))
        bots.write_text(bots.read_text() + "\n# changed\n")
        with pytest.raises(MoltBenchError, match="code of 'mine'"):
            setup()

    def test_agents_that_are_objects_stay_in_this_process(self):
        config = {"participants": [{"id": "mine", "type": "mine"}, {"id": "tight", "type": "tight"}]}
        with pytest.raises(ConfigError, match="inline or async, since 'mine'"):
            run_benchmark(config, agents={"mine": FolderAgent}, executor="processes")

    def test_an_unknown_executor_is_named(self):
        with pytest.raises(ConfigError, match="executor = 'threads'"):
            run_benchmark(executor="threads")

    @pytest.mark.parametrize(
        ("flags", "said"),
        [
            (("--workers", "2", "--executor", "inline"), "workers = 2: expected none, since inline has no processes"),
        ],
    )
    def test_flags_that_would_do_nothing_are_refused(self, tmp_path, flags, said):
        ended = quick(*flags, "--output-dir", tmp_path)
        assert ended.returncode == 1
        assert said in ended.stderr
        assert not list(tmp_path.iterdir())

    def test_an_executor_that_is_not_there_is_a_usage_error(self):
        assert quick("--executor", "threads").returncode == 2


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
    def test_an_agent_that_workers_cannot_make_plays_here(self, monkeypatch):
        module = ModuleType("only_here")
        module.make = FolderAgent
        monkeypatch.setitem(sys.modules, "only_here", module)
        found = run_benchmark(self.config("only_here:make"))
        assert len(found.matches) == 2
        with pytest.raises(MoltBenchError, match="only_here"):
            run_benchmark(self.config("only_here:make"), executor="processes")

    def test_agents_that_are_objects_play_here(self):
        assert len(run_benchmark(self.config("mine"), agents={"mine": FolderAgent}).matches) == 2

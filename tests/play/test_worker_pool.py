"""Worker processes: the same games, whatever happens to those who play them."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest

import molt_bench
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.play.worker_pool import WorkerPool, WorkersError
from molt_bench.specs import GameSpec
from tests.play.worker_games import (
    GAMES,
    dying,
    failing,
    failing_with_ours,
    forking,
    leave_a_mark,
    meeting,
    play_here,
    poisoned,
    quick_batches,
    setup,
)


def played(pool, games=GAMES):
    """Play games and return what came of each; a game that is reported twice fails."""
    found = {}

    def done(spec, result):
        assert spec not in found
        found[spec] = result

    try:
        pool.play(games, done)
    finally:
        pool.close()
    return found


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_workers_give_the_records_that_this_process_gives(workers):
    assert played(WorkerPool(setup, workers)) == {spec: play_here(spec) for spec in GAMES}


def test_a_worker_that_is_killed_ends_the_play_and_what_came_before_is_kept():
    pool, found = WorkerPool(setup, 2), {}

    def done(spec, result):
        found[spec] = result
        for worker in pool._workers if len(found) == 3 else ():
            if worker.ready:
                os.kill(worker.process.pid, signal.SIGKILL)

    try:
        with pytest.raises(WorkersError, match=r"a worker process ended by signal 9 while it played 'tight' against"):
            pool.play(GAMES, done)
    finally:
        pool.close()
    assert found == {spec: play_here(spec) for spec in found}


def test_a_game_that_kills_its_worker_is_named():
    with pytest.raises(WorkersError, match=r"exit status 3 while it played 'tight' against 'random' on seed \d+"):
        played(WorkerPool(poisoned, 1))


def test_what_a_game_raises_is_one_line():
    with pytest.raises(MoltBenchError, match="a worker failed with ValueError: it does not work"):
        played(WorkerPool(failing, 1))


def test_a_worker_that_cannot_get_ready_says_why():
    with pytest.raises(WorkersError, match="field = 3: expected 4"):
        played(WorkerPool(failing_with_ours, 1))


def test_a_worker_that_dies_before_it_is_ready_is_no_endless_loop():
    with pytest.raises(WorkersError, match=r"do not start \(exit status 4\): --executor inline"):
        played(WorkerPool(dying, 1))


def test_closing_leaves_no_process():
    pool = WorkerPool(setup, 2)
    processes = []
    pool.play(GAMES, lambda spec, record: processes.extend(worker.process for worker in pool._workers))
    pool.close()
    assert processes
    assert all(process.poll() is not None for process in processes)


def test_workers_end_when_the_one_who_started_them_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "from molt_bench.play.worker_pool import WorkerPool\n"
        "from tests.play.worker_games import GAMES, setup\n"
        "pool = WorkerPool(setup, 2)\n"
        "def done(spec, record):\n"
        "    print(*[worker.process.pid for worker in pool._workers], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "pool.play(GAMES, done)\n"
    )
    # These tests, and the package that they test: another one may be installed.
    path = os.pathsep.join(str(Path(file).parents[up]) for file, up in ((__file__, 2), (molt_bench.__file__, 1)))
    ended = subprocess.run(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    pids = [int(pid) for pid in ended.stdout.split()]
    assert len(pids) == 2
    deadline = monotonic() + 30
    while any(running(pid) for pid in pids):
        assert monotonic() < deadline
        sleep(0.05)


def running(pid):
    """Say whether a process runs; a dead one that nobody has looked after does not."""
    try:
        os.kill(pid, 0)
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc").exists()
    except ProcessLookupError:
        return False


def test_workers_play_at_the_same_time(tmp_path):
    found = played(WorkerPool(partial(meeting, str(tmp_path)), 2))
    assert len({*found.values()}) == 2


def test_batches_larger_than_the_line_holds_do_not_stop_it():
    """The one side sends while the other does: neither may wait for the other to read."""
    games = [GameSpec(seed=f"{number:04}" * 400, hands=1, players=("folder", "folder")) for number in range(3000)]
    assert len(played(WorkerPool(quick_batches, 1), games)) == 3000


def test_the_end_of_a_worker_is_seen_although_a_fork_of_it_lives_on():
    with pytest.raises(WorkersError, match=r"exit status 1 while it played"):
        played(WorkerPool(forking, 2), GAMES[:8])


def test_a_working_folder_that_is_gone_is_no_obstacle(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert len(played(WorkerPool(quick_batches, 1), GAMES[:2])) == 2


def test_workers_end_in_an_orderly_way(tmp_path):
    """So that what agents hold is let go of."""
    played(WorkerPool(partial(leave_a_mark, str(tmp_path / "mark")), 1), GAMES[:2])
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("workers", [0, -1])
def test_there_is_at_least_one_worker(workers):
    with pytest.raises(ConfigError, match=r"workers = .*at least 1"):
        WorkerPool(setup, workers)

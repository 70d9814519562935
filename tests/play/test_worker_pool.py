"""Worker processes: the same games, whatever happens to those who play them."""

import os
import pickle
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest

import molt_bench
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.play.worker_pool import MOST_DEATHS, Chunks, WorkerPool, WorkersError, received, sent
from molt_bench.specs import GameSpec
from tests.cases import one_in
from tests.play.worker_games import (
    GAMES,
    dying,
    failing,
    failing_with_ours,
    forking,
    forking_once,
    leave_a_mark,
    meeting,
    mortal,
    play_here,
    playing_together,
    poisoned,
    quick_batches,
    setup,
    stopping,
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


@pytest.fixture
def few_deaths(monkeypatch):
    """Have a game that two workers died over be given up: each takes its time to start."""
    monkeypatch.setattr("molt_bench.play.worker_pool.MOST_DEATHS", 1)


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_workers_give_the_records_that_this_process_gives(workers):
    assert played(WorkerPool(setup, workers)) == {spec: play_here(spec) for spec in GAMES}


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_nothing_is_lost_or_taken_twice(tmp_path):
    assert played(WorkerPool(partial(mortal, str(tmp_path)), 2)) == {spec: play_here(spec) for spec in GAMES}
    assert len(list(tmp_path.iterdir())) == 6


def test_workers_killed_from_outside_are_replaced():
    pool = WorkerPool(setup, 2)
    found = {}

    def done(spec, result):
        assert spec not in found
        found[spec] = result
        if len(found) == 3:
            for worker in pool._workers:
                os.kill(worker.process.pid, signal.SIGKILL)

    try:
        pool.play(GAMES, done)
    finally:
        pool.close()
    assert found == {spec: play_here(spec) for spec in GAMES}


@pytest.mark.usefixtures("few_deaths")
def test_a_game_that_kills_every_worker_is_named():
    with pytest.raises(MoltBenchError, match=r"2 workers died .*'tight' against 'random' on seed 17"):
        played(WorkerPool(poisoned, 1))


def test_what_a_game_raises_is_one_line():
    with pytest.raises(MoltBenchError, match="a worker failed with ValueError: it does not work"):
        played(WorkerPool(failing, 1))


def test_a_worker_that_cannot_get_ready_says_why():
    with pytest.raises(WorkersError, match="field = 3: expected 4"):
        played(WorkerPool(failing_with_ours, 1))


@pytest.mark.usefixtures("few_deaths")
def test_a_worker_that_dies_before_it_is_ready_is_no_endless_loop():
    with pytest.raises(MoltBenchError, match=r"do not start \(exit status 4\): --executor inline"):
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


class TestChunks:
    def test_every_game_is_in_one_batch_and_in_order(self):
        chunks = Chunks(GAMES, workers=2, seconds=1.0)
        taken = []
        while chunks:
            chunk = chunks.take()
            chunks.learn(chunk, 0.02 * len(chunk))
            taken += chunk
        assert taken == GAMES

    def test_batches_fill_their_time_and_get_smaller_at_the_end(self):
        games = [GameSpec(seed=seed, hands=10) for seed in range(1000)]
        chunks = Chunks(games, workers=2, seconds=0.1)
        first = chunks.take()
        assert len(first) == 1
        chunks.learn(first, 0.001)
        sizes = []
        while chunks:
            sizes.append(len(chunks.take()))
        assert sizes[0] == 100
        assert sizes[-1] == 1

    def test_hands_that_do_not_count_take_time_as_well(self):
        games = [GameSpec(seed=seed, hands=2, warmup_hands=98) for seed in range(1000)]
        chunks = Chunks(games, workers=2, seconds=0.1)
        chunks.learn(chunks.take(), 0.05)
        assert len(chunks.take()) == 2

    def test_games_that_were_put_back_are_played_alone(self):
        chunks = Chunks(GAMES, workers=1, seconds=100.0)
        chunks.learn([chunks.take()[0]], 0.001)
        lost = chunks.take()
        assert len(lost) > 1
        chunks.put_back(lost)
        assert [chunks.take() for _ in lost] == [[spec] for spec in lost]

    def test_deaths_are_counted_by_game(self):
        chunks = Chunks(GAMES[:1], workers=1, seconds=1.0)
        for _ in range(MOST_DEATHS):
            chunks.put_back(chunks.take())
        with pytest.raises(MoltBenchError, match="workers died"):
            chunks.put_back(chunks.take())


def test_workers_play_at_the_same_time(tmp_path):
    found = played(WorkerPool(partial(meeting, str(tmp_path)), 2))
    assert len({*found.values()}) == 2


def test_batches_larger_than_the_line_holds_do_not_stop_it():
    """The one side sends while the other does: neither may wait for the other to read."""
    games = [GameSpec(seed=f"{number:04}" * 400, hands=1, players=("folder", "folder")) for number in range(3000)]
    assert len(played(WorkerPool(quick_batches, 1), games)) == 3000


@pytest.mark.slow
def test_the_end_of_a_worker_is_seen_although_a_fork_of_it_lives_on():
    with pytest.raises(MoltBenchError, match=r"workers died .*on seed 3"):
        played(WorkerPool(forking, 1), GAMES[:5])


@pytest.mark.slow
def test_the_end_of_a_worker_is_seen_although_the_other_keeps_answering(tmp_path):
    order = []
    pool = WorkerPool(partial(forking_once, str(tmp_path)), 2)
    try:
        pool.play(GAMES, lambda spec, seed: order.append(seed))
    finally:
        pool.close()
    assert sorted(order) == [*range(30)]
    assert order.index(0) < 20  # not only when the other has nothing left to do


class TestStopped:
    """A worker that stands still is replaced; nothing comes of it but a warning."""

    @pytest.fixture(autouse=True)
    def _often(self, monkeypatch):
        monkeypatch.setattr("molt_bench.play.worker_pool._LOOK_S", 0.1)

    @pytest.mark.parametrize("number", one_in(2, [1, 2]))
    def test_it_is_replaced_and_nothing_is_lost_or_taken_twice(self, tmp_path, number):
        told, stopped, found = [], [], {}
        pool = WorkerPool(partial(playing_together, str(tmp_path)), 2, warn=told.append)

        def done(spec, result):
            assert spec not in found
            found[spec] = result
            busy = [worker for worker in pool._workers if worker.chunks]
            if not stopped and len(busy) >= number:
                for worker in busy[:number]:
                    os.kill(worker.process.pid, signal.SIGSTOP)
                    stopped.append(worker.process.pid)

        try:
            pool.play(GAMES, done)
        finally:
            pool.close()
        assert found == {spec: play_here(spec) for spec in GAMES}
        assert len(stopped) == number
        assert not any(running(pid) for pid in stopped)
        assert len(told) == 1
        assert "stopped" in told[0]

    @pytest.mark.usefixtures("few_deaths")
    def test_it_is_not_held_against_the_game(self, tmp_path):
        """A game over which as many workers died would end the run."""
        games = GAMES[:2]
        assert played(WorkerPool(partial(stopping, str(tmp_path), 2), 1), games) == {spec: spec.seed for spec in games}

    def test_a_game_that_stops_every_worker_is_named(self, tmp_path, monkeypatch):
        monkeypatch.setattr("molt_bench.play.worker_pool.MOST_STOPS", 1)
        with pytest.raises(MoltBenchError, match=r"2 workers were stopped .*'random' on seed 1"):
            played(WorkerPool(partial(stopping, str(tmp_path), 1000), 1), GAMES[:2])

    def test_one_that_goes_on_at_once_is_left_alone(self, monkeypatch):
        monkeypatch.setattr("molt_bench.play.worker_pool._LOOK_S", 0.5)
        told, pids = [], set()
        pool = WorkerPool(setup, 1, warn=told.append)

        def done(spec, result):
            pids.update(worker.process.pid for worker in pool._workers)
            for pid in pids if spec.seed % 10 == 0 else ():
                os.kill(pid, signal.SIGSTOP)
                sleep(0.05)
                os.kill(pid, signal.SIGCONT)

        try:
            pool.play(GAMES, done)
        finally:
            pool.close()
        assert (len(pids), told) == (1, [])

    def test_a_stopped_worker_that_is_being_sent_to_does_not_hold_us_up(self):
        """Its line is full, and nobody reads there."""
        games = [GameSpec(seed=f"{number:04}" * 40_000, hands=1, players=("folder", "folder")) for number in range(12)]
        pool = WorkerPool(quick_batches, 1)
        stopped = []

        def done(spec, result):
            if not stopped:
                stopped.append(pool._workers[0].process.pid)
                os.kill(stopped[0], signal.SIGSTOP)

        try:
            pool.play(games, done)
        finally:
            pool.close()
        assert stopped
        assert not running(stopped[0])


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


def test_specs_arrive_as_they_were_sent_in_fewer_bytes():
    specs = [
        GameSpec(seed=2**300, hands=3),
        GameSpec(seed="s", hands=5, players=("x", "y"), seating="BA", ante=7, deck_seed="own", raise_cap=4),
    ]
    told = pickle.dumps(sent(specs))
    assert received(pickle.loads(told)) == specs
    assert len(told) < 0.7 * len(pickle.dumps(specs))

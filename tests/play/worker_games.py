"""Games for worker processes, some of which end badly; workers load this file, and nothing that only tests need."""

import atexit
import os
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from molt_bench import make_agent
from molt_bench.errors import ConfigError
from molt_bench.play.play_games import drive
from molt_bench.specs import GameSpec

GAMES = [GameSpec(seed=seed, hands=20, players=("tight", "random")) for seed in range(30)]


def play_here(spec):
    first, second = spec.players
    return drive(spec, (make_agent(first), make_agent(second)))


def setup():
    return play_here


def play_or_die(spec):
    if spec.seed == 17:
        os._exit(3)
    return spec.seed


def poisoned():
    return play_or_die


def play_and_fail(spec):
    raise ValueError("it does not work")


def failing():
    return play_and_fail


def failing_with_ours():
    raise ConfigError("field", 3, "4")


def dying():
    os._exit(4)


def meet(folder, spec):
    """Wait until another worker is there as well."""
    Path(folder, str(os.getpid())).touch()
    deadline = monotonic() + 30
    while len(list(Path(folder).iterdir())) < 2:
        assert monotonic() < deadline
        sleep(0.01)
    return os.getpid()


def meeting(folder):
    return partial(meet, folder)


def echo(spec):
    return spec.seed


def quick_batches():
    return echo


def fork_and_die(spec):
    """Leave a process behind that holds the line open."""
    if spec.seed == 3 and not os.fork():
        os.execvp("sleep", ["sleep", "15"])
    if spec.seed == 3:
        os._exit(1)
    return spec.seed


def forking():
    return fork_and_die


def leave_a_mark(path):
    atexit.register(Path(path).touch)
    return echo

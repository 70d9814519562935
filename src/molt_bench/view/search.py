"""Search in what the models of a run said: reasoning and replies, by a plain text or a regular expression."""

import os
import subprocess
import sys
from threading import BoundedSemaphore
from typing import Any, Final

import msgspec

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.folder import REPLIES
from molt_bench.view.open_run import OpenRun
from molt_bench.view.search_worker import Result, Task

#: Seconds that a search may take.
LIMIT_S: Final = 20.0
#: Longest text to look for.
LONGEST: Final = 500
#: Searches at once.
_AT_ONCE: Final = BoundedSemaphore(2)
_running: Final[set[subprocess.Popen[bytes]]] = set()
_WORKER: Final = [sys.executable, "-P", "-c", "from molt_bench.view.search_worker import main; main()"]


def search_task(run: OpenRun, query: str, *, regex: bool, skip: int = 0) -> Task:
    """Return what to look for in a run. Games whose cards are secret are left out, as is what goes on.

    Raises:
        ConfigError: The text is empty or too long.
    """
    if not 1 <= len(query) <= LONGEST:
        raise ConfigError("q", f"{len(query)} characters", f"a text of 1 to {LONGEST} characters")
    games = [place for place, game in run.games.items() if not run.hidden(game)]
    return Task(str(run.folder / REPLIES), run.replies_size, query, regex, list(games), skip)


def searched(task: Task, *, limit_s: float = LIMIT_S) -> Result:
    """Look for it, in a process that is ended when its time is up."""
    if not task.size:
        return Result()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with _AT_ONCE, subprocess.Popen(_WORKER, env=env, **pipes) as worker:  # type: ignore[call-overload]
        _running.add(worker)
        try:
            found, _ = worker.communicate(msgspec.json.encode(task), timeout=limit_s)
        except subprocess.TimeoutExpired:
            worker.kill()
            way = "make the expression simpler" if task.regex else "look for a longer text"
            return Result(problem=f"the search was stopped after {limit_s:g} s, before it had seen every reply: {way}")
        finally:
            _running.discard(worker)
    if worker.returncode:
        raise MoltBenchError(f"{task.path} cannot be searched; molt-bench verify says whether it is damaged")
    return msgspec.json.decode(found, type=Result)


def end_searches() -> None:
    """End all searches: the program ends, and nobody waits for them any more."""
    for worker in [*_running]:
        worker.kill()


def search_data(run: OpenRun, task: Task, found: Result) -> dict[str, Any]:
    """Return what was found, for the pages: every hand with a hit as columns, and some of the hits with their texts."""
    seeds: dict[tuple[int, int | str], int] = {}
    for match in {place[0] for place in found.places}:
        seeds |= {(match, seed): at for at, seed in enumerate(run.seeds_of(match))}
    places = [(match, seeds[match, seed], hand, seating) for match, seed, seating, hand in found.places]
    games = {*task.games}
    columns = zip(*places, strict=True) if places else ([], [], [], [])
    return {
        "query": task.query,
        "regex": task.regex,
        "problem": found.problem,
        "searched": sum([len(said) for place, said in run.exchanges.items() if place[:3] in games]),
        "total": found.total,
        "skip": task.skip,
        "hands": dict(zip(("match", "seed", "hand", "seating"), map(list, columns), strict=True)),
        "hits": [{**msgspec.to_builtins(hit), "seed": seeds[hit.match, hit.seed]} for hit in found.hits],
    }


def said_in(page: dict[str, Any]) -> list[list[Any]]:
    """Return what was said in a hand, a row for each attempt at a decision: a site without a server searches in it."""
    place = [page["match"], page["seedIndex"], page["hand"]]
    return [
        [*place, side["seating"], at, said["attempt"], decision["agent"], said["reasoning"], said["reply"]]
        for side in page["sides"]
        for at, decision in enumerate(side["decisions"])
        for said in (decision["exchange"] or {"attempts": ()})["attempts"]
    ]

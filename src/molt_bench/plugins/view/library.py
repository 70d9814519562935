"""The runs of a folder: the list and the history from their summaries, and one run after another to look at.

The list and the history read `summary.json` and `leaderboard.json`, and of the journal the first line: they take as
long whatever was played.
"""

import os
from collections import OrderedDict, defaultdict
from contextlib import suppress
from itertools import pairwise
from math import hypot
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.pages import started
from molt_bench.report.artifacts import ARTIFACTS
from molt_bench.runs.run import Glance, glance

_JOURNAL: Final = "journal.jsonl"
_SUMMARY: Final = "summary.json"
_LEADERBOARD: Final = "leaderboard.json"
#: How many runs are kept open with all their hands.
_KEPT_OPEN: Final = 4
#: Differences up to this do not matter, in bb/100.
_MATTERS_BB100: Final = 25.0


class _Participant(msgspec.Struct, rename="camel"):
    id: str
    display_name: str | None
    anchor: bool


class _Scheduler(msgspec.Struct):
    reference: str | None


class _Stop(msgspec.Struct, rename="camel"):
    adjacent_confidence: dict[str, Any] | None


class _Config(msgspec.Struct):
    """What is shown of a config, or compared."""

    participants: list[_Participant]
    scheduler: _Scheduler
    stop: _Stop
    game: dict[str, Any]


class _Usage(msgspec.Struct, rename="camel"):
    cost_usd: float | None


class _Agent(msgspec.Struct, rename="camel"):
    """What is shown of a row of `leaderboard.json`."""

    id: str
    name: str
    mu: float
    sigma: float
    bb_per_100: float | None
    bb_per_100_half_width: float | None
    rank_range: tuple[int, int] | None
    usage: _Usage | None = None


class _Leaderboard(msgspec.Struct):
    estimator: str
    participants: list[_Agent]


class _Totals(msgspec.Struct):
    matches: int
    games: int
    hands: int


class _Summary(msgspec.Struct, rename="camel"):
    """What is shown of `summary.json`."""

    headline: str | None
    stop_reason: str
    ending: dict[str, Any] | None
    totals: _Totals
    errors: dict[str, dict[str, int]]


class Results(msgspec.Struct):
    """What a run has written of its results; nothing before it has ended or was interrupted."""

    run: str
    look: Glance
    config: _Config
    summary: _Summary | None = None
    leaderboard: _Leaderboard | None = None

    @property
    def status(self) -> str:
        """Whether it is being played, has ended, or was cut off."""
        if self.look.going:
            return "running"
        return "finished" if self.summary is not None and self.summary.ending is not None else "interrupted"

    @property
    def secret(self) -> bool:
        """Whether live agents play in it, and it has not ended."""
        return self.status != "finished" and self.look.has_guests

    def identity(self, agent: str) -> tuple[dict[str, Any], str | None]:
        """Return what has to be the same of an agent for it to be the same one in two runs."""
        plain = next(each for each in self.look.header.config["participants"] if each["id"] == agent)
        own = {key: value for key, value in plain.items() if key not in ("id", "displayName")}
        return own, self.look.header.source_hashes.get(agent)

    def opponents(self, agent: str) -> list[str]:
        """Return who counts for the result of an agent."""
        reference = self.config.scheduler.reference
        field = [reference] if reference else [each.id for each in self.config.participants if not each.anchor]
        return [each for each in field if each != agent]


class Library:
    """The runs of a folder. All methods may be called from any thread; none waits for another run than its own."""

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        if not path.is_dir():
            raise ConfigError("DIR", str(folder), "a folder of runs, or the folder of a run")
        self.root = path.resolve()
        self.is_run = _is_run(self.root)
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._open: OrderedDict[str, OpenRun] = OrderedDict()

    def ids(self) -> list[str]:
        """Return the names of all runs, newest first; what a link leads to outside the folder is none."""
        if self.is_run:
            return [self.root.name]
        try:
            names = [name for name in os.listdir(self.root) if _is_run(self.root / name)]
        except OSError as error:
            raise ConfigError("DIR", str(self.root), f"a folder that can be read ({error.strerror})") from error
        return sorted(names, key=lambda name: (started(name) or "", name), reverse=True)

    def folder(self, run: str) -> Path:
        """Return the folder of a run; raises ConfigError if there is no such run."""
        path = self.root if self.is_run else self.root / run
        if run in (".", "..") or {"/", "\\", "\0"} & {*run} or path.name != run or not _is_run(path):
            raise ConfigError("run", run, "the name of a run in this folder")
        return path

    def lock(self, run: str) -> Lock:
        """Return the lock to hold while pages of a run are made."""
        return self._locks[run]

    def open(self, run: str) -> OpenRun:
        """Return a run as it is now; raises MoltBenchError if it cannot be read. Its lock is to be held."""
        folder, known = self.folder(run), self._open.pop(run, None)
        try:
            found = OpenRun.open(folder) if known is None else known.followed()
        except MoltBenchError:
            if known is None:
                raise
            found = OpenRun.open(folder)  # its journal is another one now, or this says what is wrong with it
        self._open[run] = found
        while len(self._open) > _KEPT_OPEN:
            self._open.popitem(last=False)
        return found

    def runs_page(self) -> list[dict[str, Any]]:
        """Return a line for each run, newest first; one that cannot be read says why."""
        return [_line(self.folder(run)) for run in self.ids()]

    def history_page(self) -> dict[str, Any]:
        """Return the results of each agent, oldest run first, and the change from each run to the next."""
        found = []
        for run in self.ids():
            with suppress(MoltBenchError, msgspec.MsgspecError):  # the list of runs says which cannot be read, and why
                found.append(results_in(self.folder(run)))
        return history(found)


def _is_run(folder: Path) -> bool:
    try:
        folder.name.encode()  # a name that is not valid Unicode can be no part of an address
        journal = folder / _JOURNAL
        return journal.is_file() and journal.resolve() == folder.parent.resolve() / folder.name / _JOURNAL
    except (OSError, ValueError):
        return False


def results_in(folder: Path) -> Results:
    """Return what a run has written.

    Raises:
        MoltBenchError: Its first line cannot be read.
        msgspec.ValidationError: The config there is none.
    """
    look = glance(folder)
    try:
        return _results(folder.name, look, (folder / _SUMMARY).read_bytes(), (folder / _LEADERBOARD).read_bytes())
    except OSError:
        return Results(folder.name, look, _config_of(look))


def results_of(run: OpenRun) -> Results:
    """Return what a run would write of its results as it is now, whatever its files say."""
    made = [ARTIFACTS[name](run.rows).encode() for name in (_SUMMARY, _LEADERBOARD)]
    return _results(run.id, glance(run.run.folder), *made)


def _results(run: str, look: Glance, summary: bytes, leaderboard: bytes) -> Results:
    config = _config_of(look)
    try:
        told = msgspec.json.decode(summary, type=_Summary)
        board = msgspec.json.decode(leaderboard, type=_Leaderboard)
    except (msgspec.MsgspecError, RecursionError):
        return Results(run, look, config)
    strangers = {each.id for each in board.participants} - {each.id for each in config.participants}
    return Results(run, look, config) if strangers else Results(run, look, config, told, board)


def _config_of(look: Glance) -> _Config:
    return msgspec.convert(look.header.config, _Config)


_NOTHING: Final = dict.fromkeys(("headline", "stopReason", "method", "matches", "games", "hands", "faults", "usd"))


def _line(folder: Path) -> dict[str, Any]:
    try:
        return line_of(results_in(folder))
    except (MoltBenchError, msgspec.MsgspecError) as error:
        said = {"status": "unreadable", "stopReason": f"cannot be read: {error}", "error": str(error)}
        empty = {"participants": [], "leaders": [], "version": "", "configHash": ""}
        return {"id": folder.name, "started": started(folder.name), **_NOTHING, **said, **empty}


def line_of(results: Results) -> dict[str, Any]:
    """Return the line of a run in the list."""
    header, summary, board = results.look.header, results.summary, results.leaderboard
    secret = results.secret
    line = {
        "id": results.run,
        "started": started(results.run),
        **_NOTHING,
        "status": results.status,
        "participants": [
            {"id": each.id, "name": each.display_name or each.id}
            for each in (() if secret else results.config.participants)
        ],
        "leaders": [],
        "version": header.version,
        "configHash": header.config_hash,
    }
    if summary is None or board is None or secret:
        return line
    usd = [each.usage.cost_usd for each in board.participants if each.usage is not None]
    rule = results.config.stop.adjacent_confidence or {}
    return {
        **line,
        "headline": summary.headline,
        "stopReason": None if summary.ending is None else summary.stop_reason,
        "method": rule.get("method", "margin"),  # what the order is by
        **msgspec.structs.asdict(summary.totals),
        "faults": sum(sum(kinds.values()) for kinds in summary.errors.values()),
        "usd": rounded(sum(each or 0 for each in usd)) if usd and None not in usd else None,
        "leaders": [
            {
                "id": each.id,
                "name": each.name,
                "bb100": each.bb_per_100,
                "halfWidth": each.bb_per_100_half_width,
                "mu": each.mu,
                "sigma": each.sigma,
                "ranks": each.rank_range,
            }
            for each in (board.participants if summary.totals.matches else ())
        ],
    }


def history(results: list[Results]) -> dict[str, Any]:
    """Return the results of each agent, and the change from each run to the next, of runs that have results."""
    told = [each for each in results if each.leaderboard is not None and not each.secret]
    played = [each for each in told if each.summary is not None and each.summary.totals.matches]
    # Oldest first; those without a time in their name come first.
    runs = sorted(played, key=lambda each: (started(each.run) or "", each.run))
    appearances: dict[str, list[tuple[Results, _Agent]]] = defaultdict(list)
    for each in runs:
        reference = each.config.scheduler.reference
        for agent in each.leaderboard.participants if each.leaderboard is not None else ():
            if agent.id != reference:  # it stands at 0 by definition, which is no result of its own
                appearances[agent.id].append((each, agent))
    ordered = sorted(appearances.items())
    return {
        "runs": [{"id": each.run, "started": started(each.run)} for each in runs],
        "agents": [{"name": name, "points": [_point(*each) for each in found]} for name, found in ordered],
        "regressions": [_change(*old, *new) for _, found in ordered for old, new in pairwise(found)],
    }


def _point(results: Results, agent: _Agent) -> dict[str, Any]:
    """Return the result of an agent in a run."""
    assert results.leaderboard is not None
    return {
        "run": results.run,
        "started": started(results.run),
        "bb100": agent.bb_per_100,
        "halfWidth": agent.bb_per_100_half_width,
        "estimator": results.leaderboard.estimator,
        "mu": agent.mu,
        "sigma": agent.sigma,
        "codeHash": results.look.header.source_hashes.get(agent.id),
        "name": agent.name,
        "opponents": results.opponents(agent.id),
    }


def _change(old: Results, before: _Agent, new: Results, after: _Agent) -> dict[str, Any]:
    """Return how the result of an agent has changed from one run to another; or why that is not known.

    Both results are taken to be independent. `compare` uses that the same cards were dealt, so it sees more.
    """
    why = _why_not(old, before, new, after)
    about = {"agent": after.id, "from": old.run, "to": new.run, "why": why, "sameField": why is None}
    if why is not None or before.bb_per_100_half_width is None or after.bb_per_100_half_width is None:
        return {**about, "difference": None, "halfWidth": None, "verdict": "unknown"}
    difference = (after.bb_per_100 or 0.0) - (before.bb_per_100 or 0.0)
    half_width = hypot(before.bb_per_100_half_width, after.bb_per_100_half_width)
    verdict = "worse" if difference + half_width < 0 else "better" if difference > half_width else "unknown"
    if abs(difference) + half_width <= _MATTERS_BB100:
        verdict = "within"
    return {**about, "difference": rounded(difference), "halfWidth": rounded(half_width), "verdict": verdict}


def _why_not(old: Results, before: _Agent, new: Results, after: _Agent) -> str | None:
    """Return why two results of an agent cannot be compared; None if they can."""
    for key, value in new.config.game.items():
        if old.config.game.get(key) != value:
            return f"game.{key} is {old.config.game.get(key)} in {old.run} and {value} in {new.run}"
    if old.opponents(before.id) != new.opponents(after.id):
        return "the opponents are not the same"
    changed = [each for each in new.opponents(after.id) if old.identity(each) != new.identity(each)]
    if changed:
        return f"the opponent {changed[0]} is not the same"
    assert old.leaderboard is not None
    assert new.leaderboard is not None
    if old.leaderboard.estimator != new.leaderboard.estimator:
        return f"the estimator is {old.leaderboard.estimator} in {old.run} and {new.leaderboard.estimator} in {new.run}"
    if before.bb_per_100_half_width is None or after.bb_per_100_half_width is None:
        return "it has not met all opponents in both runs"
    return None

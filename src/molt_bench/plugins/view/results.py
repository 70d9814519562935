"""What a run has written of its results: its summary and its leaderboard, beside the first line of its journal."""

from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.report.rows import ARTIFACTS
from molt_bench.runs.run import Glance, glance

_SUMMARY: Final = "summary.json"
_LEADERBOARD: Final = "leaderboard.json"


class _Participant(msgspec.Struct, rename="camel"):
    id: str
    display_name: str | None
    anchor: bool


class _Scheduler(msgspec.Struct):
    policy: str


class _Stop(msgspec.Struct, rename="camel"):
    adjacent_confidence: dict[str, Any] | None


class _Config(msgspec.Struct):
    """What is shown of a config, or compared."""

    participants: list[_Participant]
    scheduler: _Scheduler
    stop: _Stop
    game: dict[str, Any]

    @property
    def reference(self) -> str | None:
        """The first participant, which all others play in a gauntlet; None if the run is none."""
        return self.participants[0].id if self.scheduler.policy == "gauntlet" else None


class _Usage(msgspec.Struct, rename="camel"):
    cost_usd: float | None


class AgentResult(msgspec.Struct, rename="camel"):
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
    participants: list[AgentResult]


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
        return own, self.look.header.known("code").get(agent)

    def opponents(self, agent: str) -> list[str]:
        """Return who counts for the result of an agent."""
        reference = self.config.reference
        field = [reference] if reference else [each.id for each in self.config.participants if not each.anchor]
        return [each for each in field if each != agent]


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

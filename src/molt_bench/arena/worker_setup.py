"""What a worker needs to play the games of a run: the participants, and proof that it has the same code."""

import platform
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.agents.base import PokerAgent
from molt_bench.agents.external.box import AUTO, OFF, REQUIRED
from molt_bench.agents.kinds import box_label, kind_of
from molt_bench.agents.permission import OWN, Permission, make_permitted
from molt_bench.agents.tracebacks import TraceLog
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.luck.estimators import Estimates, game_estimates
from molt_bench.luck.weights import luck_version
from molt_bench.play.play_games import drive
from molt_bench.records import GameRecord
from molt_bench.specs import NO_BOX, GameSpec, ParticipantSpec

#: What a worker returns: a game, what player A won in it, and where custom agents raised, by participant.
Worked: TypeAlias = tuple[GameRecord, Estimates, dict[str, tuple[str, ...]]]


class WorkerSetup(msgspec.Struct, frozen=True):
    """Everything a worker gets before its first game. It is pickled, so it holds specs rather than agents.

    `versions` is what else affects a result: versions of the code, and hashes of the source files of custom agents;
    `folder` is where the run keeps the logs of its agents, beside what no box shows.
    """

    participants: tuple[ParticipantSpec, ...]
    versions: dict[str, str]
    permission: Permission = OWN
    folder: Path | None = None

    @classmethod
    def of(
        cls, participants: tuple[ParticipantSpec, ...], permission: Permission = OWN, folder: Path | None = None
    ) -> "WorkerSetup":
        """Return the setup for workers that play exactly as this process would."""
        settled = tuple([_settled(spec, permission) for spec in participants])
        return cls(settled, _versions(participants), permission, folder)

    def __call__(self) -> Callable[[GameSpec], Worked]:
        """Prepare to play, in the worker; raises MoltBenchError if its code differs from the run's, or is missing."""
        here = _versions(self.participants)
        for what, wanted in self.versions.items():
            if here.get(what) != wanted:
                raise MoltBenchError(
                    f"the worker on {platform.node()} has {here.get(what, 'no')} {what}, and the run was started with "
                    f"{wanted}: install the same there"
                )
        try:
            for spec in self.participants:  # one without a box refuses games that need one
                box_label(spec, boxed=not self.permission.own)
        except ConfigError as error:
            raise MoltBenchError(f"the worker on {platform.node()} cannot make an agent: {error}") from error
        specs = {spec.id: spec for spec in self.participants}
        # Built-in bots have no memory: one serves all games.
        bots = {name: self._made(spec) for name, spec in specs.items() if kind_of(spec.type).built_in}

        def play(game: GameSpec) -> Worked:
            log = TraceLog()
            first, second = (
                bots.get(name) or log.watched(name, self._made(specs[name], game.action_timeout_s))
                for name in game.players
            )
            record = drive(game, (first, second))
            return record, game_estimates(record), log.found()

        return play

    def _made(self, spec: ParticipantSpec, action_timeout_s: float | None = None) -> PokerAgent:
        return make_permitted(spec, self.permission, action_timeout_s=action_timeout_s, folder=self.folder)


def _settled(spec: ParticipantSpec, permission: Permission) -> ParticipantSpec:
    """Return a participant that plays in a box wherever it plays, if it would in this process, or else nowhere."""
    if spec.settings.get("sandbox") != AUTO or not permission.allows(spec):
        return spec
    found = OFF if box_label(spec, boxed=not permission.own) == NO_BOX else REQUIRED
    return msgspec.structs.replace(spec, settings={**spec.settings, "sandbox": found})


def _versions(participants: tuple[ParticipantSpec, ...]) -> dict[str, str]:
    hashes = {f"code of {spec.id!r} (SHA-256)": kind_of(spec.type).fingerprint(spec) for spec in participants}
    return {
        "molt-bench": __version__,
        "bench version": str(BENCH_VERSION),
        "weights of luck": luck_version(),
        **{name: found for name, found in hashes.items() if found is not None},
    }

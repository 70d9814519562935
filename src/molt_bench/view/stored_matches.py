"""Stored matches: what a run has written about them, so that luck need not be taken out of them again."""

import json
from pathlib import Path
from typing import Any

import msgspec

from molt_bench.records import Margins, MatchResult
from molt_bench.runs.folder import MATCHES
from molt_bench.runs.stored_margins import margins_in
from molt_bench.view.run_list import inside


class StoredMatch(msgspec.Struct, frozen=True):
    """A match as `matches.json` has it; without margins if an earlier version wrote it, which had fewer estimators."""

    round: int
    participants: tuple[str, str]
    #: Seed, net chips of A and hands of every seed pair: what tells whether it is this very match.
    seeds: tuple[tuple[Any, int, int], ...]
    margins: Margins | None


class StoredMatches:
    """What a run wrote about its matches when it ended or was interrupted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / MATCHES
        self._written: int | None = None
        self._matches: dict[int, StoredMatch] | None = {}

    def refresh(self) -> None:
        """Check whether the file is a new one."""
        try:
            written = self._path.stat().st_mtime_ns
        except OSError:
            return
        if written != self._written:
            self._written, self._matches = written, None

    def of(self, number: int, pair: tuple[str, str], result: MatchResult) -> StoredMatch | None:
        """Return what is stored about a match; None if nothing is, or it is about another match."""
        matches = self._matches
        if matches is None:
            matches = self._matches = self._read()
        stored = matches.get(number)
        seeds = tuple((each.seed, each.net, each.hands) for each in result.seed_results)
        return stored if stored and (stored.participants, stored.seeds) == (pair, seeds) else None

    def _read(self) -> dict[int, StoredMatch]:
        if not inside(self._folder, self._path):
            return {}
        try:
            matches = json.loads(self._path.read_bytes())["matches"]
            return {number: _stored(match) for number, match in enumerate(matches, start=1)}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}


def _stored(match: dict[str, Any]) -> StoredMatch:
    return StoredMatch(
        int(match["round"]),
        (match["participantA"], match["participantB"]),
        tuple((seed["seed"], seed["netA"], seed["hands"]) for seed in match["result"]["perSeed"]),
        margins_in(match),
    )

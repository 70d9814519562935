"""The run as a generator: it schedules a round, receives its games and learns from them, until a stop rule holds.

It uses no clock, disk or agents: every decision depends only on the config and on finished matches. So an interrupted
run is resumed by stepping through it again with the games in its journal, and only the missing ones are played. On the
way, the journal's account of the run is checked: that no game is missing, and that the run stopped when its rules say.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias

import msgspec

from molt_bench.bench.dealer import Dealer
from molt_bench.bench.endings import INTERRUPTED, Ending, NobodyLeft, Spent
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.next_round import next_pairs
from molt_bench.bench.past import Games, Past
from molt_bench.bench.result import RunResult
from molt_bench.bench.run_warnings import run_warnings
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import Progress, ending_of, has_converged, room_for_matches
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import StopConfig
from molt_bench.errors import JournalError
from molt_bench.luck.estimators import Estimates
from molt_bench.play.match import match_result
from molt_bench.records import GameRecord, MatchResult
from molt_bench.specs import GameLabel, GameSpec, Pair

#: Who plays a match, and its games, seed by seed.
_Match: TypeAlias = tuple[Pair, list[GameLabel]]
#: Rates a match: its number, its pairing and its games.
_RateMatch: TypeAlias = Callable[[int, Pair, Sequence[GameRecord]], None]


class Round(msgspec.Struct, frozen=True):
    """Matches that are scheduled together.

    Attributes:
        pairs: Their pairings, in order of match number.
        known: Their games that have already been played.
        missing: Their games that are still to be played.
    """

    pairs: tuple[Pair, ...] = ()
    known: Games = {}
    missing: Mapping[GameLabel, GameSpec] = {}

    @property
    def size(self) -> int:
        """Number of games."""
        return len(self.known) + len(self.missing)


class Played(msgspec.Struct, frozen=True):
    """The games of a round that were played.

    Attributes:
        games: Their records, including those already known.
        estimates: What player A won in them, where already computed.
        seconds: How long the run has taken so far.
        budget: The budget that is used up, if that is why games are missing.
    """

    games: Games = {}
    estimates: Mapping[GameSpec, Estimates] = {}
    seconds: float = 0.0
    budget: Spent | None = None


def rounds(
    config: BenchmarkConfig,
    ladder: Ladder,
    deal: Dealer,
    *,
    past: Past | None = None,
    spending: Spending | None = None,
    on_match: Callable[[MatchResult], None] | None = None,
) -> Generator[Round, Played, RunResult]:
    """Step through a run, round by round: yield each, to be sent back what was played of it, and return the result.

    The config has its master seed; `on_match` is called with every rated match. Raises JournalError if the known games
    do not belong to this config, or the run did not stop where the journal says.
    """
    past, spending = past or Past(), spending or Spending(config.paid())
    played = Played()
    while True:
        count = complete = len(ladder.matches)
        stop = past.stop_after(count, config.stop)
        ladder.judge_by(stop)
        # Time does not count while stepping through known matches: they were played within the limit.
        progress = ladder.progress(spending, seconds=played.seconds if count >= past.last_match else 0.0)
        if past.followed:
            ending, pairs = None, past.pairs_in(ladder.rounds + 1, count + 1)
        else:
            ruled = config if stop is config.stop else config.model_copy(update={"stop": stop})
            ending, pairs = _decided(ruled, ladder, deal, spending, progress)
        if pairs:
            wanted = deal.games(pairs, ladder.meetings, count + 1, past.games)
            known = past.of(wanted)
            missing = {label: spec for label, spec in wanted.items() if label not in known}
            played = yield Round(pairs, known, missing)
            ladder.estimates.update(played.estimates)
            matches, rate = _matches_of(pairs, wanted, count + 1), partial(_rate_match, ladder, past, on_match)
            if _rate(ladder, matches, played.games, past, rate):
                continue
            complete = len(ladder.matches)
            _rate_what_is_complete(ladder, matches, played.games, past, rate)
        ending = _end_of(past, stop, ending, max(past.seconds, played.seconds), played.budget)
        _check_end(past, ending, complete, count + len(pairs))
        return _result(config, ladder, deal, spending, past, ending)


def _decided(
    config: BenchmarkConfig, ladder: Ladder, deal: Dealer, spending: Spending, progress: Progress
) -> tuple[Ending | None, tuple[Pair, ...]]:
    """Return why the run ends here by its rules, or else the pairings of the next round."""
    ending = ending_of(config.stop, progress)
    if ending is not None:
        return ending, ()
    room = room_for_matches(config.stop.budget, progress, config.matches_per_round())
    pairs = next_pairs(config, ladder, deal.blocks, spending, room)
    if pairs:
        return None, pairs
    return deal.blocks.exhausted if ladder.open_meetings else NobodyLeft(tuple(sorted(ladder.left))), ()


def drive_run(run: Generator[Round, Played, RunResult], play: Callable[[Round], Played]) -> RunResult:
    """Step through a run, playing its rounds with `play`, and return its result."""
    try:
        wanted = next(run)
        while True:
            wanted = run.send(play(wanted))
    except StopIteration as end:
        result: RunResult = end.value
        return result


def end_run(run: Generator[Round, Played, RunResult], played: Played) -> None:
    """End a run in the middle of a round, of which so much was played: its complete seed pairs are rated."""
    with suppress(StopIteration):
        run.send(played)


def play_nothing(wanted: Round) -> Played:
    """Return only the known games of a round, so that the run ends where its journal does."""
    return Played(wanted.known)


def _rate(ladder: Ladder, matches: Mapping[int, _Match], games: Games, past: Past, rate: _RateMatch) -> bool:
    """Rate the matches of a round in order, and return whether all of them were complete."""
    for number, (pair, labels) in matches.items():
        complete = all(label in games for label in labels)
        if not complete or (past.rated_only and past.margins_of(number, len(labels) // 2) is None):
            return False
        rate(number, pair, [games[label] for label in labels])
    ladder.end_round()
    return True


def _rate_what_is_complete(
    ladder: Ladder, matches: Mapping[int, _Match], games: Games, past: Past, rate: _RateMatch
) -> None:
    """Rate the complete seed pairs of the round in which a run ended, as matches of fewer seeds.

    If the run goes on later, those matches are rated anew once they are complete, so this decides nothing.
    """
    before = len(ladder.matches)
    rated = {match.number for match in ladder.matches}
    for number, (pair, labels) in matches.items():
        seed_pairs = zip(labels[::2], labels[1::2], strict=True)
        complete = [games[label] for both in seed_pairs if all(each in games for each in both) for label in both]
        known = not past.rated_only or past.margins_of(number, len(complete) // 2) is not None
        if complete and known and number not in rated:
            rate(number, pair, complete)
    if len(ladder.matches) > before:
        ladder.end_round()


def _matches_of(pairs: Sequence[Pair], wanted: Mapping[GameLabel, GameSpec], first: int) -> dict[int, _Match]:
    """Return who plays each match of a round, by its number, and its games, seed by seed."""
    found: dict[int, _Match] = {number: (pair, []) for number, pair in enumerate(pairs, start=first)}
    for label in wanted:
        found[label.match][1].append(label)
    return found


def _rate_match(
    ladder: Ladder,
    past: Past,
    on_match: Callable[[MatchResult], None] | None,
    number: int,
    pair: Pair,
    games: Sequence[GameRecord],
) -> None:
    result = match_result(games, draw_threshold=ladder.config.match.draw_threshold)
    recorded = past.margins_of(number, len(result.seed_results))
    match = ladder.rate(pair, result, number=number, recorded=recorded)
    if on_match is not None:
        on_match(match)


def _end_of(past: Past, stop: StopConfig, ending: Ending | None, seconds: float, budget: Spent | None) -> Ending:
    """Return why a run ended: by a stop rule, or else because a round was cut short.

    Where money or the clock ended it, the journal says how, since that cannot be computed again.
    """
    told = past.ending
    if past.followed:
        return told or INTERRUPTED
    computed = ending is not None and not _allows(stop, ending, seconds)
    if told is not None and not computed and _allows(stop, told, seconds):
        return told
    return ending or (INTERRUPTED if budget is None else msgspec.structs.replace(budget, in_a_round=True))


def _allows(stop: StopConfig, ending: Ending, seconds: float) -> bool:
    """Return whether a run can have ended so where that cannot be computed again: by its time or its money."""
    limits = stop.budget
    if limits is None or not isinstance(ending, Spent) or (ending.spent is not None and not ending.in_a_round):
        return False
    if ending.limit == "maxSeconds":
        return ending.most == limits.max_seconds and seconds >= ending.most
    money = {"maxCostUsd": limits.max_cost_usd, "maxTokens": limits.max_tokens}
    return ending.in_a_round and ending.most == money.get(ending.limit)


def _check_end(past: Past, ending: Ending, matches: int, begun: int) -> None:
    """Check that a known run ends where and why its rules say; raises JournalError if the journal says otherwise.

    `matches` are complete by then, and `begun` may have begun.
    """
    told = past.ending
    if not past.followed and told is not None and (told != ending or told == INTERRUPTED):
        does = f"goes on: match {matches + 1} is missing" if ending == INTERRUPTED else f"stops because {ending}"
        raise JournalError(
            f"the journal says that the run stopped because {told}; by its config, after match {matches} it {does}"
        )
    if past.last_match > begun:
        raise JournalError(f"the journal goes on to match {past.last_match}, but by its config the run ends: {ending}")


def _result(
    config: BenchmarkConfig, ladder: Ladder, deal: Dealer, spending: Spending, past: Past, ending: Ending
) -> RunResult:
    return RunResult(
        config=config,
        matches=tuple(ladder.matches),
        leaderboard=tuple(ladder.leaderboard()),
        convergence=tuple(ladder.convergence),
        ending=ending,
        converged=has_converged(config.stop, ladder.progress(spending, seconds=0.0)),
        seeds=deal.blocks.used(ladder.meetings),
        warnings=(*run_warnings(ladder), *spending.other_models()),
        usage=spending.usage(),
        extensions=past.extensions,
        gate=None if ladder.gate is None else ladder.gate.finding(ladder.hands),
    )

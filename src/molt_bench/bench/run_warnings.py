"""Warnings about a run: what its matches show that a user should know before trusting the result."""

from collections.abc import Iterable

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.suspicion import suspicions
from molt_bench.records import Fault, GameRecord


def run_warnings(ladder: Ladder) -> list[str]:
    """Return all warnings about the matches of a run so far."""
    game = ladder.config.game
    stack_mbb = 1000 * game.stack / game.big_blind / (2 * game.hands_per_game)
    return [
        *_misfit(ladder),
        *_signalled(game for match in ladder.matches for game in match.games),
        *_left(ladder),
        *_helpless(ladder),
        *ladder.match_margins.problems,
        *suspicions(ladder.matches, stack_mbb=stack_mbb),
    ]


def _misfit(ladder: Ladder) -> list[str]:
    """Warn if the schedule leaves out pairs on which every result depends."""
    policy, margins = ladder.config.scheduler.policy, ladder.margins
    if not ladder.by_margins or len(margins.participants) < 3:
        return []
    if policy not in ("uncertainty_overlap", "adjacent_pairs"):
        return []
    return [
        f"scheduler.policy {policy} plays close pairs only, but results count every opponent: the run may never be "
        "sure; information_gain would be"
    ]


def _signalled(games: Iterable[GameRecord]) -> list[str]:
    """Warn of each participant that a signal ended or stopped: perhaps somebody else's."""
    found: dict[str, list[str]] = {}
    for game in games:
        for fault in game.faults:
            if fault.kind == "signal":
                found.setdefault(game.players[fault.player], []).append(fault.said)
    return [
        f"{name} was ended or stopped by signals ({len(said):,} faults). If they came from outside, its result is "
        f"not its own. The first: {said[0]}"
        for name, said in found.items()
    ]


def _left(ladder: Ladder) -> list[str]:
    """Warn of each participant that stayed away, so that the run went on without it."""
    return [
        f"{name} stayed away and forfeited {found.forfeited:,} games, so it has no rank, and the run went on without it"
        for name, found in ladder.failures.items()
        if name in ladder.left
    ]


def _helpless(ladder: Ladder) -> list[str]:
    """Warn of each participant that gave no usable answer in most of its hands."""
    helpless = {name: each for name, each in ladder.failures.items() if each.helpless and name not in ladder.left}
    examples: dict[str, Fault] = {}
    for match in ladder.matches if helpless else ():
        for fault in match.faults:
            examples.setdefault(match.participants[fault.player], fault)
    return [
        f"{name} gave no usable answer in {found.unanswered:,} of {found.hands:,} hands, so its result says "
        f"little; the first fault: {examples[name].kind}: {examples[name].said}"
        for name, found in helpless.items()
    ]

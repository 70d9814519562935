"""Warnings about a run: what its budget cannot reach, and what its matches show, before the result is trusted."""

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.stop_rules import rule_of
from molt_bench.bench.suspicion import suspicions
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.records import Fault


def run_warnings(ladder: Ladder) -> list[str]:
    """Return all warnings about the matches of a run so far."""
    game = ladder.config.game
    stack_mbb = 1000 * game.stack / game.big_blind / (2 * game.hands_per_game)
    return [
        *_misfit(ladder),
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


def opening_shortfall(config: BenchmarkConfig) -> str | None:
    """Return a warning if the budget ends a run before every pair has met often enough, with limits that would do.

    If margins decide, every pair has to play `scheduler.minSeedPairs`; otherwise matches only have to connect all
    participants. Limits on time, dollars and tokens are ignored, since their reach is not known in advance.
    """
    limits, game, per_match = config.stop.budget, config.game, config.seeds.per_match
    if limits is None:
        return None
    people, pairs, least = len(config.participants), len(config.pairings()), config.scheduler.min_seed_pairs
    by_margins = rule_of(config.stop).method == "margin"
    matches = pairs * -(-least // per_match) if by_margins else people - 1
    most = 2 * per_match * (game.warmup_hands + game.hands_per_game)
    # With carried stacks, a game may end after one hand; only the last match has to have room for all of its own.
    fewest = 2 * per_match * (game.warmup_hands + 1) if game.stacks == "carry" else most
    missed = [
        (name, limit, enough)
        for name, limit, wanted, enough in (
            ("maxMatches", limits.max_matches, matches, matches),
            ("maxGames", limits.max_games, 2 * per_match * matches, 2 * per_match * matches),
            ("maxHands", limits.max_hands, fewest * (matches - 1) + most, most * matches),
        )
        if limit is not None and limit < wanted
    ]
    if not missed:
        return None
    given = ", ".join([f"{name}: {limit:,}" for name, limit, _ in missed])
    would = " and ".join([f"{name}: {enough:,}" for name, _, enough in missed])
    before = f"matches connect all {people} participants"
    if by_margins:
        all_of_them = f"all {pairs:,} pairs have" if pairs > 1 else "both have"
        before = f"{all_of_them} played {least} seed pairs (scheduler.minSeedPairs)"
    return f"the budget ({given}) ends before {before}, so the result will be incomplete; {would} would do"

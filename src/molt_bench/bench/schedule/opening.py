"""The opening: a round robin by the circle method, until everybody is connected and has met often enough.

Everybody plays in each of its rounds, so that games connect everybody as soon as possible and all ratings are on one
scale. Whether the budget lets every pair meet often enough is asked before the run begins.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from molt_bench.bench.schedule.meeting_counts import Meetings, connect
from molt_bench.bench.stop_rules import rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.specs import Pair


def opening_pairs(
    meetings: Meetings,
    min_meetings: int,
    matches: int,
    *,
    recent: Collection[Pair],
    allowed: Callable[[Pair], bool],
) -> list[Pair]:
    """Return the next pairs of the opening; fewer than wanted once everybody is connected and has met often enough.

    Pairs follow the circle method, but those come first that connect separate groups, that have met least, and whose
    members are not yet playing in this round. `allowed` returns whether a pair may play at all.
    """
    if meetings.least >= max(1, min_meetings):
        return []  # all have met, so nobody has to be connected
    chosen: dict[Pair, None] = {}
    busy = Counter[str]()
    groups = meetings.groups.copy()

    def first_of(pairs: Iterable[Pair]) -> Pair | None:
        """Return the first of some pairs whose members play least in this round; recent ones if there is no other."""
        found: dict[bool, tuple[int, Pair]] = {}
        for pair in pairs:
            if pair in chosen or not allowed(pair):
                continue
            playing, again = busy[pair[0]] + busy[pair[1]], pair in recent
            if again not in found or playing < found[again][0]:
                found[again] = playing, pair
                if not playing and not again:
                    break
        return found[min(found)][1] if found else None

    def next_pair() -> Pair | None:
        if len({*groups.values()}) > 1:
            pair = first_of(pair for pair in meetings.in_order if groups[pair[0]] != groups[pair[1]])
            if pair is not None:
                return pair
        levels = (pairs for met, pairs in meetings.by_count() if met < min_meetings)
        return next(filter(None, map(first_of, levels)), None)

    while len(chosen) < matches and (pair := next_pair()) is not None:
        chosen[pair] = None
        busy.update(pair)
        connect(groups, pair)
    return [*chosen]


def opening_shortfall(config: BenchmarkConfig) -> str | None:
    """Return a warning if the budget ends a run before every pair has met often enough, with limits that would do.

    If margins decide, every pair has to play `scheduler.minSeedPairs`; otherwise matches only have to connect all
    participants. Limits on time, dollars and tokens are ignored, since their reach is not known in advance.
    """
    ids = [participant.id for participant in config.participants]
    rule = rule_of(config.stop)
    least = config.scheduler.min_seed_pairs
    connecting = len(ids) - 1
    pairs = len(config.pairings())
    needed = pairs * -(-least // config.seeds.per_match) if rule.method == "margin" else connecting
    missed = _limits_below(config, needed)
    if not missed:
        return None
    apart = _limits_below(config, connecting)
    if apart:
        also = f", and {_listed(missed)} would let every pair play {least} seed pairs (scheduler.minSeedPairs)"
        return (
            f"the budget ({_set(apart)}) cannot even connect all {len(ids)} participants by matches, so their "
            f"results cannot be compared; {_listed(apart)} would{also if rule.method == 'margin' else ''}"
        )
    all_of_them = f"all {pairs} pairs have" if pairs > 1 else "both have"
    return (
        f"the budget ({_set(missed)}) ends before {all_of_them} played {least} seed pairs "
        f"(scheduler.minSeedPairs), so the result will be incomplete; {_listed(missed)} would do"
    )


def _limits_below(config: BenchmarkConfig, matches: int) -> dict[str, tuple[int, int]]:
    """Return the budget limits that are too low for this many matches: what they are, and would have to be."""
    limits, game, per_match = config.stop.budget, config.game, config.seeds.per_match
    if limits is None:
        return {}
    most = 2 * per_match * (game.warmup_hands + game.hands_per_game)
    # With carried stacks, a game may end after one hand; only the last match has to have room for all of its own.
    fewest = 2 * per_match * (game.warmup_hands + 1) if game.stacks == "carry" else most
    return {
        name: (limit, enough)
        for name, limit, wanted, enough in (
            ("maxMatches", limits.max_matches, matches, matches),
            ("maxGames", limits.max_games, 2 * per_match * matches, 2 * per_match * matches),
            ("maxHands", limits.max_hands, fewest * (matches - 1) + most, most * matches),
        )
        if limit is not None and limit < wanted
    }


def _set(limits: dict[str, tuple[int, int]]) -> str:
    """Format these limits as given in the config."""
    return ", ".join(f"{name}: {limit:,}" for name, (limit, _) in limits.items())


def _listed(limits: dict[str, tuple[int, int]]) -> str:
    """Format the limits that would be needed."""
    return " and ".join(f"{name}: {enough:,}" for name, (_, enough) in limits.items())

"""How the numbers of a result came about, in words, for the agents of this run."""

from collections.abc import Iterator
from math import isfinite, sqrt
from typing import Final

from molt_bench.rating.boundary import WIDE
from molt_bench.rating.verdicts import surely
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.analysis import Analysis, ParticipantNumbers
from molt_bench.report.claims import lead_text
from molt_bench.report.number_text import signed
from molt_bench.report.totals import totals

#: Opponents whose results are listed one by one; of more, the best and the worst.
_LISTED: Final = 4


def raw_and_corrected(found: Analysis) -> str:
    """Say in one line what the two results of the table are, and why they differ; "" before the first match."""
    if not found.result.matches:
        return ""
    by = f"(estimator {found.estimator})"
    if found.estimator == "raw":
        return f"bb/100 is raw, the chips as won: no luck is taken out {by}."
    gaps = {row.rating.id: gap for row in found.rows if (gap := _luck(row)) is not None}
    name, most = max(gaps.items(), key=lambda each: abs(each[1]))
    whose = f"Largest correction: {found.shown[name]} was {_lucky(most)}" if round(most, 1) else "There was none"
    return f"bb/100 is raw, the chips as won, with the luck taken out {by}. {whose}."


def explanation(found: Analysis) -> list[str]:
    """Return what every number of the table rests on, a paragraph each: what was played, everybody, and the end."""
    if not found.result.matches:
        return ["No match is finished, so there is nothing to explain yet."]
    return [_played(found), _method(found), *(" ".join(_row(found, row)) for row in found.rows), _confidence(found)]


def _played(found: Analysis) -> str:
    config, played = found.result.config, totals(found.result)
    hands = config.game.hands_per_game
    dealt = "hand is" if hands == 1 else f"{hands:,} hands are"
    return (
        f"Matches played: {played['matches']:,}. Each is {_seed_pairs(config.seeds.per_match)}: the same "
        f"{dealt} played twice with the seats swapped, so that both hold the same cards. "
        "What an agent wins over both games counts as one result."
    )


def _seed_pairs(count: int) -> str:
    return f"{count:,} seed pair{'' if count == 1 else 's'}"


def _method(found: Analysis) -> str:
    times = found.hands_by_chips
    saved = f" Without that, {times:.1f} times the hands would be needed." if times is not None and times >= 1.1 else ""
    if found.estimator == "raw":
        return "bb/100 is big blinds won per 100 hands, as dealt: no luck is taken out."
    return (
        "bb/100 is big blinds won per 100 hands, without luck: all-ins count by what they are worth on average, and "
        f"the luck of the cards is taken out. What is taken out is zero on average, so it favours nobody.{saved}"
    )


def _row(found: Analysis, row: ParticipantNumbers) -> Iterator[str]:
    name = found.shown[row.rating.id]
    yield f"{name}:"
    if row.reference:
        yield "it is the reference. What the others win is measured against it, so it stands at 0."
    elif row.bb_per_100 is None:
        yield "it has not played."
        return
    else:
        yield _result(found, row)
        yield from _interval(found, row)
    yield from _chips(row)
    yield _rank(found, row)
    yield from _next(found, row)
    rating = row.rating
    yield (
        f"Its rating of {rating.mu:.1f} ± {rating.sigma:.1f} counts matches, not chips: {rating.wins} won, "
        f"{rating.losses} lost, {rating.draws} drawn."
    )
    if row.faults:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(row.faults.items()))
        yield f"It made mistakes: {kinds}. {row.forced_folds:,} hands were folded for it."


def _result(found: Analysis, row: ParticipantNumbers) -> str:
    """Say what a result is the mean of."""
    own = row.rating.id
    won = {other: found.model.margin(own, other) / MBB_PER_BB100 for other in found.model.met(own)}
    ordered = sorted(won, key=lambda other: -won[other])
    if len(ordered) > _LISTED:
        best, worst = ordered[0], ordered[-1]
        listed = f"{len(ordered):,} opponents, from {signed(won[best])} against {found.shown[best]} to "
        listed += f"{signed(won[worst])} against {found.shown[worst]}"
    else:
        listed = " and ".join(f"{signed(won[other])} from {found.shown[other]}" for other in ordered)
    missing = "" if row.met is None else f" It has met {row.met[0]:,} of {row.met[1]:,} opponents."
    own_result = f"{signed(row.bb_per_100 or 0.0)} bb/100 is"
    if len(ordered) < 2:
        return f"{own_result} what it won from {found.shown[ordered[0]]}.{missing}"
    return f"{own_result} the mean of {listed}, each opponent counting the same.{missing}"


def _interval(found: Analysis, row: ParticipantNumbers) -> Iterator[str]:
    """Say what the interval of a result rests on."""
    if not isfinite(row.half_width):
        return
    own = row.rating.id
    pairs = [(own, other) for other in found.model.met(own)]
    count = sum(found.model.count(*pair) for pair in pairs)
    deviation = sqrt(sum(found.model.variance(*pair) for pair in pairs) / len(pairs)) / MBB_PER_BB100
    yield (
        f"± {row.half_width:,.1f} comes from {_seed_pairs(count)} with a standard deviation of {deviation:.0f} bb/100: "
        "as wide as those that decide, however often one looks."
    )


def _chips(row: ParticipantNumbers) -> Iterator[str]:
    """Say how a result in chips differs."""
    luck = _luck(row)
    if luck is None or row.raw is None:
        return
    if round(abs(luck), 1):
        yield f"In chips (raw) it won {signed(row.raw[0])}: it was {_lucky(luck)}."
    else:
        yield f"In chips (raw) it won the same, {signed(row.raw[0])}."


def _rank(found: Analysis, row: ParticipantNumbers) -> str:
    if row.rank_range is None:
        return "It has no rank."
    best, worst = row.rank_range
    if best == worst:
        return f"Its rank is {best}: the claimed orders leave no other."
    return f"Its rank is {best} to {worst}: the run cannot tell it apart from all its neighbours."


def _next(found: Analysis, row: ParticipantNumbers) -> Iterator[str]:
    """Say how sure the lead over the next one is."""
    verdict = next((each for each in found.verdicts if each.above == row.rating.id), None)
    if verdict is None or not verdict.known:
        return
    says = {
        "ordered": "enough to claim that it is better",
        "tied": f"tied: within {WIDE:g} times {found.rule.tie_margin_mbb / MBB_PER_BB100:g} bb/100 of each other",
        "open": f"too little for a claim, which takes {100 * found.claimed_from:.10g}%",
    }[verdict.kind]
    ahead = f"It is {lead_text(verdict)} bb/100 ahead of {found.shown[verdict.below]}"
    yield f"{ahead}, {surely(verdict.sure)} sure: {says}."


def _confidence(found: Analysis) -> str:
    if not found.by_margins:
        return "The order is by rating, and so is how sure it is."
    allowed, field = 100 * (1 - found.rule.threshold), len(found.rows)
    said = (
        f"A claimed order is wrong in at most {allowed:.3g}% of runs. The run looks at its results after every round, "
        "and the percentages allow for that."
    )
    if found.model.yardstick is not None or field < 3:
        return said  # a lead is the difference of the two results in the table
    return (
        f"{said} A lead is about {field - 1}/{field} of the difference between two results in the table: leads are "
        f"measured against all {field} agents, and nobody wins anything from itself."
    )


def _luck(row: ParticipantNumbers) -> float | None:
    """Return how much more somebody won in chips than without luck."""
    return None if row.raw is None or row.bb_per_100 is None else row.raw[0] - row.bb_per_100


def _lucky(gap: float) -> str:
    return f"{abs(gap):.1f} bb/100 {'lucky' if gap > 0 else 'unlucky'}"

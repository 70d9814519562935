"""The verdict on a run in a few sentences: who leads, by how much, how sure that is, and what more would take.

The headline is one or two sentences, the same on the page of a run, in the terminal, in a single file and in
`summary.json`. Remarks are what a reader should know besides, the most important first.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from molt_bench.bench.endings import Spent, TopStable
from molt_bench.bench.stop_rules import rule_of
from molt_bench.rating.verdicts import Verdict, surely
from molt_bench.report.number_text import about, dollars, signed, with_interval
from molt_bench.report.row_types import AgentRow, LeadRow
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import totals

#: Names that are listed; of more, the others are counted.
_NAMED: Final = 6
#: More hands than are ever played: a lead that needs them is as good as never decided.
NEVER: Final = 1e12


def headline(rows: Rows) -> list[str]:
    """Return the headline as one or two sentences; none before the first match is finished."""
    if not rows.result.matches:
        return []
    ranked = [name for name in rows.order if rows.by_id[name].rank_range is not None]
    first = [name for name in ranked if rows.rank_ranges[name][0] == 1]
    # The two at the top: those who may be first, or the leader and the next.
    top = first[:2] if len(first) > 1 else ranked[:2]
    if len(ranked) < 2:
        who = f"Only {rows.names[ranked[0]]}" if ranked else "No one"
        said = [f"{who} gave enough usable answers to have a rank."]
    elif not rows.by_margins:
        said = _by_rating(rows, ranked, first)
    elif any(rows.model.unmet(name) for name in top):
        said = _too_early(rows, ranked[0])
    else:
        said = [*_top(rows, ranked, first, top), *_rest(rows, ranked, first)]
    limits = [] if rows.result.ending is not None else ["so far"]
    limits += [] if rows.reference is None else [f"against {rows.names[rows.reference]}, the reference"]
    opening = ", ".join(limits)
    return [f"{opening[0].upper()}{opening[1:]}: {said[0]}" if opening else said[0], *said[1:]]


def _by_rating(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads where ratings decide, which tell nothing of how many hands are missing."""
    pairs = [*pairwise(ranked)]
    count = sum(rows.better(*pair) < rows.rule.threshold for pair in pairs)
    rest = [f"{count:,} of {len(pairs):,} pairs of neighbours are not told apart."] if count else []
    if len(first) > 1:
        return [_no_leader(rows, first), *rest]
    above, below = ranked[:2]
    rating, sure = rows.ratings[above], surely(rows.better(above, below))
    by = f"mu {rating.mu:.1f} ± {rating.sigma:.1f}"
    return [f"{rows.names[above]} leads by rating with {by}, ahead of {rows.names[below]} ({sure} sure).", *rest]


def _too_early(rows: Rows, best: str) -> list[str]:
    model = rows.model
    unmet = sum(not model.count(*pair) for pair in model.pairs)
    have = "has" if unmet == 1 else "have"
    return [
        f"It is too early to name a leader: {unmet:,} of {len(model.pairs):,} pairings {have} not been played.",
        f"{rows.names[best]} has won most from those it met, {result_text(rows.by_id[best])} bb/100.",
    ]


def _top(rows: Rows, ranked: Sequence[str], first: Sequence[str], top: Sequence[str]) -> list[str]:
    """Say who leads and how sure that is, or that no leader can be named, and why."""
    above, below = top
    one, two = rows.names[above], rows.names[below]
    neighbours = [each for each in rows.verdicts if (each.above, each.below) == (above, below)]
    (verdict,) = neighbours or rows.judge.verdicts(rows.model, [(above, below)])
    if len(first) > 1:
        if len(first) == 2 and verdict.kind == "tied":
            return [f"{one} and {two} share the lead: they are tied within {rows.tie_bb_per_100:g} bb/100."]
        return [_no_leader(rows, first)]
    by, sure = lead_text(rows.lead(verdict)), f"{surely(verdict.sure)} sure"
    if len(ranked) == 2 and rows.reference is None:
        return [f"{one} beats {two} by {by} bb/100 ({sure})."]
    return [f"{one} leads with {result_text(rows.by_id[above])} bb/100, ahead of {two} by {by} ({sure})."]


def _rest(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say what is not told apart, and what it would take; or that everything is."""
    verdicts = [each for each in rows.verdicts if each.above in ranked and each.below in ranked]
    if not all(each.known for each in verdicts):
        return []
    if open_ := [each for each in verdicts if each.kind == "open"]:
        return [_open(rows, open_)]
    tied = [(each.above, each.below) for each in verdicts if each.kind == "tied"]
    if len(first) == 2 and tuple(first) in tied:  # the lead that two share is told
        tied.remove((first[0], first[1]))
    if tied:
        said = [f"{rows.names[one]} and {rows.names[two]}" for one, two in tied]
        return [f"Tied within {rows.tie_bb_per_100:g} bb/100: {listed(said)}."]
    return [f"All {len(ranked):,} are told apart."] if len(ranked) > 2 and len(first) == 1 else []


def _open(rows: Rows, verdicts: Sequence[Verdict]) -> str:
    """Say how near the first of some open pairs is to a verdict, how many more are open, and what it would take."""
    lead, others = rows.lead(verdicts[0]), len(verdicts) - 1
    one, two = rows.names[lead.above], rows.names[lead.below]
    sure = f"{surely(verdicts[0].sure)} sure, and a claim takes {100 * rows.claimed_from:.10g}%"
    takes = _takes(rows, verdicts)
    told = f": {takes} would decide {'all that is open' if others else 'it'}" if takes else ""
    more = f", with {others:,} other {'pair' if others == 1 else 'pairs'} of neighbours open" if others else ""
    ahead = f"{one} is ahead of {two} by" if lead.bb_per_100 else f"{one} and {two} are even:"
    return f"{ahead} {lead_text(lead)} bb/100 ({sure}){more}{told}."


def _takes(rows: Rows, verdicts: Sequence[Verdict]) -> str | None:
    """Say how many more hands, and dollars, would decide open pairs; None if that cannot be said."""
    config = rows.result.config
    times = rows.judge.more_play(verdicts) - 1
    hands = times * totals(rows.result)["hands"]
    if not hands < NEVER:
        return None
    # Nothing less than a match is played.
    least = 2 * config.seeds.per_match * (config.game.hands_per_game + config.game.warmup_hands)
    said = f"about {about(max(hands, least))} more hands"
    usd = [row.usage.cost_usd for row in rows.costs.values()]
    if None in usd:
        return f"{said} (a model has no price)"
    dear = times * sum(each or 0.0 for each in usd)
    return f"{said}, {dollars(float(f'{dear:.2g}'))}" if dear else said


def _no_leader(rows: Rows, first: Sequence[str]) -> str:
    """Say that no leader can be named, and which order is missing."""
    names = [rows.names[name] for name in first]
    both = "may both be first, since their order is open"
    each = f"may each be first, since {names[0]} is told apart from none of the others"
    return f"No leader can be named: {listed(names)} {both if len(first) == 2 else each}."


def result_text(row: AgentRow) -> str:
    """Format what an agent wins as the table has it."""
    return with_interval(signed(row.bb_per_100), row.bb_per_100_half_width or None)


def lead_text(lead: LeadRow) -> str:
    """Format a lead with its interval."""
    return with_interval(f"{lead.bb_per_100 or 0.0:,.1f}", lead.bb_per_100_half_width)


def listed(names: Sequence[str]) -> str:
    """List some names, and count the others, which are in files.

    >>> listed(["a"]), listed(["a", "b"]), listed("abcdefgh")
    ('a', 'a and b', 'a, b, c, d, e and 3 others')
    """
    shown = [*names] if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1:,} others"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def remarks(rows: Rows) -> list[str]:
    """Say what a reader should know besides the headline: who is not ranked, what is incomplete, what disagrees."""
    result, names = rows.result, rows.names
    if not result.matches:
        return []
    said = []
    for name, failed in rows.unranked.items():
        why = f"gave no usable answer in {failed.unanswered:,} of {failed.hands:,} hands"
        if name in rows.left:
            why = f"stayed away and forfeited {failed.forfeited:,} games, so the run went on without it"
        said.append(f"{names[name]} is not ranked: it {why}.")
    if rows.reference in rows.unranked:
        said.append(f"All results are against {names[rows.reference]}, so they say little.")
    if partly := [f"{names[row.id]} ({row.met[0]} of {row.met[1]})" for row in rows.agents if row.met and row.matches]:
        said.append(f"bb/100 is only over the opponents met so far for {listed(partly)}.")
    if absent := [names[row.id] for row in rows.agents if not row.matches]:
        said.append(f"{listed(absent)} {'has' if len(absent) == 1 else 'have'} not played.")
    if rows.mixes_reply_forms:
        ways = [f"{names[name]} ({way})" for name, way in rows.reply_forms.items()]
        said.append(
            f"This rating mixes forms of replies, tracks or memory, which decide a model's strength: {listed(ways)}."
        )
    said += disagreements(rows)
    if any(rule_of(each.before) != rows.rule for each in result.extensions):
        said.append(
            "The rule for neighbours was changed when the run was extended. The confidence is that of the last rule "
            "alone: it does not allow for the choice."
        )
    return said


def disagreements(rows: Rows) -> list[str]:
    """Say which orders go against what the two win from each other, and which cycles there are."""
    names, said = rows.names, []
    for lead in rows.leads:
        own = rows.pairs.get((lead.below, lead.above))
        if own is None or own.verdict != "ordered" or lead.verdict == "open" or lead.mostly_from is None:
            continue
        above, below, most = names[lead.above], names[lead.below], names[lead.mostly_from]
        won = with_interval(f"{own.bb_per_100:,.1f}", own.bb_per_100_half_width)
        why = f"the two are tied because {most} loses more to {above}"
        why = why if lead.verdict == "tied" else f"{above} leads because {most} loses more to it"
        said.append(f"{below} wins {won} bb/100 from {above}; {why}.")
    for cycle in rows.cycles:
        said.append(f"A cycle: {' beats '.join(names[name] for name in (*cycle.members, cycle.members[0]))}.")
    return said


def way_on(rows: Rows) -> str | None:
    """Return the flags for `resume` to continue a run that ended before every order was known; None if none would."""
    ending = rows.result.ending
    if not rows.is_open:
        return None
    if isinstance(ending, TopStable):
        return "--set stop.topkStable=null"
    if isinstance(ending, Spent):
        flag = "--max-matches " if ending.limit == "maxMatches" else f"--set stop.budget.{ending.limit}="
        return f"{flag}{2 * ending.most:.10g}"
    return None

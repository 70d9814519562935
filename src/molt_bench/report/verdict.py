"""The verdict on a run in a few sentences: who leads, by how much, how sure that is, and what more would take.

The headline is one or two sentences, the same on the page of a run, in the terminal, in a single file and in
`summary.json`. Remarks are what a reader should know besides, the most important first.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from molt_bench.bench.endings import Spent, TopStable
from molt_bench.bench.stop_rules import rule_of
from molt_bench.plugin import NO_BOX
from molt_bench.rating.verdicts import Verdict, surely
from molt_bench.report.number_text import about, dollars, signed, with_interval
from molt_bench.report.rows import Rows
from molt_bench.report.shapes import AgentRow, LeadRow
from molt_bench.report.totals import totals
from molt_bench.specs import Pair

#: Names that are listed; of more, the others are counted.
_NAMED: Final = 6
#: More hands than are ever played: a lead that needs them is as good as never decided.
_NEVER: Final = 1e12


def headline(rows: Rows) -> list[str]:
    """Return the headline as one or two sentences; none before the first match is finished."""
    found = rows.found
    if not found.result.matches:
        return []
    ranked = [row.id for row in rows.agents if row.rank_range is not None]
    first = [name for name in ranked if found.rank_ranges[name][0] == 1]
    if len(ranked) < 2:
        who = f"Only {found.shown[ranked[0]]}" if ranked else "Nobody"
        said = [f"{who} gave enough usable answers to have a rank."]
    elif not found.by_margins:
        said = _by_rating(rows, ranked, first)
    elif any(found.model.unmet(name) for name in _top_two(ranked, first)):
        said = _too_early(rows, ranked[0])
    else:
        said = [*_top(rows, ranked, first), *_rest(rows, ranked, first)]
    limits = [] if found.result.ending is not None else ["so far"]
    limits += [] if found.reference is None else [f"against {found.shown[found.reference]}, the reference"]
    opening = ", ".join(limits)
    return [f"{opening[0].upper()}{opening[1:]}: {said[0]}" if opening else said[0], *said[1:]]


def _top_two(ranked: Sequence[str], first: Sequence[str]) -> Pair:
    """Return the two at the top: those who may be first, or the leader and the next."""
    return (first[0], first[1]) if len(first) > 1 else (ranked[0], ranked[1])


def _by_rating(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads where ratings decide, which tell nothing of how many hands are missing."""
    found = rows.found
    above, below = (found.ratings[name] for name in _top_two(ranked, first))
    one, two, sure = found.shown[above.id], found.shown[below.id], f"{surely(found.better(above, below))} sure"
    pairs = [*pairwise(ranked)]
    count = sum(found.better(*(found.ratings[name] for name in pair)) < found.rule.threshold for pair in pairs)
    rest = f"{count:,} of {len(pairs):,} pairs of neighbours are not told apart."
    if len(first) > 1:
        more = f"; {rest}" if len(pairs) > 1 else "."
        return [_no_leader(rows, first), f"By rating {one} is ahead of {two} ({sure}){more}"]
    said = f"{one} leads by rating with mu {above.mu:.1f} ± {above.sigma:.1f}, ahead of {two} ({sure})."
    return [said, rest] if count else [said]


def _too_early(rows: Rows, best: str) -> list[str]:
    model, row = rows.found.model, rows.by_id[best]
    unmet = sum(not model.count(*pair) for pair in model.pairs)
    have = "has" if unmet == 1 else "have"
    return [
        f"It is too early to name a leader: {unmet:,} of {len(model.pairs):,} pairings {have} not been played.",
        f"{rows.found.shown[best]} has won most from those it met, {result_text(row)} bb/100.",
    ]


def _top(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads and how sure that is, or that no leader can be named, and why."""
    found, pair = rows.found, _top_two(ranked, first)
    one, two = (found.shown[name] for name in pair)
    (verdict,) = found.judge.verdicts(found.model, [pair])
    verdict = next((each for each in found.verdicts if (each.above, each.below) == pair), verdict)
    if len(first) > 1:
        if len(first) == 2 and verdict.kind == "tied":
            return [f"{one} and {two} share the lead: they are tied within {rows.tie_bb_per_100:g} bb/100."]
        return [_no_leader(rows, first)]
    by, sure = lead_text(rows.lead(verdict)), f"{surely(verdict.sure)} sure"
    if len(ranked) == 2 and found.reference is None:
        return [f"{one} beats {two} by {by} bb/100 ({sure})."]
    return [f"{one} leads with {result_text(rows.by_id[pair[0]])} bb/100, ahead of {two} by {by} ({sure})."]


def _rest(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say what is not told apart, and what it would take; or that everything is."""
    found = rows.found
    verdicts = [each for each in found.verdicts if each.above in ranked and each.below in ranked]
    if not all(each.known for each in verdicts):
        return []
    if open_ := [each for each in verdicts if each.kind == "open"]:
        return [_open(rows, open_)]
    tied = [(each.above, each.below) for each in verdicts if each.kind == "tied"]
    if len(first) == 2 and tuple(first) in tied:  # the lead that two share is told
        tied.remove((first[0], first[1]))
    if tied:
        said = [f"{found.shown[one]} and {found.shown[two]}" for one, two in tied]
        return [f"Tied within {rows.tie_bb_per_100:g} bb/100: {listed(said)}."]
    return [f"All {len(ranked):,} are told apart."] if len(ranked) > 2 and len(first) == 1 else []


def _open(rows: Rows, verdicts: Sequence[Verdict]) -> str:
    """Say how near the first of some open pairs is to a verdict, how many more are open, and what it would take."""
    found, lead, others = rows.found, rows.lead(verdicts[0]), len(verdicts) - 1
    one, two = found.shown[lead.above], found.shown[lead.below]
    sure = f"{surely(verdicts[0].sure)} sure, and a claim takes {100 * found.claimed_from:.10g}%"
    takes = _takes(rows, verdicts)
    told = f": {takes} would decide {'all that is open' if others else 'it'}" if takes else ""
    more = f", with {others:,} other {'pair' if others == 1 else 'pairs'} of neighbours open" if others else ""
    ahead = f"{one} is ahead of {two} by" if lead.bb_per_100 else f"{one} and {two} are even:"
    return f"{ahead} {lead_text(lead)} bb/100 ({sure}){more}{told}."


def _takes(rows: Rows, verdicts: Sequence[Verdict]) -> str | None:
    """Say how many more hands, and dollars, would decide open pairs; None if that cannot be said."""
    found = rows.found
    config, played = found.result.config, totals(found.result)
    times = found.judge.more_play(verdicts) - 1
    hands = times * played["hands"]
    if not hands < _NEVER:
        return None
    # Nothing less than a match is played.
    least = 2 * config.seeds.per_match * (config.game.hands_per_game + config.game.warmup_hands)
    said = f"about {about(max(hands, least))} more hands"
    usd = [row.usage.cost_usd for row in rows.costs]
    if None in usd:
        return f"{said} (a model has no price)"
    dear = times * sum(each or 0.0 for each in usd)
    return f"{said}, {dollars(float(f'{dear:.2g}'))}" if dear else said


def _no_leader(rows: Rows, first: Sequence[str]) -> str:
    """Say that no leader can be named, and which order is missing."""
    shown = [rows.found.shown[name] for name in first]
    both = "may both be first, since their order is open"
    each = f"may each be first, since {shown[0]} is told apart from none of the others"
    return f"No leader can be named: {listed(shown)} {both if len(first) == 2 else each}."


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
    found, result, shown = rows.found, rows.found.result, rows.found.shown
    if not result.matches:
        return []
    said = []
    for name, failed in found.unranked.items():
        why = f"gave no usable answer in {failed.unanswered:,} of {failed.hands:,} hands"
        if name in found.left:
            why = f"stayed away and forfeited {failed.forfeited:,} games, so the run went on without it"
        said.append(f"{shown[name]} is not ranked: it {why}.")
    if partly := [f"{shown[row.id]} ({row.met[0]} of {row.met[1]})" for row in rows.agents if row.met and row.matches]:
        said.append(f"bb/100 is only over the opponents met so far for {listed(partly)}.")
    if absent := [shown[row.id] for row in rows.agents if not row.matches]:
        said.append(f"{listed(absent)} {'has' if len(absent) == 1 else 'have'} not played.")
    if found.mixes_reply_forms:
        ways = _by_value({shown[name]: way for name, way in found.reply_forms.items()})
        said.append(f"This rating mixes forms of replies, tracks or memory, which decide a model's strength: {ways}.")
    if found.reference is not None:
        against = shown[found.reference]
        said.append(
            f"The order is against {against}, the reference: all others played it alone, and bb/100 is what each wins "
            f"from it. {against} itself stands at 0. Other pairs have not met, so there is no payoff matrix and no "
            "cycle."
        )
        said += [f"All results are against {against}, so they say little."] if found.reference in found.unranked else []
    said += [*disagreements(rows), *_boxes(rows), *_decks(rows)]
    if any(rule_of(stage.stop) != found.rule for stage in result.history):
        said.append(
            "The rule for neighbours was changed when the run was extended. The confidence is that of the last rule "
            "alone: it does not allow for the choice."
        )
    return said


def disagreements(rows: Rows) -> list[str]:
    """Say which orders go against what the two win from each other, and which cycles there are."""
    found, said = rows.found, []
    for order, won in found.against_the_order:
        above, below = found.shown[order.above], found.shown[order.below]
        parts = found.parts_of_lead(order.above, order.below)
        most = found.shown[max((name for name in parts if name != order.below), key=lambda name: parts[name])]
        wins = f"{below} wins {lead_text(rows.lead(won))} bb/100 from {above}"
        why = f"the two are tied because {most} loses more to {above}"
        said.append(f"{wins}; {why if order.kind == 'tied' else f'{above} leads because {most} loses more to it'}.")
    for cycle in found.cycles:
        said.append(f"A cycle: {' beats '.join(found.shown[name] for name in (*cycle.members, cycle.members[0]))}.")
    return said


def _by_value(told: dict[str, str]) -> str:
    """Say which names have which value: `a, b (x); c (y)`."""
    names = {value: [name for name in told if told[name] == value] for value in told.values()}
    return "; ".join(f"{', '.join(those)} ({value})" for value, those in names.items())


def _boxes(rows: Rows) -> list[str]:
    """Say who played in a box and who did not; nothing if all code is the user's own, in Python."""
    result, shown = rows.found.result, rows.found.shown
    inside = {shown[name]: label for name, label in result.boxes.items() if label != NO_BOX}
    outside = [shown[name] for name, label in result.boxes.items() if label == NO_BOX]
    if not inside and all(each.kind.takes_params for each in result.config.participants if each.id in result.boxes):
        return []
    said = [f"In a sandbox: {_by_value(inside)}."] if inside else []
    return [*said, f"Not in a sandbox: {', '.join(outside)}."] if outside else said


def _decks(rows: Rows) -> list[str]:
    """Say who was dealt other cards in each seating."""
    result, shown = rows.found.result, rows.found.shown
    own = {name for match in result.matches if match.own_decks for name in match.participants}
    remember = [shown[each.id] for each in result.config.participants if each.id in own and each.kind.remembers]
    if not remember:
        return []
    return [
        f"Games of {', '.join(remember)}, which may remember, use different decks for each seating; in other games the "
        "seatings share them."
    ]


def way_on(rows: Rows) -> str | None:
    """Return the flags for `resume` to continue a run that ended before every order was known; None if none would."""
    found = rows.found
    if not found.is_open:
        return None
    ending = found.result.ending
    if isinstance(ending, TopStable):
        return "--set stop.topkStable=null"
    if isinstance(ending, Spent):
        flag = "--max-matches " if ending.limit == "maxMatches" else f"--set stop.budget.{ending.limit}="
        return f"{flag}{2 * ending.most:.10g}"
    return None

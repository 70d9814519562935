"""The verdict on a run in a few sentences: who leads, by how much, how sure that is, and what more would take.

The headline is one or two sentences, the same on the page of a run, in the terminal, in a single file and in
`summary.json`. Remarks are what a reader should know besides, the most important first.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from molt_bench.bench.endings import Spent, TopStable
from molt_bench.plugin import NO_BOX
from molt_bench.rating.verdicts import Verdict, surely
from molt_bench.report.learning import learning_sentences
from molt_bench.report.number_text import about, dollars, signed, with_interval
from molt_bench.report.rows import Rows
from molt_bench.report.shapes import AgentRow, LeadRow
from molt_bench.report.totals import totals
from molt_bench.specs import Pair

#: Names that are listed; of more, the others are counted.
_NAMED: Final = 3
#: Agents that are named in a remark; files have all of them.
_MOST_NAMED: Final = 6
#: More hands than anybody plays: a lead that needs them is as good as never decided.
_NEVER: Final = 1e12


class _OwnWords(str):
    """A sentence that begins with our own words and not with a name, so that it can follow an opening."""

    __slots__ = ()


def headline(rows: Rows) -> list[str]:
    """Return the headline as one or two sentences; none before the first match is finished."""
    found = rows.found
    if not found.result.matches:
        return []
    ranked = [row.id for row in rows.agents if row.rank_range is not None]
    first = [name for name in ranked if found.rank_ranges[name][0] == 1]
    if len(ranked) < 2:
        who = f"Only {found.shown[ranked[0]]}" if ranked else "Nobody"
        said: list[str] = [_OwnWords(f"{who} gave enough usable answers to have a rank.")]
    elif not found.by_margins:
        said = _by_rating(rows, ranked, first)
    elif any(found.model.unmet(name) for name in _top_two(ranked, first)):
        said = _too_early(rows, ranked[0])
    else:
        said = [*_top(rows, ranked, first), *_rest(rows, ranked, first)]
    return [_opened(rows, said[0]), *said[1:]]


def _opened(rows: Rows, sentence: str) -> str:
    """Return a sentence that begins with what it is limited to: a run in progress, a gauntlet's reference."""
    found = rows.found
    limits = [] if found.result.ending is not None else ["so far"]
    limits += [] if found.reference is None else [f"against {found.shown[found.reference]}, the reference"]
    if not limits:
        return str(sentence)
    opening = ", ".join(limits)
    rest = f"{sentence[0].lower()}{sentence[1:]}" if isinstance(sentence, _OwnWords) else sentence  # a name stays
    return f"{opening[0].upper()}{opening[1:]}, {rest}"


def _top_two(ranked: Sequence[str], first: Sequence[str]) -> Pair:
    """Return the two at the top: those who may be first, or the leader and the next."""
    return (first[0], first[1]) if len(first) > 1 else (ranked[0], ranked[1])


def _by_rating(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads where ratings decide, which tell nothing of how many hands are missing."""
    found = rows.found
    above, below = (found.ratings[name] for name in _top_two(ranked, first))
    sure = f"{surely(found.better(above, below))} sure"
    one, two = found.shown[above.id], found.shown[below.id]
    pairs = [(found.ratings[one], found.ratings[two]) for one, two in pairwise(ranked)]
    count = sum(found.better(*pair) < found.rule.threshold for pair in pairs)
    rest = f"{count:,} of {len(pairs):,} pairs of neighbours are not told apart"
    if len(first) > 1:
        more = f"; {rest}" if len(pairs) > 1 else ""
        return [_no_leader(rows, first), f"By rating {one} is ahead of {two} ({sure}){more}."]
    said = f"{one} leads by rating with mu {above.mu:.1f} ± {above.sigma:.1f}, ahead of {two} ({sure})."
    return [said, f"{rest[0].upper()}{rest[1:]}."] if count else [said]


def _too_early(rows: Rows, best: str) -> list[str]:
    found = rows.found
    pairs = found.model.pairs
    unmet = sum(not found.model.count(*pair) for pair in pairs)
    have = "has" if unmet == 1 else "have"
    return [
        _OwnWords(f"It is too early to name a leader: {unmet:,} of {len(pairs):,} pairings {have} not been played."),
        f"{found.shown[best]} has won most from those it met, {_result(rows.by_id[best])} bb/100.",
    ]


def _top(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads and how sure that is, or that nobody can be said to, and why."""
    found, pair = rows.found, _top_two(ranked, first)
    one, two = (found.shown[name] for name in pair)
    (verdict,) = found.judge.verdicts(found.model, [pair])
    verdict = next((each for each in found.verdicts if (each.above, each.below) == pair), verdict)
    if len(first) > 1:
        if len(first) == 2 and verdict.kind == "tied":
            return [f"{one} and {two} share the lead: they are tied within {_tie(rows)} bb/100."]
        return [_no_leader(rows, first)]
    by = f"{lead_text(rows.lead(verdict))}"
    sure = f"{surely(verdict.sure)} sure"
    if len(ranked) == 2 and found.reference is None:
        return [f"{one} beats {two} by {by} bb/100 ({sure})."]
    return [f"{one} leads with {_result(rows.by_id[pair[0]])} bb/100, ahead of {two} by {by} ({sure})."]


def _rest(rows: Rows, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say what is not told apart, and what it would take; or that everything is."""
    found = rows.found
    verdicts = [each for each in found.verdicts if each.above in ranked and each.below in ranked]
    if not all(each.known for each in verdicts):
        return []
    tied = [(each.above, each.below) for each in verdicts if each.kind == "tied"]
    if len(first) == 2 and tuple(first) in tied:  # the lead that two share is told
        tied.remove((first[0], first[1]))
    open_ = [each for each in verdicts if each.kind == "open"]
    if open_:
        return [_open(rows, open_)]
    if tied:
        said = [f"{found.shown[one]} and {found.shown[two]}" for one, two in tied]
        return [f"Tied within {_tie(rows)} bb/100: {_listed(said)}."]
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
    """Say that nobody can be said to lead, and for want of whose order."""
    shown = [rows.found.shown[name] for name in first]
    if len(first) == 2:
        return _OwnWords(f"No leader can be named: {_listed(shown)} may both be first, since their order is open.")
    why = f"since {shown[0]} is told apart from none of the others"
    return _OwnWords(f"No leader can be named: {_listed(shown)} may each be first, {why}.")


def _result(row: AgentRow) -> str:
    """Return what somebody wins as the table has it."""
    return with_interval(signed(row.bb_per_100), row.bb_per_100_half_width or None)


def _tie(rows: Rows) -> str:
    return f"{rows.tie_bb_per_100:g}"


def lead_text(lead: LeadRow) -> str:
    """Format a lead with its interval."""
    return with_interval(f"{lead.bb_per_100 or 0.0:,.1f}", lead.bb_per_100_half_width)


def _listed(names: Sequence[str]) -> str:
    """List some names, and count the others.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 others')
    """
    shown = [*names] if len(names) <= _NAMED + 1 else [*names[:_NAMED], f"{len(names) - _NAMED:,} others"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def remarks(rows: Rows) -> list[str]:
    """Say what a reader should know besides the headline: who is not ranked, what is incomplete, what disagrees."""
    found = rows.found
    if not found.result.matches:
        return []
    return [
        *_unranked(rows),
        *_met_so_far(rows),
        *_mixed_reply_forms(rows),
        *_gauntlet(rows),
        *disagreements(rows),
        *_boxes(rows),
        *_decks(rows),
        *learning_sentences(found.result, found.shown),
        *_other_rules(rows),
    ]


def _unranked(rows: Rows) -> list[str]:
    found, said = rows.found, []
    for name, failed in found.unranked.items():
        why = f"gave no usable answer in {failed.unanswered:,} of {failed.hands:,} hands"
        if name in found.left:
            why = f"stayed away and forfeited {failed.forfeited:,} games, so the run went on without it"
        said.append(f"{found.shown[name]} is not ranked: it {why}.")
    return said


def some(named: Sequence[str]) -> str:
    """List some names, and count the others, which are in a file.

    >>> some(["a and b"]), some(["a and b"] * 8)[-40:]
    ('a and b', 'a and b, and 2 more in leaderboard.json')
    """
    more = f", and {len(named) - _MOST_NAMED:,} more in leaderboard.json" if len(named) > _MOST_NAMED else ""
    return f"{', '.join(named[:_MOST_NAMED])}{more}"


def _met_so_far(rows: Rows) -> list[str]:
    """Say whose bb/100 covers only the opponents met so far, and who has not played."""
    shown = rows.found.shown
    partly = [f"{shown[row.id]} ({row.met[0]} of {row.met[1]})" for row in rows.agents if row.met and row.matches]
    absent = [shown[row.id] for row in rows.agents if not row.matches]
    said = [f"bb/100 is only over the opponents met so far for {some(partly)}"] if partly else []
    said += [f"{some(absent)} {'has' if len(absent) == 1 else 'have'} not played"] if absent else []
    return [f"{'; '.join(said)}."] if said else []


def disagreements(rows: Rows) -> list[str]:
    """Say which orders go against what the two win from each other, and which cycles there are."""
    found, said = rows.found, []
    for order, won in found.against_the_order:
        above, below = found.shown[order.above], found.shown[order.below]
        wins = f"{below} wins {lead_text(rows.lead(won))} bb/100 from {above}"
        parts = found.parts_of_lead(order.above, order.below)
        most = found.shown[max((name for name in parts if name != order.below), key=lambda name: parts[name])]
        if order.kind == "tied":
            said.append(f"{wins}; the two are tied because {most} loses more to {above}.")
        else:
            said.append(f"{wins}; {above} leads because {most} loses more to it.")
    said += [
        f"A cycle: {' beats '.join([found.shown[name] for name in (*cycle.members, cycle.members[0])])}."
        for cycle in found.cycles
    ]
    return said


def _other_rules(rows: Rows) -> list[str]:
    """Say that an extended run judged by another rule before, which its confidence does not allow for."""
    if all(rule == rows.found.rule for rule in rows.found.earlier_rules):
        return []
    return [
        "The rule for neighbours was changed when the run was extended. The confidence is that of the last rule alone: "
        "it does not allow for the choice."
    ]


def _mixed_reply_forms(rows: Rows) -> list[str]:
    """Say whose models were asked in which way, if not all of them were asked in the same."""
    found = rows.found
    if not found.mixes_reply_forms:
        return []
    ways: dict[str, list[str]] = {}
    for name, way in found.reply_forms.items():
        ways.setdefault(way, []).append(found.shown[name])
    said = "; ".join(f"{', '.join(names)} ({way})" for way, names in ways.items())
    return [f"This rating mixes forms of replies, tracks or memory, which decide a model's strength: {said}."]


def _gauntlet(rows: Rows) -> list[str]:
    """Say what an order against one reference means, and what it leaves out."""
    found = rows.found
    name = found.reference
    if name is None:
        return []
    unranked, name = name in found.unranked, found.shown[name]
    said = (
        f"The order is against {name}, the reference: everybody played it alone, and bb/100 is what each wins from it. "
        f"{name} itself stands at 0. Other pairs have not met, so there is no payoff matrix and no cycle."
    )
    return [said, f"All results are against {name}, so they say little."] if unranked else [said]


def _boxes(rows: Rows) -> list[str]:
    """Say who played in a box and who did not; nothing if all code is the user's own, in Python."""
    found = rows.found
    boxes = found.result.boxes
    inside: dict[str, list[str]] = {}
    for name, label in boxes.items():
        inside.setdefault(label, []).append(found.shown[name])
    open_to_all = inside.pop(NO_BOX, [])
    said = "; ".join(f"{', '.join(names)} ({label})" for label, names in inside.items())
    if not inside and all(each.kind.takes_params for each in found.result.config.participants if each.id in boxes):
        return []
    told = [f"In a sandbox: {said}."] if inside else []
    return [*told, f"Not in a sandbox: {', '.join(open_to_all)}."] if open_to_all else told


def _decks(rows: Rows) -> list[str]:
    """Say who was dealt other cards in each seating, and who was trusted to forget."""
    found, result = rows.found, rows.found.result
    own = {name for match in result.matches if match.own_decks for name in match.participants}
    said = []
    who = [found.shown[each.id] for each in result.config.participants if each.id in own and each.may_remember]
    if who:
        names = f"{', '.join(who)}, which may remember"
        said.append(f"Games of {names}, use different decks for each seating; in other games the seatings share them.")
    isolated = [found.shown[each.id] for each in result.config.participants if each.kind.remembers and each.isolated]
    if isolated:
        names = ", ".join(isolated)
        said.append(
            f"Games of {names}, declared by the operator to forget (isolated), share their decks between seatings."
        )
    return said


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

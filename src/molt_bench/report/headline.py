"""The headline of a result: who leads, by how much, how sure that is, and what it would take to tell the rest apart.

One or two sentences, the same on the page of a run, at the end of the terminal, in a single file and in `summary.json`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Final

from molt_bench.rating.verdicts import Verdict, surely
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.analysis import Analysis
from molt_bench.report.claims import lead_text
from molt_bench.report.costs import cost_numbers, dollars
from molt_bench.report.number_text import about, signed
from molt_bench.report.totals import totals
from molt_bench.specs import Pair

#: Names that are listed; of more, the others are counted.
_NAMED: Final = 3
#: More hands than anybody plays: a lead that needs them is as good as never decided.
_NEVER: Final = 1e12
#: How sentences begin that do not begin with a name.
_OWN_WORDS: Final = ("It is too early ", "No leader can ", "Nobody gave ", "Only ")


def headline(found: Analysis) -> list[str]:
    """Return the headline as one or two sentences; none before the first match is finished."""
    if not found.result.matches:
        return []
    ranked = [row.rating.id for row in found.rows if row.rank_range is not None]
    first = [name for name in ranked if found.rank_ranges[name][0] == 1]
    if len(ranked) < 2:
        who = f"Only {_name(found, ranked[0])}" if ranked else "Nobody"
        said = [f"{who} gave enough usable answers to have a rank."]
    elif not found.by_margins:
        said = _by_rating(found, ranked, first)
    elif any(found.model.unmet(name) for name in _top_two(ranked, first)):
        said = _too_early(found, ranked[0])
    else:
        said = [*_top(found, ranked, first), *_rest(found, ranked, first)]
    return [_opened(found, said[0]), *said[1:]]


def _opened(found: Analysis, sentence: str) -> str:
    """Return a sentence that begins with what it is limited to: a run in progress, a gauntlet's reference."""
    limits = [] if found.result.ending is not None else ["so far"]
    limits += [] if found.reference is None else [f"against {_name(found, found.reference)}, the reference"]
    if not limits:
        return sentence
    opening = ", ".join(limits)
    rest = f"{sentence[0].lower()}{sentence[1:]}" if sentence.startswith(_OWN_WORDS) else sentence  # a name stays
    return f"{opening[0].upper()}{opening[1:]}, {rest}"


def _top_two(ranked: Sequence[str], first: Sequence[str]) -> Pair:
    """Return the two at the top: those who may be first, or the leader and the next."""
    return (first[0], first[1]) if len(first) > 1 else (ranked[0], ranked[1])


def _by_rating(found: Analysis, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads where ratings decide, which tell nothing of how many hands are missing."""
    above, below = (found.ratings[name] for name in _top_two(ranked, first))
    sure = f"{surely(found.better(above, below))} sure"
    one, two = _name(found, above.id), _name(found, below.id)
    pairs = [(found.ratings[one], found.ratings[two]) for one, two in pairwise(ranked)]
    count = sum(found.better(*pair) < found.rule.threshold for pair in pairs)
    rest = f"{count:,} of {len(pairs):,} pairs of neighbours are not told apart"
    if len(first) > 1:
        more = f"; {rest}" if len(pairs) > 1 else ""
        return [_no_leader(found, first), f"By rating {one} is ahead of {two} ({sure}){more}."]
    said = f"{one} leads by rating with mu {above.mu:.1f} ± {above.sigma:.1f}, ahead of {two} ({sure})."
    return [said, f"{rest[0].upper()}{rest[1:]}."] if count else [said]


def _too_early(found: Analysis, best: str) -> list[str]:
    pairs = found.model.pairs
    unmet = sum(not found.model.count(*pair) for pair in pairs)
    have = "has" if unmet == 1 else "have"
    return [
        f"It is too early to name a leader: {unmet:,} of {len(pairs):,} pairings {have} not been played.",
        f"{_name(found, best)} has won most from those it met, {_result(found, best)} bb/100.",
    ]


def _top(found: Analysis, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say who leads and how sure that is, or that nobody can be said to."""
    pair = _top_two(ranked, first)
    one, two = (_name(found, name) for name in pair)
    (verdict,) = found.judge.verdicts(found.model, [pair])
    verdict = next((each for each in found.verdicts if (each.above, each.below) == pair), verdict)
    sure = f"{surely(verdict.sure)} sure"
    if len(first) > 1:
        if len(first) == 2 and verdict.kind == "tied":
            return [f"{one} and {two} share the lead: they are tied within {_tie(found)} bb/100."]
        return [_no_leader(found, first)]
    by = f"{lead_text(verdict)}"
    if len(ranked) == 2 and found.reference is None:
        return [f"{one} beats {two} by {by} bb/100 ({sure})."]
    return [f"{one} leads with {_result(found, pair[0])} bb/100, ahead of {two} by {by} ({sure})."]


def _rest(found: Analysis, ranked: Sequence[str], first: Sequence[str]) -> list[str]:
    """Say what is not told apart, and what it would take; or that everything is."""
    verdicts = [each for each in found.verdicts if each.above in ranked and each.below in ranked]
    if not all(each.known for each in verdicts):
        return []
    tied = [(each.above, each.below) for each in verdicts if each.kind == "tied"]
    tied = [pair for pair in tied if [*pair] != [*first]]  # the lead that two share is told
    open_ = [each for each in verdicts if each.kind == "open"]
    if open_:
        return [_open(found, open_)]
    if tied:
        said = [f"{_name(found, one)} and {_name(found, two)}" for one, two in tied]
        return [f"Tied within {_tie(found)} bb/100: {_listed(said)}."]
    return [f"All {len(ranked):,} are told apart."] if len(ranked) > 2 and len(first) == 1 else []


def _open(found: Analysis, verdicts: Sequence[Verdict]) -> str:
    """Say how near the first of some open pairs is to a verdict, how many more are open, and what it would take."""
    first, others = verdicts[0], len(verdicts) - 1
    one, two = _name(found, first.above), _name(found, first.below)
    sure = f"{surely(first.sure)} sure, and a claim takes {100 * found.claimed_from:.10g}%"
    takes = _takes(found, verdicts)
    told = f": {takes} would decide {'all that is open' if others else 'it'}" if takes else ""
    more = f", with {others:,} other {'pair' if others == 1 else 'pairs'} of neighbours open" if others else ""
    even = f"{abs(first.lead) / MBB_PER_BB100:.1f}" == "0.0"
    ahead = f"{one} and {two} are even:" if even else f"{one} is ahead of {two} by"
    return f"{ahead} {lead_text(first)} bb/100 ({sure}){more}{told}."


def _takes(found: Analysis, verdicts: Sequence[Verdict]) -> str | None:
    """Say how many more hands, and dollars, would decide open pairs; None if that cannot be said."""
    config, played = found.result.config, totals(found.result)
    times = found.judge.more_play(verdicts) - 1
    hands = times * played["hands"]
    if not hands < _NEVER:
        return None
    # Nothing less than a match is played.
    least = 2 * config.seeds.per_match * (config.game.hands_per_game + config.game.warmup_hands)
    said = f"about {about(max(hands, least))} more hands"
    usd = [row.usage.cost_usd for row in cost_numbers(found)]
    if None in usd:
        return f"{said} (a model has no price)"
    dear = times * sum(each or 0.0 for each in usd)
    return f"{said}, {dollars(float(f'{dear:.2g}'))}" if dear else said


def _no_leader(found: Analysis, first: Sequence[str]) -> str:
    names = _listed([_name(found, name) for name in first])
    return f"No leader can be named: {names} may {'each' if len(first) > 2 else 'both'} be first."


def _result(found: Analysis, name: str) -> str:
    """Return what somebody wins as the table has it."""
    row = next(row for row in found.rows if row.rating.id == name)
    interval = "" if row.reference or not isfinite(row.half_width) else f" ± {row.half_width:.1f}"
    return f"{signed(row.bb_per_100)}{interval}"


def _name(found: Analysis, name: str) -> str:
    return found.shown[name]


def _tie(found: Analysis) -> str:
    return f"{found.rule.tie_margin_mbb / MBB_PER_BB100:g}"


def _listed(names: Sequence[str]) -> str:
    """List some names, and count the others.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 others')
    """
    shown = [*names] if len(names) <= _NAMED + 1 else [*names[:_NAMED], f"{len(names) - _NAMED:,} others"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]

"""Claims: what a run shows about who is better, what it leaves open, and how each number was measured."""

from collections.abc import Sequence
from typing import Final

from molt_bench.bench.endings import Spent, TopStable
from molt_bench.bench.stop_rules import rule_of
from molt_bench.plugin import NO_BOX
from molt_bench.rating.verdicts import Verdict, surely
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.analysis import Analysis
from molt_bench.report.learning import learning_sentences


def sentences(found: Analysis) -> list[str]:
    """Say who is not ranked, whose result is incomplete, what is not resolved or tied, what disagrees."""
    if not found.result.matches:
        return []
    incomplete, shown = met_so_far(found), found.shown
    said = []
    for name, failed in found.unranked.items():
        why = f"gave no usable answer in {failed.unanswered:,} of {failed.hands:,} hands"
        if name in found.left:
            why = f"stayed away and forfeited {failed.forfeited:,} games, so the run went on without it"
        said.append(f"{shown[name]} is not ranked: it {why}.")
    said += [
        *mixed_reply_forms(found),
        *_gauntlet(found),
        *_boxes(found),
        *_decks(found),
        *learning_sentences(found.result, shown),
        *([incomplete] if incomplete else []),
    ]
    if not found.by_margins:
        return said
    pairs = found.neighbours
    tied = [f"{shown[each.above]} and {shown[each.below]}" for each in pairs if each.kind == "tied"]
    open_ = [each for each in pairs if each.kind == "open"]
    said += _leads(found, pairs)
    if tied:
        said.append(f"Tied within {found.rule.tie_margin_mbb / MBB_PER_BB100:g} bb/100: {_some(tied)}.")
    if open_:
        least = f"{100 * found.claimed_from:.10g}%"
        named = [f"{shown[each.above]} and {shown[each.below]} ({surely(each.sure)})" for each in open_]
        said.append(f"Open, so nothing is claimed (that takes {least}): {_some(named)}.")
    said += _other_rules(found)
    return said


#: Agents or pairs that are named in a sentence; files have all of them.
_MOST_NAMED: Final = 6


def _some(named: Sequence[str]) -> str:
    """List some names, and count the others.

    >>> _some(["a and b"]), _some(["a and b"] * 8)[-39:]
    ('a and b', 'a and b, and 2 more in leaderboard.json')
    """
    more = f", and {len(named) - _MOST_NAMED:,} more in leaderboard.json" if len(named) > _MOST_NAMED else ""
    return f"{', '.join(named[:_MOST_NAMED])}{more}"


def _leads(found: Analysis, pairs: Sequence[Verdict]) -> list[str]:
    """Say by how much claimed orders lead, with the intervals that decided them."""
    shown = found.shown
    leads = [
        f"{shown[each.above]} over {shown[each.below]} {lead_text(each)}" for each in pairs if each.kind == "ordered"
    ]
    field = len(found.rows)
    against = f" against a field of all {field}" if found.model.yardstick is None and field > 2 else ""
    return [f"Leads in bb/100{against}: {_some(leads)}."] if leads else []


def lead_text(verdict: Verdict) -> str:
    """Format a lead in big blinds per 100 hands with its interval."""
    return f"{verdict.lead / MBB_PER_BB100:.1f} ± {verdict.half_width / MBB_PER_BB100:.1f}"


def disagreements(found: Analysis) -> list[str]:
    """Say which claimed orders go against what the two win from each other, and which cycles there are."""
    said = []
    for order, won in found.against_the_order:
        above, below = order.above, order.below
        others = [name for name in found.model.field_of(above) if name not in (above, below)]
        most = max(others, key=lambda name: found.model.margin(above, name) - found.model.margin(below, name))
        said.append(
            f"{found.shown[below]} wins {lead_text(won)} bb/100 from {found.shown[above]}; {found.shown[above]} leads "
            f"because {found.shown[most]} loses more to it."
        )
    said += [
        f"A cycle: {' beats '.join([found.shown[name] for name in (*cycle.members, cycle.members[0])])}."
        for cycle in found.ranked_cycles
    ]
    return said


def _other_rules(found: Analysis) -> list[str]:
    """Say that an extended run judged by another rule before, which its confidence does not allow for."""
    before = [rule_of(stage.stop) for stage in found.result.history]
    if all(rule == found.rule for rule in before):
        return []
    return [
        "The rule for neighbours was changed when the run was extended. The confidence is that of the last rule alone: "
        "it does not allow for the choice."
    ]


def mixed_reply_forms(found: Analysis) -> list[str]:
    """Say whose models were asked in which way, if not all of them were asked in the same."""
    if not found.mixes_reply_forms:
        return []
    ways: dict[str, list[str]] = {}
    for name, way in found.reply_forms.items():
        ways.setdefault(way, []).append(found.shown[name])
    said = "; ".join(f"{', '.join(names)} ({way})" for way, names in ways.items())
    return [f"This rating mixes forms of replies, tracks or memory, which decide a model's strength: {said}."]


def _gauntlet(found: Analysis) -> list[str]:
    """Say what an order against one reference means, and what it leaves out."""
    name = found.reference
    if name is None:
        against = found.measured_against
        if against is None:
            return []
        return [f"bb/100 v ref is what each wins from {found.shown[against]}, in their own games alone."]
    unranked, name = name in found.unranked, found.shown[name]
    said = (
        f"The order is against {name}, the reference: everybody played it alone, and bb/100 is what each wins from it. "
        f"{name} itself stands at 0. Other pairs have not met, so there is no payoff matrix and no cycle."
    )
    return [said, f"All results are against {name}, so they say little."] if unranked else [said]


def _boxes(found: Analysis) -> list[str]:
    """Say who played in a box and who did not; nothing if all code is the user's own, in Python."""
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


def _decks(found: Analysis) -> list[str]:
    """Say who was dealt other cards in each seating, and who was trusted to forget."""
    result = found.result
    own = {name for match in result.matches if match.result.own_decks for name in match.participants}
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


def way_on(found: Analysis) -> str | None:
    """Return the flags for `resume` to continue a run that ended before every order was known; None if none would."""
    if not found.by_margins or all(each.kind != "open" for each in found.neighbours):
        return None
    ending = found.result.ending
    if isinstance(ending, TopStable):
        return "--set stop.topkStable=null"
    if isinstance(ending, Spent):
        flag = "--max-matches " if ending.limit == "maxMatches" else f"--set stop.budget.{ending.limit}="
        return f"{flag}{2 * ending.most:.10g}"
    return None


def met_so_far(found: Analysis) -> str | None:
    """Say whose bb/100 covers only the opponents met so far, and who has not played; None if all have met all."""
    partly = [
        f"{found.shown[row.rating.id]} ({row.met[0]} of {row.met[1]})"
        for row in found.rows
        if row.met is not None and row.rating.matches
    ]
    absent = [found.shown[row.rating.id] for row in found.rows if not row.rating.matches]
    said = [f"bb/100 is only over the opponents met so far for {_some(partly)}"] if partly else []
    said += [f"{_some(absent)} {'has' if len(absent) == 1 else 'have'} not played"] if absent else []
    return f"{'; '.join(said)}." if said else None

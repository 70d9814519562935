"""How the numbers of a result came about, in words, for the agents of this run."""

from collections.abc import Iterator
from math import sqrt
from typing import Final

from molt_bench.rating.boundary import WIDE
from molt_bench.rating.verdicts import surely
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.number_text import signed
from molt_bench.report.rows import Rows
from molt_bench.report.shapes import AgentRow, LeadRow
from molt_bench.report.totals import totals
from molt_bench.report.verdict import lead_text, listed

#: Opponents whose results are listed one by one; of more, the best and the worst.
_LISTED: Final = 4


def units(rows: Rows) -> str:
    """Say what the numbers of the table are, for new readers; "" before the first match."""
    if not rows.found.result.matches:
        return ""
    luck = "" if rows.found.estimator == "raw" else ", with luck taken out; raw: in chips"
    return f"bb/100: big blinds (the larger forced bet) won per 100 hands{luck}; ±: the interval that decides."


def raw_and_corrected(rows: Rows) -> str:
    """Say in one line what the two results of the table are, and why they differ; "" before the first match."""
    found = rows.found
    if not found.result.matches:
        return ""
    by = f"(estimator {found.estimator})"
    if found.estimator == "raw":
        return f"bb/100 is raw, the chips as won: no luck is taken out {by}."
    gaps = {row.id: gap for row in rows.agents if (gap := _luck(row)) is not None}
    name, most = max(gaps.items(), key=lambda each: abs(each[1]))
    whose = f"Largest correction: {found.shown[name]} was {_lucky(most)}" if round(most, 1) else "There was none"
    return f"bb/100 is raw, the chips as won, with the luck taken out {by}. {whose}."


def claims(rows: Rows) -> list[str]:
    """Say by how much claimed orders lead, and over which opponents; what is tied, and what is open."""
    found, shown = rows.found, rows.found.shown
    if not found.by_margins or not found.result.matches:
        return []
    named: dict[str, list[str]] = {"ordered": [], "tied": [], "open": []}
    for lead in rows.leads:
        both = f"{shown[lead.above]} and {shown[lead.below]}"
        if lead.verdict == "ordered":
            both = f"{shown[lead.above]} over {shown[lead.below]} {lead_text(lead)}{_mostly(rows, lead)}"
        elif lead.verdict == "open":
            both = f"{both} ({surely(lead.sure or 0.0)})"
        named[lead.verdict].append(both)
    field, takes = len(rows.agents), f"{100 * found.claimed_from:.10g}%"
    against = f" against a field of all {field}" if found.model.yardstick is None and field > 2 else ""
    openings = {
        "ordered": f"Leads in bb/100{against}",
        "tied": f"Tied within {rows.tie_bb_per_100:g} bb/100",
        "open": f"Open, so nothing is claimed (that takes {takes})",
    }
    return [f"{openings[kind]}: {listed(pairs)}." for kind, pairs in named.items() if pairs]


def _mostly(rows: Rows, lead: LeadRow) -> str:
    """Say which opponent most of a lead is won from, where there is a choice."""
    part, most = lead.mostly_bb_per_100, lead.mostly_from
    if part is None or most is None or len(rows.agents) < 3 or rows.found.model.yardstick is not None:
        return ""
    return f" ({part:,.1f} of it from {rows.found.shown[most]})"


def explanation(rows: Rows) -> list[str]:
    """Return what every number of the table rests on, a paragraph each: what was played, the agents, and the end."""
    if not rows.found.result.matches:
        return ["No match is finished, so there is nothing to explain yet."]
    config, played = rows.found.result.config, totals(rows.found.result)
    hands = config.game.hands_per_game
    dealt = "hand is" if hands == 1 else f"{hands:,} hands are"
    fair = " What is taken out is zero on average, so it favours no agent." if rows.found.estimator != "raw" else ""
    return [
        f"Matches played: {played['matches']:,}. All are heads-up: two players at a table. Each is "
        f"{_seed_pairs(config.seeds.per_match)}: the same {dealt} played twice with the seats swapped, so that both "
        "hold the same cards. What an agent wins over both games counts as one result.",
        f"{raw_and_corrected(rows)}{fair}",
        *claims(rows),
        *(f"{rows.found.shown[row.id]}: {' '.join(_row(rows, row))}" for row in rows.agents),
        _confidence(rows),
        "A rank such as 2-4 has all ranks that the claimed orders leave possible. mu±sigma, the rating, counts matches "
        "won, not chips.",
    ]


def _seed_pairs(count: int) -> str:
    return f"{count:,} seed pair{'' if count == 1 else 's'}"


def _row(rows: Rows, row: AgentRow) -> Iterator[str]:
    """Say of an agent what each of its numbers rests on."""
    found = rows.found
    if row.id == found.reference:
        yield "it is the reference. What the others win is measured against it, so it stands at 0."
    elif row.bb_per_100 is None:
        yield "it has not played."
        return
    else:
        yield from _result(rows, row)
    if (luck := _luck(row)) is not None:
        chips = signed(row.raw_bb_per_100)
        won = f"{chips}: it was {_lucky(luck)}" if round(abs(luck), 1) else f"the same, {chips}"
        yield f"In chips (raw) it won {won}."
    yield from _next(rows, row)


def _result(rows: Rows, row: AgentRow) -> Iterator[str]:
    """Say what a result is the mean of, and what its interval rests on."""
    shown, model = rows.found.shown, rows.found.model
    won = {other: rows.between(row.id, other)[0] or 0.0 for other in model.met(row.id)}
    ordered = sorted(won, key=lambda other: -won[other])
    each = " and ".join(f"{signed(won[other])} from {shown[other]}" for other in ordered)
    if len(ordered) > _LISTED:
        best, worst = ordered[0], ordered[-1]
        each = (
            f"{len(ordered):,} opponents, from {signed(won[best])} against {shown[best]} to "
            f"{signed(won[worst])} against {shown[worst]}"
        )
    mean = f"the mean of {each}, each opponent counting the same"
    alone = "".join(f"what it won from {shown[other]}" for other in ordered)
    yield f"{signed(row.bb_per_100)} bb/100 is {alone if len(ordered) < 2 else mean}."
    if row.met:
        yield f"It has met {row.met[0]:,} of {row.met[1]:,} opponents."
    if row.bb_per_100_half_width is not None:
        pairs = [(row.id, other) for other in won]
        count = sum(model.count(*pair) for pair in pairs)
        deviation = sqrt(sum(model.variance(*pair) for pair in pairs) / len(pairs)) / MBB_PER_BB100
        yield (
            f"± {row.bb_per_100_half_width:,.1f} comes from {_seed_pairs(count)} with a standard deviation of "
            f"{deviation:.0f} bb/100: as wide as those that decide, however often one looks."
        )


def _next(rows: Rows, row: AgentRow) -> Iterator[str]:
    """Say how sure the lead over the next one is, and which opponent most of it is won from."""
    found = rows.found
    lead = rows.leads_of.get(row.id) if found.by_margins else None
    if lead is None or lead.bb_per_100 is None or lead.sure is None:
        return
    says = {
        "ordered": "enough to claim that it is better",
        "tied": f"tied: within {WIDE:g} times {rows.tie_bb_per_100:g} bb/100 of each other",
        "open": f"too little for a claim, which takes {100 * found.claimed_from:.10g}%",
    }[lead.verdict]
    ahead = f"It is {lead_text(lead)} bb/100 ahead of {found.shown[lead.below]}{_mostly(rows, lead)}"
    yield f"{ahead}, {surely(lead.sure)} sure: {says}."


def _confidence(rows: Rows) -> str:
    found, field = rows.found, len(rows.agents)
    if not found.by_margins:
        return "The order is by rating, and so is how sure it is."
    said = (
        f"A claimed order is wrong in at most {100 * (1 - found.rule.threshold):.3g}% of runs. The run looks at its "
        "results after every round, and the percentages allow for that."
    )
    if found.model.yardstick is not None or field < 3:
        return said  # a lead is the difference of the two results in the table
    return (
        f"{said} A lead is about {field - 1}/{field} of the difference between two results in the table: leads are "
        f"measured against all {field} agents, and no agent wins anything from itself."
    )


def _luck(row: AgentRow) -> float | None:
    """Return how much more an agent won in chips than without luck."""
    won, raw = row.bb_per_100, row.raw_bb_per_100
    return None if won is None or raw is None else raw - won


def _lucky(gap: float) -> str:
    return f"{abs(gap):.1f} bb/100 {'lucky' if gap > 0 else 'unlucky'}"

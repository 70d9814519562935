"""How the numbers of a result came about, in words, for the agents of this run."""

from collections.abc import Iterator

from molt_bench.rating.verdicts import surely
from molt_bench.report.number_text import signed
from molt_bench.report.row_types import AgentRow, LeadRow
from molt_bench.report.run_rows import Rows
from molt_bench.report.totals import totals
from molt_bench.report.verdict import lead_text, listed, result_text


def units(rows: Rows) -> str:
    """Say what the numbers of the table are, for new readers; "" before the first match."""
    if not rows.result.matches:
        return ""
    luck = "" if rows.estimator == "raw" else ", with luck taken out; raw: in chips"
    return f"bb/100: big blinds (the larger forced bet) won per 100 hands{luck}; ±: the interval that decides."


def claims(rows: Rows) -> list[str]:
    """Say by how much claimed orders lead, and over which opponents; what is tied, and what is open."""
    names = rows.names
    said: dict[str, list[str]] = {"ordered": [], "tied": [], "open": []}
    for lead in rows.leads:
        above, below, by = names[lead.above], names[lead.below], lead_text(lead)
        both = f"{above} over {below} {by}{_mostly(rows, lead)}"
        if lead.verdict != "ordered":
            sure = f", {surely(lead.sure or 0.0)} sure" if lead.verdict == "open" else ""
            both = f"{above} and {below}" + (f" ({by}{sure})" if lead.bb_per_100 is not None else "")
        said[lead.verdict].append(both)
    field = len(rows.agents)
    against = f" against a field of all {field}" if rows.reference is None and field > 2 else ""
    openings = {
        "ordered": f"Leads in bb/100{against}",
        "tied": f"Tied within {rows.tie_bb_per_100:g} bb/100",
        "open": f"Open, so nothing is claimed (that takes {100 * rows.claimed_from:.10g}%)",
    }
    return [f"{openings[kind]}: {listed(pairs)}." for kind, pairs in said.items() if pairs]


def _mostly(rows: Rows, lead: LeadRow) -> str:
    """Say which opponent most of a lead is won from, where there is a choice."""
    part, most = lead.mostly_bb_per_100, lead.mostly_from
    if part is None or most is None or len(rows.agents) < 3 or rows.reference is not None:
        return ""
    return f" ({part:,.1f} of it from {rows.names[most]})"


def explanation(rows: Rows) -> list[str]:
    """Return what every number of the table rests on, a paragraph each: what was played, the agents, and the end."""
    if not rows.result.matches:
        return ["No match is finished, so there is nothing to explain yet."]
    game, count = rows.result.config.game, rows.result.config.seeds.per_match
    pairs = "1 seed pair" if count == 1 else f"{count:,} seed pairs"
    dealt = "hand is" if game.hands_per_game == 1 else f"{game.hands_per_game:,} hands are"
    luck = (
        "bb/100 is the chips as won (raw), without the luck of cards and draws. That luck is zero on average, so it "
        "favours no one to take it out."
    )
    return [
        f"Matches played: {totals(rows.result)['matches']:,}. All are heads-up: two players at a table. Each is "
        f"{pairs}: the same {dealt} played twice with the seats swapped, so that both hold the same cards. What an "
        "agent wins over both games counts as one result.",
        "bb/100 is the chips as won (raw): no luck is taken out." if rows.estimator == "raw" else luck,
        *claims(rows),
        *(f"{rows.names[row.id]}: {' '.join(_row(rows, row))}" for row in rows.agents),
        _confidence(rows),
        "A rank such as 2-4 has all ranks that the claimed orders leave possible. mu±sigma, the rating, counts matches "
        "won, not chips.",
    ]


def _row(rows: Rows, row: AgentRow) -> Iterator[str]:
    """Say of an agent what its result is the mean of, and how lucky it was."""
    if row.id == rows.reference:
        yield "the reference, which stands at 0: what the others win is measured against it."
        return
    if row.bb_per_100 is None or row.raw_bb_per_100 is None:
        yield "it has not played."
        return
    won = {other: rows.between(row.id, other)[0] or 0.0 for other in rows.model.met(row.id)}
    each = [f"{signed(won[other])} from {rows.names[other]}" for other in sorted(won, key=lambda other: -won[other])]
    count = sum(rows.model.count(row.id, other) for other in won)
    mean = "" if len(won) == 1 else "the mean of "
    yield f"{result_text(row)} bb/100 is {mean}{listed(each)}, over {count:,} seed pairs."
    luck = round(row.raw_bb_per_100 - row.bb_per_100, 1)
    if luck:
        yield f"In chips it won {signed(row.raw_bb_per_100)}: {abs(luck):,.1f} of {'good' if luck > 0 else 'bad'} luck."


def _confidence(rows: Rows) -> str:
    """Say how often a claim is wrong, and against whom a lead is measured."""
    field = len(rows.agents)
    if not rows.by_margins:
        return "The order is by rating, and so is how sure it is."
    said = (
        f"A claimed order is wrong in at most {100 * (1 - rows.rule.threshold):.3g}% of runs. The run looks at its "
        "results after every round, and the percentages allow for that."
    )
    if rows.reference is not None or field < 3:
        return said  # a lead is the difference of the two results in the table
    return (
        f"{said} A lead is about {field - 1}/{field} of the difference between two results in the table: leads are "
        f"measured against all {field} agents, and no agent wins anything from itself."
    )

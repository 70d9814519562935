"""Why the user's own agents lose: the kinds of decisions that gave away most, by the values of the reference bot."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from molt_bench import RunResult
from molt_bench.plugin import RunObserver
from molt_bench.plugins.reference.grade import MISTAKES, grade_decision, reference
from molt_bench.poker.views import observe
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.rows import DealtHand, Rows, hands_of
from molt_bench.runs.run import Game, Run

#: Agents that are looked at, hands of each, and kinds of decisions that are named.
_AGENTS: Final = 2
_HANDS: Final = 100
_KINDS: Final = 3


class Losing(RunObserver):
    """Says what the user's own agents lost most by, once a run has ended."""

    def ended(self, result: RunResult, folder: Path | None) -> Iterator[str]:
        """Return a line about each, which is made when it is read."""
        rows = Rows(result)
        if folder is not None and _losers(rows):  # else the games need not be read, which may be many
            yield from why_they_lose(rows, Run.open(folder).games)


def why_they_lose(rows: Rows, games: Sequence[Game]) -> Iterator[str]:
    """Yield a line about each agent of the user's own code that lost, as far as the reference has values."""
    for name in _losers(rows):
        played = [game for game in games if name in game.participants]
        some = played[:: max(1, len(played) // _HANDS)]
        hands = [each for each in chain.from_iterable(map(hands_of, some)) if each.counts]
        chosen = hands[:: max(1, len(hands) // _HANDS)]
        kinds = [*costly_kinds(chosen, name).items()][:_KINDS]
        if kinds:
            told = ", ".join(f"{what} {lost:,.1f}" for what, lost in kinds)
            yield (
                f"What cost {rows.names[name]} most, in bb/100 by the values of blueprint in "
                f"{len(chosen):,} of its hands: {told}."
            )


def _losers(rows: Rows) -> list[str]:
    """Return the agents of the user's own code that lost most."""
    own = {each.id for each in rows.result.config.participants if each.kind.takes_params}
    lost = sorted([(row.bb_per_100 or 0.0, row.id) for row in rows.agents if row.id in own])
    return [name for won, name in lost if won < 0][:_AGENTS]


def costly_kinds(hands: Sequence[DealtHand], name: str) -> dict[str, float]:
    """Return what the decisions of an agent gave away in bb per 100 hands, by mistake and street, most first."""
    lost: dict[str, float] = defaultdict(float)
    by = reference()
    for dealt in hands:
        seat = dealt.names.index(name)
        for before, action in dealt.hand.steps():
            seen, forced = observe(before, 1), dealt.forced == seat and len(before.log) == len(dealt.hand.log) - 1
            if forced or seen.seat != seat or not by.covers(seen):
                continue
            grade = grade_decision(seen, action, by)
            if grade.mistake is not None:
                lost[f"{MISTAKES[grade.mistake]} ({grade.street})"] += grade.loss_mbb(dealt.hand.rules.big_blind)
    per_hand = ((what, mbb / MBB_PER_BB100 / len(hands)) for what, mbb in lost.items())
    return dict(sorted(per_hand, key=lambda item: -item[1]))

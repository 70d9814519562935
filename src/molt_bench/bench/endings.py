"""Why a run ended, as data: the journal has it, and sentences are made of it where people read them."""

from collections.abc import Mapping
from typing import ClassVar, Final, Literal, TypeAlias

import msgspec

from molt_bench.rating.verdicts import surely
from molt_bench.records import MBB_PER_BB100

#: The limits of a budget, by their names in a config.
Limit: TypeAlias = Literal["maxMatches", "maxGames", "maxHands", "maxSeconds", "maxCostUsd", "maxTokens"]
#: How an amount is worded that is limited, and how much of it was spent.
_WORDED: Final[Mapping[Limit, tuple[str, str]]] = {
    "maxMatches": ("{:,.10g} matches", "{:,.10g} played"),
    "maxGames": ("{:,.10g} games", "{:,.10g} played"),
    "maxHands": ("{:,.10g} hands", "{:,.10g} played"),
    "maxSeconds": ("{:g} seconds", "{:g} gone"),
    "maxCostUsd": ("${:,.10g}", "${:,.4g} spent"),
    "maxTokens": ("{:,.10g} tokens", "{:,.10g} spent"),
}


class _Ending(msgspec.Struct, frozen=True, tag_field="by", rename="camel", omit_defaults=True):
    """One way in which a run can end."""

    #: Whether the order was decided by then.
    decided: ClassVar[bool] = False

    def said(self, names: Mapping[str, str]) -> str:
        """Return it in words; agents are named by these names, or else by their ids."""
        return _words(self, names)

    def __str__(self) -> str:
        return self.said({})


class OrderKnown(_Ending, tag="order", frozen=True):
    """Every two neighbours in the ranking are ordered or tied.

    Attributes:
        threshold: The confidence that this takes.
        least_sure: The two who are ordered least surely, the better one first; empty if there are none.
        sure: How sure that is.
        tie_mbb: Within how many mbb a hand others are tied; 0 if none are.
        together: Whether the confidence is that of all verdicts together.
        some: Whether a participant has no rank, so that nothing is said of it.
    """

    threshold: float
    least_sure: tuple[str, ...] = ()
    sure: float = 0.0
    tie_mbb: float = 0.0
    together: bool = False
    some: bool = False
    decided: ClassVar[bool] = True


class TopStable(_Ending, tag="top", frozen=True):
    """The top `k` have been the same for so many rounds."""

    k: int
    rounds: int
    decided: ClassVar[bool] = True


class Spent(_Ending, tag="budget", frozen=True):
    """A budget is spent, or what is left of it is too little for another match, or in a round for a seed pair.

    Attributes:
        limit: Which one.
        most: How much it was.
        spent: How much of it was spent, if something is left.
        in_a_round: Whether a round was cut short.
    """

    limit: Limit
    most: float
    spent: float | None = None
    in_a_round: bool = False


class GateAnswered(_Ending, tag="gate", frozen=True):
    """A gate has its answer: the new version is not worse by more than the margin, or it is, for these reasons."""

    margin_mbb: float
    reasons: tuple[str, ...] = ()
    decided: ClassVar[bool] = True


class SeedsUsed(_Ending, tag="seeds", frozen=True):
    """No pairing has a block of seeds left in the file of seeds."""

    seeds: int
    per_match: int


class NobodyLeft(_Ending, tag="forfeits", frozen=True):
    """No two are left to play each other, since these forfeited too many games."""

    forfeited: tuple[str, ...]


class NobodyRanked(_Ending, tag="unranked", frozen=True):
    """Of every two neighbours one has no rank."""


class Interrupted(_Ending, tag="interrupted", frozen=True):
    """It was interrupted, or it could not go on, and `because` says why; it can be resumed."""

    because: str = ""


Ending: TypeAlias = OrderKnown | TopStable | GateAnswered | Spent | SeedsUsed | NobodyLeft | NobodyRanked | Interrupted

INTERRUPTED: Final = Interrupted()


def said_of(ending: Ending | None, names: Mapping[str, str]) -> str:
    """Return why a run has ended, in words, or that it has not."""
    return "not yet, the run is still going" if ending is None else ending.said(names)


def _words(ending: _Ending, names: Mapping[str, str]) -> str:
    match ending:
        case OrderKnown():
            return _order(ending, names)
        case TopStable(k=k, rounds=rounds):
            return f"the top {k} have not changed for {rounds} rounds"
        case Spent():
            return _spent(ending)
        case GateAnswered(reasons=()):
            return f"the new version is not worse by more than {ending.margin_mbb / MBB_PER_BB100:,.6g} bb/100"
        case GateAnswered(reasons=reasons):
            return f"the new version is worse: {'; '.join(reasons)}"
        case SeedsUsed(seeds=seeds, per_match=size):
            return f"the seed file is exhausted: its {seeds:,} seeds are {seeds // size} blocks of {size}"
        case NobodyLeft(forfeited=gone):
            named = ", ".join([names.get(name, name) for name in gone])
            return f"no one is left to play, since too many games were forfeited by {named}"
        case NobodyRanked():
            return "no two neighbours in the ranking can be compared: one of each two hardly ever gave a usable answer"
        case Interrupted(because=because):
            return because or "it was interrupted"
    raise NotImplementedError


def _order(ending: OrderKnown, names: Mapping[str, str]) -> str:
    found = []
    if ending.least_sure:
        pair = " above ".join([names.get(name, name) for name in ending.least_sure])
        found.append(f"ordered (least sure: {pair}, {surely(ending.sure)})")
    if ending.tie_mbb:
        found.append(f"tied within {ending.tie_mbb / MBB_PER_BB100:g} bb/100")
    together = " in all of them together" if ending.together else ""
    ranked = " of those that have a rank" if ending.some else ""
    confidence = f"with {100 * ending.threshold:.10g}% confidence{together}"
    return f"{confidence} every adjacent pair{ranked} is {' or '.join(found)}"


def _spent(ending: Spent) -> str:
    whole, part = _WORDED[ending.limit]
    most = "1 match" if ending.limit == "maxMatches" and ending.most == 1 else whole.format(ending.most)
    if ending.spent is not None:
        another = "seed pair" if ending.in_a_round else "match"
        return f"the budget of {most} has no room for another {another} ({part.format(ending.spent)})"
    return f"the budget of {most} is spent{', in the middle of a round' if ending.in_a_round else ''}"

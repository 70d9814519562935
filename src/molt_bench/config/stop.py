"""The section `stop` of a config: when the run stops."""

from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from molt_bench.agents.settings_base import MUCH, Count, Section, as_problem

#: Seconds or dollars.
Amount = Annotated[float, Field(gt=0, le=MUCH)]
#: The least margin that can count as a tie, unless there are no ties at all; in thousandths of a big blind per hand.
LEAST_TIE_MARGIN: Final = 1e-6
#: The margin that counts as a tie where a config does not say, for each big blind of the stacks, and at most. What can
#: be won in a hand grows with the stacks, up to about 100 big blinds: deeper ones are seldom played for in full.
TIE_MARGIN_PER_BIG_BLIND: Final = 2.5
MOST_TIE_MARGIN: Final = 250.0


def usual_tie_margin(stack: float) -> float:
    """Return the tie margin of a config that does not say, for stacks of so many big blinds."""
    return min(MOST_TIE_MARGIN, TIE_MARGIN_PER_BIG_BLIND * stack)


class AdjacentConfidence(Section):
    """Stop once every adjacent pair on the leaderboard is ordered with this confidence."""

    threshold: Annotated[float, Field(gt=0.5, le=1 - 1e-9, description="The confidence, such as 0.95.")] = 0.95
    familywise: Annotated[
        bool, Field(description="Whether the confidence is for all adjacent pairs together, or for each of them.")
    ] = False
    method: Annotated[Literal["margin", "openskill"], Field(description="What the confidence is computed from.")] = (
        "margin"
    )
    tie_margin_mbb: Annotated[
        float,
        Field(
            ge=0,
            le=MUCH,
            description="Margin counted as a tie, in thousandths of a big blind per hand; 0: none. Unless given, it is "
            "2.5 for each big blind of the stacks, at most 250.",
        ),
    ] = MOST_TIE_MARGIN

    @field_validator("tie_margin_mbb")
    @classmethod
    def _in_reach(cls, value: float) -> float:
        """Refuse what is not 0, but so small that no run could ever get there."""
        if 0 < value < LEAST_TIE_MARGIN:
            raise as_problem("", value, f"0 for no ties, or at least {LEAST_TIE_MARGIN:g}")
        return value


class Budget(Section):
    """Stop when one of these is used up; null means no limit."""

    max_matches: Annotated[
        Count | None,
        Field(
            description="Matches. With models 50 by default, with a human one for each pairing, unless perMatch is set."
        ),
    ] = 20
    max_games: Annotated[Count | None, Field(description="Games, two for each seed of a match.")] = None
    max_hands: Annotated[Count | None, Field(description="Hands dealt.")] = None
    max_seconds: Annotated[
        Amount | None, Field(description="Seconds, over all sessions; games under way are left unfinished.")
    ] = None
    max_cost_usd: Annotated[Amount, Field(description="Dollars spent on language models.")] | None = None
    max_tokens: Annotated[Count, Field(description="Tokens used by language models, input and output.")] | None = None


class TopKStable(Section):
    """Stop once the top k have not changed for this many rounds."""

    k: Annotated[Count, Field(description="How many of the best.")] = 1
    rounds: Annotated[Count, Field(description="For how many rounds they have not changed.")] = 5


class StopConfig(Section):
    """When the run stops: the first condition that holds ends it."""

    adjacent_confidence: AdjacentConfidence | None = AdjacentConfidence()
    budget: Budget | None = Budget()
    topk_stable: TopKStable | None = None

    @property
    def endless(self) -> bool:
        """Whether none of it ever stops a run."""
        rules = self.adjacent_confidence, self.topk_stable
        return rules == (None, None) and self.budget in (None, Budget(max_matches=None))

"""The sections `rating`, `scheduler` and `llm`: how results count, which pairings play, how models are called."""

from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from molt_bench.agents.settings_base import MUCH, Count, NoneOrMore, Section, as_problem
from molt_bench.config.participants import Mu, Sigma
from molt_bench.llm.prices import Price
from molt_bench.rating.openskill import DEFAULT_MU, DEFAULT_SIGMA
from molt_bench.suggestions import one_of

Share = Annotated[float, Field(ge=0, le=1)]

#: The matchmaker by which everyone plays the first participant alone.
GAUNTLET: Final = "gauntlet"
#: The one by which two versions of an agent play all others, and each other.
GATE: Final = "gate"
#: What `scheduler.policy` may be: `molt_bench.bench.schedule` has all of them, and `register_matchmaker` adds more.
MATCHMAKER_NAMES: Final = [
    "uncertainty_overlap",
    "information_gain",
    "round_robin",
    "adjacent_pairs",
    "thompson",
    GAUNTLET,
    GATE,
]


class RatingConfig(Section):
    """How results become ratings and margins."""

    mu0: Annotated[Mu, Field(description="OpenSkill: mean of the belief before the first match.")] = DEFAULT_MU
    sigma0: Annotated[Sigma, Field(description="OpenSkill: its standard deviation.")] = DEFAULT_SIGMA
    update_per: Annotated[
        Literal["match", "seedPair"], Field(description="Unit whose winner updates the OpenSkill ratings.")
    ] = "match"
    estimator: Annotated[
        Literal["raw", "adjusted"],
        Field(description="How margins are measured: by the chips won, or by these with the luck taken out."),
    ] = "adjusted"


class SchedulerConfig(Section):
    """Which pairings are played."""

    policy: Annotated[
        str,
        Field(
            description="Which pairs play next. With gauntlet, everyone plays the first participant alone. With gate, "
            "the first participant is a new version of the second; see `molt-bench gate`."
        ),
    ] = "information_gain"
    exploration: Annotated[Share, Field(description="0: close pairs only; 1: uncertain pairs only.")] = 0.25
    rematch_window: Annotated[
        NoneOrMore, Field(description="Matches before a pair meets again, if another pair can play.")
    ] = 1
    min_seed_pairs: Annotated[
        Count, Field(description="Seed pairs that every pairing plays before margins decide anything.")
    ] = 4

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in MATCHMAKER_NAMES:
            raise as_problem("", value, one_of(MATCHMAKER_NAMES, value))
        return value


class LLMConfig(Section):
    """How language models are called."""

    transport_retries: Annotated[NoneOrMore, Field(le=100, description="Retries before a model is paused.")] = 5
    backoff_s: Annotated[
        float,
        Field(
            ge=0,
            le=MUCH,
            description="Seconds before the first retry, doubled for each further one. A run that can ask a model "
            "nothing for 600 times as long ends.",
        ),
    ] = 1.0
    on_failure: Annotated[
        Literal["pause", "fold"],
        Field(
            description="What follows when a request brought no reply after all retries: the model is paused until it "
            "answers, or the decision counts as a fault of the model, which ends in a fold.",
            exclude_if=lambda value: value == "pause",
        ),
    ] = "pause"
    prices: Annotated[
        dict[str, Price], Field(description="Dollars per million tokens, by model; they override published prices.")
    ] = {}  # noqa: RUF012 - pydantic copies it

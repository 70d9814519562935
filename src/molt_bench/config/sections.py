"""BenchmarkConfig: everything that determines a result, validated, with defaults.

Files and artifacts use camelCase; snake_case is accepted as well.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from molt_bench.agents.external.box import SandboxSetting
from molt_bench.agents.kinds import kind_of
from molt_bench.agents.settings_base import (
    MUCH,
    Count,
    Name,
    NoneOrMore,
    PathText,
    Section,
    as_problem,
    as_problems,
    checked,
)
from molt_bench.config.gate import GateConfig, without_order
from molt_bench.config.matchmaker_names import GAUNTLET, check_matchmaker
from molt_bench.config.participants import REFERENCES, AnyParticipant, Mu, ParticipantConfig, Sigma, participants_named
from molt_bench.errors import ConfigError
from molt_bench.llm.money.prices import Price
from molt_bench.llm.settings import LLMSettings
from molt_bench.rating.openskill import DEFAULT_MU, DEFAULT_SIGMA
from molt_bench.seeds import Seed
from molt_bench.specs import GameOptions, GameSpec, Pair
from molt_bench.suggestions import one_of

AnySection = TypeVar("AnySection", bound=Section)
Share = Annotated[float, Field(ge=0, le=1)]
#: Seconds or dollars.
Amount = Annotated[float, Field(gt=0, le=MUCH)]

#: Every two participants form a pairing, and every pairing is considered before every round.
MOST_PARTICIPANTS: Final = 1_000
#: Limits on hands per game, and on games and hands per round: a round stays in memory (300 MB) until it is rated.
MOST_HANDS: Final = 100_000
MOST_GAMES_OF_A_ROUND: Final = 50_000
MOST_HANDS_OF_A_ROUND: Final = 1_000_000
#: The least margin that can count as a tie, unless there are no ties at all; in thousandths of a big blind per hand.
LEAST_TIE_MARGIN: Final = 1e-6
#: The margin that counts as a tie where a config does not say, for each big blind of the stacks, and at most. What can
#: be won in a hand grows with the stacks, up to about 100 big blinds: deeper ones are seldom played for in full.
TIE_MARGIN_PER_BIG_BLIND: Final = 2.5
MOST_TIE_MARGIN: Final = 250.0
#: Seeds of a match and matches of a run with language models, where a config does not say. A run can stop after a
#: match, and tells nothing before every pairing has played one. So short ones save hands, which cost money there.
MODEL_SEEDS_PER_MATCH: Final = 4
MODEL_MATCHES: Final = 50


def usual_tie_margin(stack: float) -> float:
    """Return the tie margin of a config that does not say, for stacks of so many big blinds."""
    return min(MOST_TIE_MARGIN, TIE_MARGIN_PER_BIG_BLIND * stack)


class SeedsConfig(Section):
    """Which decks are dealt."""

    per_match: Annotated[
        Count,
        Field(
            le=MOST_GAMES_OF_A_ROUND // 2,
            description="Seeds per match; each is played twice, seats swapped. With a human 1 by default, with models "
            "4 unless maxMatches is set.",
        ),
    ] = 10
    master_seed: Annotated[
        Seed | None,
        Field(description="Determines the seed pool; null: fixed if all participants are built in, else random."),
    ] = None
    file: Annotated[
        PathText | None, Field(description="File of seeds (JSON list, or one per line) to use instead of the pool.")
    ] = None


class GameConfig(Section):
    """Settings of a game; the fields are those of GameSpec."""

    hands_per_game: Annotated[Count, Field(le=MOST_HANDS, description="Hands of each game that count.")] = 50
    small_blind: Annotated[NoneOrMore, Field(description="Chips, 0 to the big blind.")] = 50
    big_blind: Annotated[Count, Field(description="Chips.")] = 100
    ante: Annotated[NoneOrMore, Field(description="Chips each seat posts before the blinds.")] = 0
    stack: Annotated[Count, Field(description="Chips each player starts with.")] = 10_000
    stacks: Annotated[
        Literal["reset", "carry"],
        Field(description="Reset after every hand, or carried over until a player is broke, which ends the game."),
    ] = "reset"
    raise_cap: Annotated[Count | None, Field(description="Bets and raises allowed on one street; null: no cap.")] = None
    warmup_hands: Annotated[
        NoneOrMore,
        Field(le=MOST_HANDS, description="Hands played first that do not count; stacks are reset after them."),
    ] = 0
    max_retries: Annotated[
        NoneOrMore, Field(le=100, description="How often a decision is asked for again after a fault, before a fold.")
    ] = 2
    max_actions_per_hand: Annotated[
        Count,
        Field(le=10_000, description="Actions of one hand after which nobody may raise, so that every hand ends."),
    ] = 200
    action_timeout_s: Annotated[
        Annotated[float, Field(gt=0, lt=MUCH)] | None,
        Field(description="Seconds for one answer; null: by the kind of agent, and none for a plain function."),
    ] = None

    @model_validator(mode="after")
    def _playable(self) -> Self:
        try:
            GameSpec(seed=0, hands=self.hands_per_game, **self.options())
        except ConfigError as error:
            raise as_problem(to_camel(error.field), error.value, error.expected) from error
        return self

    def options(self) -> GameOptions:
        """Return the settings as keyword arguments for `play_game`."""
        return {
            "small_blind": self.small_blind,
            "big_blind": self.big_blind,
            "ante": self.ante,
            "stack": self.stack,
            "stacks": self.stacks,
            "raise_cap": self.raise_cap,
            "warmup_hands": self.warmup_hands,
            "max_retries": self.max_retries,
            "max_actions": self.max_actions_per_hand,
            "action_timeout_s": self.action_timeout_s,
        }


class MatchConfig(Section):
    """How a match is decided."""

    draw_threshold: Annotated[NoneOrMore, Field(description="Net chips up to which a match is a draw.")] = 0


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

    policy: Annotated[str, Field(description="Which pairs play next; gauntlet if only a reference is given.")] = (
        "information_gain"
    )
    reference: Annotated[
        Name | None, Field(description="Id of the one that everybody plays alone, with policy gauntlet.")
    ] = None
    exploration: Annotated[Share, Field(description="0: close pairs only; 1: uncertain pairs only.")] = 0.25
    rematch_window: Annotated[
        NoneOrMore, Field(description="Matches before a pair meets again, if another pair can play.")
    ] = 1
    matches_per_round: Annotated[
        Count | None,
        Field(description="Matches scheduled and played together; null: 1, or with models one per two participants."),
    ] = None
    min_seed_pairs: Annotated[
        Count, Field(description="Seed pairs that every pairing plays before margins decide anything.")
    ] = 4

    @model_validator(mode="before")
    @classmethod
    def _implied(cls, value: Any) -> Any:
        """Take a reference without a policy to mean a gauntlet."""
        asked_for = isinstance(value, dict) and value.get("reference") is not None and "policy" not in value
        return {**value, "policy": GAUNTLET} if asked_for else value

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            check_matchmaker(value)
        except ConfigError as error:
            raise as_problem("", value, error.expected) from error
        return value


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


class LLMConfig(Section):
    """How language models are called."""

    max_concurrent: Annotated[Count, Field(le=1_000_000, description="Concurrent requests, across all models.")] = 1000
    transport_retries: Annotated[NoneOrMore, Field(le=100, description="Retries before a model is paused.")] = 5
    backoff_s: Annotated[
        float, Field(ge=0, le=MUCH, description="Seconds before the first retry, doubled for each further one.")
    ] = 1.0
    pause_after_s: Annotated[
        float,
        Field(
            ge=0, le=MUCH, description="Seconds after which a run ends that can ask a model nothing, or save nothing."
        ),
    ] = 600.0
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


def _with_default(section: AnySection, field: str, value: object) -> AnySection:
    """Return a section with another value in a field that counts as not said, as a default does."""
    copied = section.model_copy()
    copied.__dict__[field] = value
    return copied


def _plays_in_boxes(participant: Mapping[str, Any]) -> bool:
    participant_type = participant.get("type")
    settings = kind_of(participant_type).settings if isinstance(participant_type, str) else None
    return settings is not None and "sandbox" in settings.model_fields


class BenchmarkConfig(Section):
    """The config of a benchmark."""

    participants: Annotated[
        tuple[AnyParticipant, ...],
        Field(min_length=2, max_length=MOST_PARTICIPANTS, description="Who plays: names of agents, or their settings."),
    ] = (
        ParticipantConfig(id="random", type="random"),
        ParticipantConfig(id="tight", type="tight"),
    )
    seeds: SeedsConfig = SeedsConfig()
    game: GameConfig = GameConfig()
    match: MatchConfig = MatchConfig()
    rating: RatingConfig = RatingConfig()
    scheduler: SchedulerConfig = SchedulerConfig()
    stop: StopConfig = StopConfig()
    llm: LLMConfig = LLMConfig()
    gate: Annotated[
        GateConfig | None,
        Field(
            description="Two versions of an agent, one of which may be worse; see `molt-bench gate`.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    sandbox: Annotated[
        SandboxSetting | None,
        Field(
            description="The box of all programs and Python code that do not name their own; see `participants`.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    output_dir: Annotated[PathText, Field(description="Folder in which each run gets a folder.")] = "benchmark-results"

    @model_validator(mode="before")
    @classmethod
    def _boxed_alike(cls, value: Any) -> Any:
        """Put the box of the config into the participants that can play in one and do not name their own."""
        if (
            not isinstance(value, dict)
            or value.get("sandbox") is None
            or not isinstance(value.get("participants"), list)
        ):
            return value
        found = [
            {"sandbox": value["sandbox"], **each} if isinstance(each, dict) and _plays_in_boxes(each) else each
            for each in cls._by_name(value["participants"])
        ]
        return {**value, "participants": found}

    @model_validator(mode="before")
    @classmethod
    def _stopped_by_gate(cls, value: Any) -> Any:
        """Leave the order of all participants to itself where two versions are compared."""
        return without_order(value) if isinstance(value, dict) and value.get("gate") is not None else value

    @field_validator("participants", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        """Accept participants given by type, such as `[random, tight]`."""
        if not isinstance(value, list):
            return value
        found = iter(participants_named([each for each in value if isinstance(each, str)]))
        return [next(found) if isinstance(each, str) else each for each in value]

    @model_validator(mode="after")
    def _sound(self) -> Self:
        self._shorten_matches()
        ids = [participant.id for participant in self.participants]
        found: list[tuple[str, object, str]] = [
            ("participants", name, "a different id for each, and this one appears twice")
            for name in dict.fromkeys(ids)
            if ids.count(name) > 1
        ]
        found += [
            ("participants", name, "one human at most, since there is one terminal") for name in self.people()[1:]
        ]
        found += [*self._about_gate(ids), *self._about_reference(ids), *self._about_memory(), *self._about_budget()]
        if found:
            raise as_problems(found)
        rule = self.stop.adjacent_confidence
        if rule is not None and "tie_margin_mbb" not in rule.model_fields_set:
            # The config that a run keeps states it, so that the run is the same whatever the default becomes.
            scaled = rule.model_copy(update={"tie_margin_mbb": self.usual_tie_margin()})
            self.__dict__["stop"] = self.stop.model_copy(update={"adjacent_confidence": scaled})
        return self

    def _shorten_matches(self) -> None:
        """Make the matches of models and people short, unless the config says how long they are.

        Those of models stay long, too, where it says how many there are.
        """
        budget, people = self.stop.budget or Budget(max_matches=None), self.people()
        counted = "max_matches" in budget.model_fields_set
        said = "per_match" in self.seeds.model_fields_set or (counted and budget.max_matches is not None and not people)
        if said or not (self.models() or people):
            return
        seeds, most = (1, len(self.pairings())) if people else (MODEL_SEEDS_PER_MATCH, MODEL_MATCHES)
        # As with the tie margin: the config that a run keeps states both. Neither counts as said.
        self.__dict__["seeds"] = _with_default(self.seeds, "per_match", seeds)
        if not counted:
            more = _with_default(budget, "max_matches", most)
            self.__dict__["stop"] = self.stop.model_copy(update={"budget": more})

    def usual_tie_margin(self) -> float:
        """Return the margin that counts as a tie with these stacks, unless the config says another."""
        return usual_tie_margin(self.game.stack / self.game.big_blind)

    def _about_budget(self) -> Iterator[tuple[str, object, str]]:
        """Check that the budget has room for a match, and that the run ends."""
        limits = self.stop.budget or Budget(max_matches=None)
        games = 2 * self.seeds.per_match
        hands = games * (self.game.hands_per_game + self.game.warmup_hands)
        for name, most, least in (("games", limits.max_games, games), ("hands", limits.max_hands, hands)):
            if most is not None and most < least:
                yield f"stop.budget.max{name.capitalize()}", most, f"at least {least:,}, the {name} of one match"
        endless = limits == Budget(max_matches=None) and self.seeds.file is None and self.gate is None
        if endless and self.stop.adjacent_confidence is None and self.stop.topk_stable is None:
            yield "stop", None, "at least one condition, such as budget.maxMatches: the run would never end"

    def _about_gate(self, ids: list[str]) -> Iterator[tuple[str, object, str]]:
        """Check that a gate names two of the participants, and that the order of the others stops nothing."""
        if self.gate is not None:
            yield from self.gate.problems(ids)
            if self.scheduler.reference is not None:
                yield "scheduler.reference", self.scheduler.reference, "none in a gate, which plays both versions"
            if self.stop.adjacent_confidence is not None or self.stop.topk_stable is not None:
                yield "stop", "a rule about the order", "a budget alone in a gate, which ends when it has its answer"

    def _about_reference(self, ids: list[str]) -> Iterator[tuple[str, object, str]]:
        """Check that a gauntlet names one of the participants, and that nothing else does."""
        policy, reference = self.scheduler.policy, self.scheduler.reference
        if policy != GAUNTLET:
            if reference is not None:
                yield "scheduler.reference", reference, f"policy: {GAUNTLET} with it; {policy} has no reference"
        elif reference not in ids:
            expected = f"the id of the participant that everybody plays: {one_of(ids, reference or '')}"
            yield "scheduler.reference", reference, expected
        rule = self.stop.adjacent_confidence
        if policy == GAUNTLET and rule is not None and rule.method != "margin":
            expected = f"margin: a {GAUNTLET} ranks by what is won from the reference"
            yield "stop.adjacentConfidence.method", rule.method, expected

    def _about_memory(self) -> Iterator[tuple[str, object, str]]:
        """Check that a round is not too large."""
        matches = min(self.matches_per_round(), len(self.pairings()))
        games = 2 * self.seeds.per_match * matches
        hands = games * (self.game.hands_per_game + self.game.warmup_hands)
        at_once = "a match" if matches == 1 else f"the {matches:,} matches of a round"
        for found, most, what in ((games, MOST_GAMES_OF_A_ROUND, "games"), (hands, MOST_HANDS_OF_A_ROUND, "hands")):
            if found > most:
                expected = f"at most {most:,} {what} in {at_once}, and these are {found:,}"
                yield "seeds.perMatch", self.seeds.per_match, expected
                return

    def pairings(self) -> list[Pair]:
        """Return the pairs of participants that may play: all, or in a gauntlet everybody with the reference."""
        yardstick, gate = self.scheduler.reference, self.gate
        every = combinations([participant.id for participant in self.participants], 2)
        if gate is not None:
            return [pair for pair in every if gate.plays(pair)]
        return [pair for pair in every if yardstick is None or yardstick in pair]

    def decks(self) -> dict[Pair, Pair]:
        """Return the pairing whose decks each pairing plays: its own, but in a gate that of the new version."""
        gate = self.gate
        return {pair: pair if gate is None else gate.as_new(pair) for pair in self.pairings()}

    def anchors(self) -> list[str]:
        """Return the participants that are outside the field."""
        return [participant.id for participant in self.participants if participant.anchor]

    def measured_against(self) -> str | None:
        """Return who the others are measured against: the reference of a gauntlet, or a bot that can be one."""
        bots = [each.id for each in self.participants if each.type in REFERENCES]
        return self.scheduler.reference or (bots[0] if bots else None)

    def models(self) -> dict[str, LLMSettings]:
        """Return the settings of every language model, by participant."""
        settings = {each.id: each.settings() for each in self.participants}
        return {name: found for name, found in settings.items() if isinstance(found, LLMSettings)}

    def askers(self) -> dict[str, tuple[LLMSettings, ...]]:
        """Return the settings of the models that participants' own code may ask, by participant."""
        given = {each.id: getattr(each.settings(), "models", ()) for each in self.participants}
        return {
            name: tuple(checked(LLMSettings, {"model": one} if isinstance(one, str) else one) for one in models)
            for name, models in given.items()
            if models
        }

    def paid(self) -> dict[str, tuple[LLMSettings, ...]]:
        """Return the settings of every model that the run may pay for, by participant."""
        return {**{name: (settings,) for name, settings in self.models().items()}, **self.askers()}

    def people(self) -> list[str]:
        """Return who is played by a person at the terminal."""
        return [each.id for each in self.participants if each.kind.in_person]

    def matches_per_round(self) -> int:
        """Return how many matches are scheduled together: with models, whose games wait, no one should sit idle."""
        asked_for = self.scheduler.matches_per_round if self.gate is None else len(self.pairings())
        return asked_for or (max(1, len(self.participants) // 2) if self.models() else 1)

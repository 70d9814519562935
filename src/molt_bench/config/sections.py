"""BenchmarkConfig: everything that determines a result, validated, with defaults.

Files and artifacts use camelCase; snake_case is accepted as well.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

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
from molt_bench.config.findings import Findings
from molt_bench.config.game import (
    MOST_GAMES_OF_A_ROUND,
    MOST_HANDS_OF_A_ROUND,
    GameConfig,
    MatchConfig,
    SeedsConfig,
)
from molt_bench.config.gate import Versions, problems_of, versions_of
from molt_bench.config.matchmaker_names import GATE, GAUNTLET, check_matchmaker
from molt_bench.config.participants import (
    REFERENCES,
    AnyParticipant,
    Mu,
    ParticipantConfig,
    Sigma,
    of_its_kind,
    participants_named,
)
from molt_bench.config.stop import Budget, StopConfig, usual_tie_margin
from molt_bench.errors import ConfigError
from molt_bench.llm.money.prices import Price
from molt_bench.llm.settings import LLMSettings
from molt_bench.rating.openskill import DEFAULT_MU, DEFAULT_SIGMA
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of

AnySection = TypeVar("AnySection", bound=Section)
Share = Annotated[float, Field(ge=0, le=1)]

#: Every two participants form a pairing, and every pairing is considered before every round.
MOST_PARTICIPANTS: Final = 1_000
#: Seeds of a match and matches of a run with language models, where a config does not say. A run can stop after a
#: match, and tells nothing before every pairing has played one. So short ones save hands, which cost money there.
MODEL_SEEDS_PER_MATCH: Final = 4
MODEL_MATCHES: Final = 50


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
            description="Which pairs play next; gauntlet if only a reference is given. With gate, the first "
            "participant is a new version of the second; see `molt-bench gate`."
        ),
    ] = "information_gain"
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


def _named(participants: list[Any]) -> list[Any]:
    """Return participants with settings in place of those that are given by type, such as `[random, tight]`."""
    found = iter(participants_named([each for each in participants if isinstance(each, str)]))
    return [next(found) if isinstance(each, str) else each for each in participants]


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
            for each in _named(value["participants"])
        ]
        return {**value, "participants": found}

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, value: Any, info: ValidationInfo) -> Any:
        """Leave out fields that do not exist, and take note of them."""
        if not isinstance(value, dict) or not isinstance(info.context, Findings):
            return value
        known = {name for own, field in cls.model_fields.items() for name in (own, field.alias)}
        for name in [each for each in value if each not in known]:
            info.context.unknown(str(name), value[name])
        return {name: each for name, each in value.items() if name in known}

    @field_validator("*", mode="wrap")
    @classmethod
    def _one_by_one(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Take note of what is wrong with a field and go on with what is right, so that all mistakes are found."""
        name = info.field_name or ""
        if name == "participants" and isinstance(value, list):
            value = _named(value)
        try:
            return handler(value)
        except ValidationError as error:
            if not isinstance(info.context, Findings):
                raise
            wrong = info.context.take(cls.model_fields[name].alias or name, error)
            if name == "participants" and isinstance(value, list):
                return tuple([of_its_kind(each) for at, each in enumerate(value) if at not in wrong])
            return cls.model_fields[name].default

    @model_validator(mode="after")
    def _sound(self, info: ValidationInfo) -> Self:
        self._shorten_matches()
        findings = info.context if isinstance(info.context, Findings) else Findings()
        found = [*self._about_participants()]
        checks: Sequence[tuple[set[str], Callable[[], Iterator[tuple[str, object, str]]]]] = (
            ({"scheduler", "stop"}, self._about_gate),
            ({"scheduler", "participants", "stop"}, self._about_reference),
            ({"seeds", "game", "scheduler"}, self._about_memory),
            ({"seeds", "stop"}, self._about_games),
            ({"seeds", "game", "stop"}, self._about_hands),
            ({"seeds", "stop", "scheduler"}, self._about_the_end),
        )
        for needed, check in checks:
            # What follows from a default in place of a mistake is no mistake of the user's.
            found += check() if needed.isdisjoint(findings.wrong) else ()
        if found and info.context is not findings:
            raise as_problems(found)
        findings.across(found)
        rule = self.stop.adjacent_confidence
        if rule is not None and "tie_margin_mbb" not in rule.model_fields_set:
            # The config that a run keeps states it, so that the run is the same whatever the default becomes.
            scaled = rule.model_copy(update={"tie_margin_mbb": self.usual_tie_margin()})
            self.__dict__["stop"] = self.stop.model_copy(update={"adjacent_confidence": scaled})
        return self

    def _about_participants(self) -> Iterator[tuple[str, object, str]]:
        ids = [participant.id for participant in self.participants]
        for name in dict.fromkeys(ids):
            if ids.count(name) > 1:
                yield "participants", name, "a different id for each, and this one appears twice"
        for name in self.people()[1:]:
            yield "participants", name, "one human at most, since there is one terminal"

    def _about_games(self) -> Iterator[tuple[str, object, str]]:
        return self.stop.too_small("games", 2 * self.seeds.per_match)

    def _about_hands(self) -> Iterator[tuple[str, object, str]]:
        game = self.game
        return self.stop.too_small("hands", 2 * self.seeds.per_match * (game.hands_per_game + game.warmup_hands))

    def _about_the_end(self) -> Iterator[tuple[str, object, str]]:
        if self.stop.endless and self.seeds.file is None and self.gate is None:
            yield "stop", None, "at least one condition, such as budget.maxMatches: the run would never end"

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

    def _about_gate(self) -> Iterator[tuple[str, object, str]]:
        """Check that nothing but its answer and a budget stops a gate."""
        return problems_of(self.stop) if self.scheduler.policy == GATE else iter(())

    def _about_reference(self) -> Iterator[tuple[str, object, str]]:
        """Check that a gauntlet names one of the participants, and that nothing else does."""
        policy, reference = self.scheduler.policy, self.scheduler.reference
        ids = [each.id for each in self.participants]
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

    @property
    def gate(self) -> Versions | None:
        """The two versions that a gate compares; None if the run is none."""
        ids = [participant.id for participant in self.participants]
        return versions_of(ids, self.stop) if self.scheduler.policy == GATE else None

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

"""BenchmarkConfig: everything that decides a result, checked, with defaults.

Files and artifacts use camelCase; snake_case is taken as well.
"""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from molt_bench.agents.fields import MUCH, Count, NoneOrMore, PathText, Section, as_problem
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.agents.llm.prices import Price
from molt_bench.config.participants import AnyParticipant, LLMParticipantConfig, Mu, ParticipantConfig, Sigma, named
from molt_bench.errors import ConfigError
from molt_bench.rating.openskill import DEFAULT_MU, DEFAULT_SIGMA
from molt_bench.schedule import policy_named
from molt_bench.seeds import Seed
from molt_bench.specs import GameOptions, GameSpec

Share = Annotated[float, Field(ge=0, le=1)]
#: Seconds or dollars.
Amount = Annotated[float, Field(gt=0, le=MUCH)]

#: Every two of them are a pairing, and every pairing is thought about before every round.
MOST_PARTICIPANTS: Final = 200
#: Hands of one game; games of a round and hands of all of them, which are in memory until it is rated: 300 MB of them.
MOST_HANDS: Final = 100_000
MOST_GAMES_OF_A_ROUND: Final = 50_000
MOST_HANDS_OF_A_ROUND: Final = 1_000_000


class SeedsConfig(Section):
    """Which decks are dealt."""

    per_match: Annotated[
        Count,
        Field(le=MOST_GAMES_OF_A_ROUND // 2, description="Seeds of a match; each is played twice, seats swapped."),
    ] = 10
    master_seed: Annotated[
        Seed | None,
        Field(description="Names the pool of seeds; null: a fixed one for built-in bots alone, otherwise drawn."),
    ] = None
    shared_decks: Annotated[
        bool | None, Field(description="Whether all pairings are dealt the same; null: only if a file is too short.")
    ] = None
    file: Annotated[
        PathText | None, Field(description="A file of seeds (JSON list, or one a line) in place of the pool.")
    ] = None


class GameConfig(Section):
    """What is played; the fields are those of GameSpec."""

    hands_per_game: Annotated[Count, Field(le=MOST_HANDS)] = 50
    small_blind: NoneOrMore = 50
    big_blind: Count = 100
    ante: NoneOrMore = 0
    stack: Count = 10_000
    stacks: Literal["reset", "carry"] = "reset"
    raise_cap: Count | None = None
    warmup_hands: Annotated[NoneOrMore, Field(le=MOST_HANDS)] = 0
    max_retries: Annotated[NoneOrMore, Field(le=100)] = 2
    max_actions_per_hand: Annotated[Count, Field(le=10_000)] = 200
    action_timeout_s: Annotated[float, Field(gt=0, lt=MUCH)] | None = None

    @model_validator(mode="after")
    def _playable(self) -> Self:
        try:
            GameSpec(seed=0, hands=self.hands_per_game, **self.options())
        except ConfigError as error:
            raise as_problem(to_camel(error.field), error.value, error.expected) from error
        return self

    def options(self) -> GameOptions:
        """Return the settings as `play_game` takes them."""
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

    draw_threshold: Annotated[NoneOrMore, Field(description="Net chips up to which it is a draw.")] = 0


class RatingConfig(Section):
    """How results become ratings and margins."""

    mu0: Mu = DEFAULT_MU
    sigma0: Sigma = DEFAULT_SIGMA
    update_per: Annotated[
        Literal["match", "seedPair"], Field(description="What OpenSkill learns from, by who won it.")
    ] = "match"
    estimator: Annotated[
        Literal["auto", "raw", "allIn", "adjusted", "corrected"],
        Field(description="How margins are measured: by the chips, or with ever more of the luck taken out."),
    ] = "auto"
    margins: Annotated[
        Literal["pairwise", "additive"],
        Field(description="Every pair on its own, or skills that add up: fewer games, wrong where there are cycles."),
    ] = "pairwise"


class SchedulerConfig(Section):
    """Which pairings are played."""

    policy: str = "information_gain"
    exploration: Annotated[Share, Field(description="0: close pairs only; 1: uncertain pairs only.")] = 0.25
    rematch_window: Annotated[
        NoneOrMore, Field(description="Matches before a pair meets again, where another can play.")
    ] = 1
    matches_per_round: Annotated[
        Count | None,
        Field(description="Matches decided on and played together; null: one, with models one for every two who play."),
    ] = None
    min_seed_pairs: Annotated[
        Count, Field(description="Seed pairs of every pairing before anything is decided by margins.")
    ] = 4

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        try:
            policy_named(value)
        except ConfigError as error:
            raise as_problem("", value, error.expected) from error
        return value


class AdjacentConfidence(Section):
    """Stop once every adjacent pair of the leaderboard is ordered with this confidence."""

    threshold: Annotated[float, Field(gt=0.5, le=1 - 1e-9)] = 0.95
    method: Annotated[
        Literal["margin", "openskill", "predict_win"], Field(description="What the confidence is computed from.")
    ] = "margin"
    tie_margin_mbb: Annotated[
        float, Field(ge=1e-6, le=MUCH, description="Thousandths of a big blind a hand within which two count as tied.")
    ] = 250.0


class Budget(Section):
    """Stop when one of these is spent; null for no limit."""

    max_matches: Count | None = 20
    max_games: Count | None = None
    max_hands: Count | None = None
    max_seconds: Amount | None = None
    max_cost_usd: Annotated[Amount, Field(description="Dollars for language models.")] | None = None
    max_tokens: Annotated[Count, Field(description="Tokens of language models, input and output.")] | None = None


class TopKStable(Section):
    """Stop once the first k have not changed for so many rounds."""

    k: Count = 1
    rounds: Count = 5


class StopConfig(Section):
    """When it is enough: the first condition that holds ends the run."""

    adjacent_confidence: AdjacentConfidence | None = AdjacentConfidence()
    budget: Budget | None = Budget()
    topk_stable: TopKStable | None = None


class LLMConfig(Section):
    """How language models are asked."""

    max_concurrent: Annotated[Count, Field(le=1_000_000, description="Requests at once, to all models together.")] = (
        1000
    )
    transport_retries: Annotated[
        NoneOrMore, Field(le=100, description="Further tries of a request that brought no reply.")
    ] = 5
    backoff_s: Annotated[
        float, Field(ge=0, le=MUCH, description="Seconds before the first of them, doubled for each.")
    ] = 1.0
    max_game_attempts: Annotated[
        Count,
        Field(le=1000, description="Tries at a game without a connection, before that counts as the agent's fault."),
    ] = 3
    prices: Annotated[
        dict[str, Price], Field(description="Dollars for a million tokens, by model; they win over published ones.")
    ] = {}  # noqa: RUF012 - pydantic copies it


class BenchmarkConfig(Section):
    """One benchmark."""

    participants: Annotated[tuple[AnyParticipant, ...], Field(min_length=2, max_length=MOST_PARTICIPANTS)] = (
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
    output_dir: Annotated[PathText, Field(description="Folder that gets a folder for every run.")] = "benchmark-results"

    @field_validator("participants", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        """Take `[random, tight]` for what it means."""
        if not isinstance(value, list):
            return value
        found = iter(named([each for each in value if isinstance(each, str)]))
        return [next(found) if isinstance(each, str) else each for each in value]

    @model_validator(mode="after")
    def _sound(self) -> Self:
        ids = [participant.id for participant in self.participants]
        twice = next((name for name in ids if ids.count(name) > 1), None)
        if twice is not None:
            raise as_problem("participants", twice, "a different id for each, and this one stands there twice")
        self._fits_in_memory()
        limits = self.stop.budget or Budget(max_matches=None)
        games = 2 * self.seeds.per_match
        if limits.max_games is not None and limits.max_games < games:
            raise as_problem("stop.budget.maxGames", limits.max_games, f"at least {games}, the games of one match")
        endless = limits == Budget(max_matches=None) and self.seeds.file is None
        if endless and self.stop.adjacent_confidence is None and self.stop.topk_stable is None:
            raise as_problem("stop", None, "at least one condition, such as budget.maxMatches: the run would never end")
        return self

    def _fits_in_memory(self) -> None:
        count = len(self.participants)
        matches = min(self.matches_per_round(), count * (count - 1) // 2)
        games = 2 * self.seeds.per_match * matches
        hands = games * (self.game.hands_per_game + self.game.warmup_hands)
        at_once = "a match" if matches == 1 else f"the {matches:,} matches of a round"
        for found, most, what in ((games, MOST_GAMES_OF_A_ROUND, "games"), (hands, MOST_HANDS_OF_A_ROUND, "hands")):
            if found > most:
                expected = f"at most {most:,} {what} in {at_once}, and these are {found:,}"
                raise as_problem("seeds.perMatch", self.seeds.per_match, expected)

    def models(self) -> dict[str, LLMSettings]:
        """Return the settings of every language model, by participant."""
        return {each.id: each.settings() for each in self.participants if isinstance(each, LLMParticipantConfig)}

    def matches_per_round(self) -> int:
        """Return how many matches are decided on together: with models, whose games wait, nobody should sit idle."""
        asked_for = self.scheduler.matches_per_round
        return asked_for or (max(1, len(self.participants) // 2) if self.models() else 1)

    def plain(self) -> dict[str, Any]:
        """Return the config as JSON has it, every field spelled out."""
        return self.model_dump(mode="json", by_alias=True)

"""The sections of a config about what is played: `seeds`, `game` and `match`."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from molt_bench.agents.settings_base import MUCH, Count, NoneOrMore, PathText, Section, as_problem
from molt_bench.errors import ConfigError
from molt_bench.seeds import Seed
from molt_bench.specs import GameOptions, GameSpec

#: Limits on hands per game, and on games and hands per round: a round stays in memory (300 MB) until it is rated.
MOST_HANDS: Final = 100_000
MOST_GAMES_OF_A_ROUND: Final = 50_000
MOST_HANDS_OF_A_ROUND: Final = 1_000_000


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
    stack: Annotated[Count, Field(description="Chips each player starts with.")] = 10_000
    stacks: Annotated[
        Literal["reset", "carry"],
        Field(description="Reset after every hand, or carried over until a player is broke, which ends the game."),
    ] = "reset"
    warmup_hands: Annotated[
        NoneOrMore,
        Field(le=MOST_HANDS, description="Hands played first that do not count; stacks are reset after them."),
    ] = 0
    max_retries: Annotated[
        NoneOrMore, Field(le=100, description="How often a decision is asked for again after a fault, before a fold.")
    ] = 2
    max_actions_per_hand: Annotated[
        Count,
        Field(le=10_000, description="Actions of one hand after which no raise is legal, so that every hand ends."),
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

    @property
    def dealt_hands(self) -> int:
        """Hands of a game, those included that do not count."""
        return self.hands_per_game + self.warmup_hands

    def options(self) -> GameOptions:
        """Return the settings as keyword arguments for `play_game`."""
        return {
            "small_blind": self.small_blind,
            "big_blind": self.big_blind,
            "stack": self.stack,
            "stacks": self.stacks,
            "warmup_hands": self.warmup_hands,
            "max_retries": self.max_retries,
            "max_actions": self.max_actions_per_hand,
            "action_timeout_s": self.action_timeout_s,
        }


class MatchConfig(Section):
    """How a match is decided."""

    draw_threshold: Annotated[NoneOrMore, Field(description="Net chips up to which a match is a draw.")] = 0

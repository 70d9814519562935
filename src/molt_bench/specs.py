"""Specs: every input of a game, frozen and validated."""

from typing import Any, Final, Literal, TypeAlias, TypedDict

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import ConfigError, check_at_least
from molt_bench.poker.actions import MOST_CHIPS
from molt_bench.poker.hand import HandRules
from molt_bench.seeds import Seed, label_bytes

#: Which player sits in seat 0 and has the button in hand 1: player A for "AB", player B for "BA".
Seating: TypeAlias = Literal["AB", "BA"]
SEATINGS: Final[tuple[Seating, Seating]] = ("AB", "BA")
#: "reset": every hand starts with the same stacks. "carry": winnings carry over to the next hand.
StackMode: TypeAlias = Literal["reset", "carry"]

#: Ids of two participants, in the order they were declared.
Pair: TypeAlias = tuple[str, str]

#: Seconds an awaitable answer may take if no limit is set.
DEFAULT_TIMEOUT_S: Final = 60.0
#: Seconds a language model may take to answer if no limit is set.
MODEL_TIMEOUT_S: Final = 120.0
#: Games that an agent may forfeit before the run goes on without it.
MOST_FORFEITS: Final = 3
#: What is recorded of an agent that could play in a box, and does not.
NO_BOX: Final = "none"


class ParticipantSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One participant.

    Attributes:
        id: Name in records; unique within a run.
        type: Name of a built-in or registered agent.
        params: Keyword arguments for the agent's factory, or else settings of its kind.
        settings: Settings of its kind, such as `sandbox`.
    """

    id: str
    type: str
    params: dict[str, Any] = {}
    settings: dict[str, Any] = {}

    def __post_init__(self) -> None:
        for field in ("id", "type"):
            value = getattr(self, field)
            if not isinstance(value, str) or not value:
                raise ConfigError(field, value, "a name that is not empty")


class GameLabel(msgspec.Struct, frozen=True):
    """Identifies a game within a run: the number of its match from 1, the name of its decks, and who sits in seat 0."""

    match: int
    seed: Seed
    seating: Seating


class GameOptions(TypedDict, total=False):
    """The settings of a game that have defaults; see `GameSpec`."""

    seating: Seating
    small_blind: int
    big_blind: int
    ante: int
    stack: int
    stacks: StackMode
    raise_cap: int | None
    warmup_hands: int
    max_retries: int
    max_actions: int
    action_timeout_s: float | None


class GameFacts(msgspec.Struct, frozen=True):
    """What both players of a game may know about it before the first card; the fields are those of `GameSpec`."""

    hands: int
    warmup_hands: int
    stack: int
    stacks: StackMode
    rules: HandRules


class GameSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One game: hands between two players in fixed seats, dealt from one seed.

    Attributes:
        seed: Name of the game, and of its decks unless `deck_seed` is set; an int of any size, or a string.
        hands: Hands that count, at least 1.
        players: Names of players A and B.
        seating: Who sits in seat 0, which has the button in odd hands.
        small_blind: Chips, 0 to the big blind.
        big_blind: Chips, at least 1.
        ante: Chips each seat posts before the blinds.
        stack: Chips each player starts with, at least the big blind and the ante.
        stacks: `reset` or `carry`; with `carry` the game ends early if a player goes broke.
        raise_cap: Bets and raises allowed on one street; None for no cap.
        warmup_hands: Hands played first that do not count; stacks are reset after them.
        max_retries: How often a decision is asked for again after a fault, before the hand is force-folded.
        max_actions: Actions of one hand after which no raise is legal, so that every hand ends.
        action_timeout_s: Seconds for one answer of any agent. None: an awaitable answer gets 60 s, and a plain
            function is called directly, without a limit.
        deck_seed: Name of the decks, if the two seatings of a seed must not share them.
        dice_names: Names that the dice are thrown for, if not those of the players: two versions of an agent have the
            same dice.
    """

    seed: Seed
    hands: int
    players: tuple[str, str] = ("A", "B")
    seating: Seating = "AB"
    small_blind: int = 50
    big_blind: int = 100
    ante: int = 0
    stack: int = 10_000
    stacks: StackMode = "reset"
    raise_cap: int | None = None
    warmup_hands: int = 0
    max_retries: int = 2
    max_actions: int = 200
    action_timeout_s: float | None = None
    deck_seed: Seed | UnsetType = UNSET
    dice_names: tuple[str, str] | UnsetType = UNSET

    def __post_init__(self) -> None:
        for seed in (self.seed, self.deck_seed):
            if seed is not UNSET:
                label_bytes(seed)
        check_at_least(self, hands=1, stack=1, warmup_hands=0, max_retries=0, max_actions=1)
        rules = self.rules
        if self.stack > MOST_CHIPS:
            raise ConfigError("stack", self.stack, f"at most {MOST_CHIPS} chips")
        if self.stack < rules.big_blind + rules.ante:
            raise ConfigError("stack", self.stack, f"at least big blind and ante ({rules.big_blind + rules.ante})")
        for field, allowed in (("seating", SEATINGS), ("stacks", ("reset", "carry"))):
            if getattr(self, field) not in allowed:
                raise ConfigError(field, getattr(self, field), " or ".join(map(repr, allowed)))
        timeout = self.action_timeout_s
        if timeout is not None and (
            isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < 1e9
        ):
            raise ConfigError("action_timeout_s", timeout, "None or seconds above 0")

    @property
    def rules(self) -> HandRules:
        """The blinds, ante and raise cap of every hand."""
        return HandRules(self.small_blind, self.big_blind, self.ante, self.raise_cap)

    @property
    def facts(self) -> GameFacts:
        """What both players may know about it."""
        return GameFacts(self.hands, self.warmup_hands, self.stack, self.stacks, self.rules)

    @property
    def decks(self) -> Seed:
        """The name of the decks."""
        return self.seed if self.deck_seed is UNSET else self.deck_seed

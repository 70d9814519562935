"""Records: every output of a game, frozen."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from molt_bench.errors import FaultKind, RulesError
from molt_bench.poker.hand import NOBODY
from molt_bench.poker.mix import mixes_from_text
from molt_bench.poker.notation import ParsedHand, hand_from_text
from molt_bench.seeds import Seed
from molt_bench.specs import GameSpec, Seating

#: Who won a match.
Winner: TypeAlias = Literal["A", "B", "draw"]

#: 10 mbb (thousandths of a big blind) per hand are one big blind per 100 hands.
MBB_PER_BB100: Final = 10.0
#: Decimals of bb/100, wherever they are shown: an interval is rarely narrower than that.
BB100_DECIMALS: Final = 1
#: Maximum length of a fault's message in characters.
MESSAGE_LENGTH: Final = 500


class Fault(msgspec.Struct, frozen=True, gc=False):
    """One fault of an agent.

    Attributes:
        player: Who made it: 0 for player A, 1 for player B.
        hand_number: Number of the hand, from 1; 0 before the first.
        kind: The kind of fault.
        message: What was wrong.
        attempt: Which attempt at the decision it was, from 1; 0 for a hook.
        forced_fold: Whether it was the last attempt, so that the hand was force-folded.
        decision: How many actions of the hand came before the decision, and so its place in the hand, from 0; None for
            a hook that is not about a decision.
        hook: The hook that failed; "" for a decision.
    """

    player: int
    hand_number: int
    kind: FaultKind
    message: str
    attempt: int
    forced_fold: bool = False
    decision: int | None = None
    hook: str = ""

    @property
    def said(self) -> str:
        """What was wrong, with the hook in front if one failed."""
        return f"{self.hook}: {self.message}" if self.hook else self.message


class GameRecord(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One finished game. Pairs are indexed by player, A first, regardless of seats.

    Attributes:
        spec: What was played.
        net: Chips won by each player in the hands that count.
        hands: Hands played that count; fewer than specified if a player went broke.
        hand_nets: Net chips of player A in every hand, warm-up first.
        hand_texts: Every hand as a line it can be rebuilt from, by seat; see `molt_bench.poker.notation`.
        mixes: What was drawn from, a line for every hand; "" if nothing was drawn in it, and no lines if nothing was in
            the game. See `molt_bench.poker.mix`.
        actions: Actions of both players in all hands.
        faults: All faults, in order.
        both_failed: Whether neither player gave a usable answer in the hands that count, though both were asked. The
            game is then a draw: `net` is (0, 0), whatever blinds the forced folds moved in `hand_nets`.
    """

    spec: GameSpec
    net: tuple[int, int]
    hands: int
    hand_nets: tuple[int, ...]
    hand_texts: tuple[str, ...]
    actions: int
    faults: tuple[Fault, ...]
    both_failed: bool = False
    mixes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a record whose numbers contradict each other: a results file was damaged or edited by hand."""
        nets, warmup = self.hand_nets, self.spec.warmup_hands
        if not 0 <= self.hands <= self.spec.hands or self.net[0] + self.net[1]:
            raise ValueError("the hands or the chips of a game do not add up")
        if nets or self.hand_texts:
            won = 0 if self.both_failed else sum(nets[warmup:])
            if not len(nets) == len(self.hand_texts) == self.dealt or won != self.net[0]:
                raise ValueError("the hands of a game do not add up to its result")
        if self.mixes and len(self.mixes) != len(self.hand_texts):
            raise ValueError("the mixes of a game are not those of its hands")
        if any(fault.player not in (0, 1) for fault in self.faults):
            raise ValueError("a fault of neither player")

    @property
    def seed(self) -> Seed:
        """The seed that names the decks."""
        return self.spec.seed

    @property
    def seating(self) -> Seating:
        """Who sat in seat 0."""
        return self.spec.seating

    @property
    def players(self) -> tuple[str, str]:
        """Names of players A and B."""
        return self.spec.players

    @property
    def dealt(self) -> int:
        """Hands played, warm-up included."""
        return self.spec.warmup_hands + self.hands

    def without_hands(self) -> "GameRecord":
        """Return the record without its individual hands, for use where those are kept elsewhere."""
        return msgspec.structs.replace(self, hand_nets=(), hand_texts=(), mixes=())

    @property
    def stack_trajectory(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Each player's chips before the first hand that counts, and after every one.

        If stacks are reset for every hand: what they would be had they been carried over.
        """
        nets = self.hand_nets[self.spec.warmup_hands :]
        start = self.spec.stack
        first = tuple(accumulate(nets, initial=start))
        return first, tuple([2 * start - chips for chips in first])

    @property
    def fault_counts(self) -> tuple[Counter[FaultKind], Counter[FaultKind]]:
        """Number of faults of each kind, by player."""
        first, second = (Counter(fault.kind for fault in self.faults if fault.player == who) for who in (0, 1))
        return first, second

    def unreadable(self) -> str | None:
        """Return which hand cannot have happened as written, and why; None if all can."""
        for number, text in enumerate(self.hand_texts, start=1):
            try:
                found = hand_from_text(text)
            except RulesError as error:
                return f"hand {number}: {error}"
            if found.number != number:
                return f"hand {number} has the number {found.number}"
            if self.hand_nets[number - 1] != found.hand.payoffs[0 if self.seating == "AB" else 1]:
                return f"hand {number} was won by other chips than the game says"
            wrong = _wrong_mix(self.mixes[number - 1], found) if self.mixes else ""
            if wrong:
                return f"hand {number}: {wrong}"
        return None

    def replay(self) -> Iterator[ParsedHand]:
        """Rebuild every hand from its text, warm-up first; with seating "AB", seat 0 is player A's."""
        return map(hand_from_text, self.hand_texts)


def _wrong_mix(line: str, played: ParsedHand) -> str:
    """Return what the mixes of a hand cannot have led to; "" if they may have led to all that was done."""
    try:
        mixes = mixes_from_text(line)
    except RulesError as error:
        return str(error)
    log = played.hand.log
    for at, mix in mixes.items():
        forced = played.forced != NOBODY and at == len(log) - 1
        if at >= len(log) or forced or not mix.has(log[at].kind, log[at].amount):
            return f"action {at + 1} was not drawn from {mix.text}"
    return ""


class SeedResult(msgspec.Struct, frozen=True):
    """The two games of one seed, first with player A in seat 0, then player B: the unit of all statistics."""

    seed: Seed
    games: tuple[GameRecord, GameRecord]

    @property
    def net(self) -> int:
        """Chips player A won in both games together."""
        return sum(game.net[0] for game in self.games)

    @property
    def hands(self) -> int:
        """Hands that count in both games together."""
        return sum(game.hands for game in self.games)

    @property
    def nominal_hands(self) -> int:
        """Hands specified for both games together; a game ends early if a player goes broke.

        Winnings per hand use this number. The number of hands played depends on the cards, and a mean of ratios to it
        would favour the winner of the short games.
        """
        return sum(game.spec.hands for game in self.games)


class Rating(msgspec.Struct, frozen=True):
    """The rating of one participant: mean and standard deviation of the belief about its skill, and its record."""

    id: str
    mu: float
    sigma: float
    matches: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0


class RatingChange(msgspec.Struct, frozen=True):
    """How one match changed the ratings of its two participants, A first."""

    before: tuple[Rating, Rating]
    after: tuple[Rating, Rating]


#: The estimators by their names in configs and artifacts: the chips, and the chips without luck.
ESTIMATORS: Final = ("raw", "adjusted")

#: What player A won in each seed pair of a match, in thousandths of a big blind per hand, by the names of `ESTIMATORS`.
Margins: TypeAlias = Mapping[str, tuple[float, ...]]


class MatchResult(msgspec.Struct, frozen=True):
    """All seed pairs of one match, by itself or in a run, with its effect on the ratings.

    Attributes:
        seed_results: The result of every seed, in order of play.
        draw_threshold: Net chips up to which the match is a draw.
        participants: Names of players A and B.
        number: In a run, from 1, in schedule order; 0 for a match by itself.
        round: The round in which it was scheduled, from 1.
        meeting: Which meeting of this pair it was, from 1.
        change: Both ratings, before and after.
        margins: What player A won in each seed pair.
    """

    seed_results: tuple[SeedResult, ...]
    draw_threshold: int = 0
    participants: tuple[str, str] = ("A", "B")
    number: int = 0
    round: int = 0
    meeting: int = 0
    change: RatingChange | None = None
    margins: Margins = {}

    def without_hands(self) -> "MatchResult":
        """Return the result without its individual hands."""
        seeds = tuple(
            SeedResult(seed.seed, (seed.games[0].without_hands(), seed.games[1].without_hands()))
            for seed in self.seed_results
        )
        return msgspec.structs.replace(self, seed_results=seeds)

    @property
    def games(self) -> list[GameRecord]:
        """All games, seed by seed."""
        return [game for result in self.seed_results for game in result.games]

    @property
    def score_a(self) -> int:
        """Net chips of player A."""
        return sum(result.net for result in self.seed_results)

    @property
    def score_b(self) -> int:
        """Net chips of player B."""
        return -self.score_a

    @property
    def winner(self) -> Winner:
        """The player who is ahead by more than the draw threshold, or else a draw."""
        if abs(self.score_a) <= self.draw_threshold:
            return "draw"
        return "A" if self.score_a > 0 else "B"

    @property
    def hands(self) -> int:
        """Hands that count in all games together."""
        return sum(result.hands for result in self.seed_results)

    @property
    def own_decks(self) -> bool:
        """Whether the two seatings of a seed were dealt different cards, because a player may remember."""
        return any(game.spec.deck_seed is not UNSET for game in self.games)

    @property
    def nominal_hands(self) -> int:
        """Hands specified for all games together."""
        return sum(result.nominal_hands for result in self.seed_results)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults of both players."""
        return tuple(fault for game in self.games for fault in game.faults)


#: No margin is larger, nor anything else that a match adds up to: stacks have at most 1e15 chips. Computing with much
#: larger numbers would overflow.
MOST: Final = 1e20


def possible_margins(margins: Margins, seeds: int) -> bool:
    """Return whether margins that were read can be those of a match over so many seeds: all there, and numbers."""
    return margins.keys() == {*ESTIMATORS} and all(
        len(column) == seeds and all(-MOST <= each <= MOST for each in column) for column in margins.values()
    )


def bb_per_100(mbb: float) -> float:
    """Return thousandths of a big blind per hand as big blinds per 100 hands, as they are shown."""
    return round(mbb / MBB_PER_BB100, BB100_DECIMALS) + 0.0


class Registered(msgspec.Struct, frozen=True, rename="camel"):
    """A plug-in as a run records it.

    Attributes:
        version: Its own number; a run goes on with no other.
        package: The distribution that it came from.
    """

    name: str
    version: int
    package: str

    @property
    def label(self) -> str:
        """Its name and version, as the margins of a match have it."""
        return f"{self.name} {self.version}"

    def __str__(self) -> str:
        """Return it as messages have it, such as "lookahead 1 (molt-bench)"."""
        return f"{self.label} ({self.package})"

"""The result of a run: its matches, the ratings after each, what was spent, and how often everybody failed."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.records import Margins, MatchResult, Rating, RatingChange
from molt_bench.seeds import Seed

#: Whoever gave no usable answer in more than this share of its hands did not really play.
_HELPLESS: Final = 0.5


class PlayedMatch(msgspec.Struct, frozen=True):
    """One match of a run, with what it did to the ratings.

    Attributes:
        number: From 1, in the order of the schedule.
        round: The round it was decided in, from 1.
        meeting: Which meeting of these two it was, from 1.
        participants: Ids of players A and B.
        result: What happened.
        change: Both ratings before and after.
        margins: What player A won in each seed pair.
    """

    number: int
    round: int
    meeting: int
    participants: tuple[str, str]
    result: MatchResult
    change: RatingChange
    margins: Margins = Margins()


class Convergence(msgspec.Struct, frozen=True):
    """Where the ratings stood after a match.

    Attributes:
        match: Its number.
        ratings: The leaderboard.
        ranking: The participants in the order that the stop rule looks at, best first.
        confidences: How sure the order of each adjacent pair of the ranking is.
    """

    match: int
    ratings: tuple[Rating, ...]
    ranking: tuple[str, ...]
    confidences: tuple[float, ...]


class AgentUsage(msgspec.Struct, frozen=True):
    """What one language model took and how it kept to the form.

    Attributes:
        id: Who.
        model: The model as the config names it.
        reported: The model as its provider reports it; several if that changed.
        modes: How replies were asked for.
        decisions: Decisions it was asked for.
        exchanges: Questions in games, those after a fault included. Tokens and dollars count the one before them, too.
        requests: Requests that were sent, those that brought no reply included.
        input_tokens: Tokens read, cached ones included.
        cached_tokens: Those read from a cache.
        output_tokens: Tokens written, reasoning included.
        reasoning_tokens: Those of them that are reasoning.
        cost_usd: Dollars; None where no price is known, or no reply ever came.
        latency_p50_s: Half of the replies came within these seconds; None without any.
        latency_p95_s: 95% of them did.
        readings: How often it was asked to read its hand and the price.
        misread_hand: How often it misread the hand.
        misread_to_call: How often it misread the price.
        replies: Questions that brought a reply.
    """

    id: str
    model: str
    reported: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    decisions: int = 0
    exchanges: int = 0
    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    readings: int = 0
    misread_hand: int = 0
    misread_to_call: int = 0
    replies: int = 0


class RunResult(msgspec.Struct, frozen=True):
    """One benchmark from beginning to end: what all reports are made of.

    Attributes:
        config: The config.
        matches: All matches, in the order of the schedule.
        leaderboard: The final ratings, best first.
        convergence: The ratings after every match.
        stop_reason: Why the run ended, as a sentence.
        seeds: The seeds that were used, in the order of the pool.
        seconds: How long it took, all sittings together.
        warnings: What the user should know, such as results that could not be written.
        usage: What every language model took.
        history: The stages it has been extended by: after how many matches each stopped and why, and by which rule.
        journal_lines: Lines of its journal; 0 without one.
        journal_hash: SHA-256 of the last of them, which stands for all of it.
    """

    config: BenchmarkConfig
    matches: tuple[PlayedMatch, ...]
    leaderboard: tuple[Rating, ...]
    convergence: tuple[Convergence, ...]
    stop_reason: str
    seeds: tuple[Seed, ...]
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    usage: tuple[AgentUsage, ...] = ()
    history: tuple[dict[str, Any], ...] = ()
    journal_lines: int = 0
    journal_hash: str = ""


class Failures(msgspec.Struct, frozen=True):
    """How often one participant failed.

    Attributes:
        hands: Hands it was dealt, warm-up included.
        faulty: Those in which it made a fault.
        unanswered: Those without a usable answer of it: folded after its last try, or in a game in which both failed.
    """

    hands: int = 0
    faulty: int = 0
    unanswered: int = 0

    @property
    def share(self) -> float:
        """The share of its hands in which it made a fault."""
        return self.faulty / self.hands if self.hands else 0.0

    @property
    def helpless(self) -> bool:
        """Whether it hardly ever answered, so that it did not really play."""
        return self.unanswered > _HELPLESS * self.hands


def failures_of(matches: Iterable[PlayedMatch]) -> dict[str, Failures]:
    """Return how often everybody failed who has played, in the order of their first games."""
    found: dict[str, Failures] = {}
    for game in (game for match in matches for seed in match.result.seed_results for game in seed.games):
        for player, name in enumerate(game.players):
            before, own = found.get(name, Failures()), [each for each in game.faults if each.player == player]
            found[name] = Failures(
                before.hands + game.dealt,
                # What fails before the first hand is a fault in that.
                before.faulty + len({max(1, fault.hand_number) for fault in own}),
                before.unanswered + max(sum(fault.forced_fold for fault in own), game.hands if game.both_failed else 0),
            )
    return found

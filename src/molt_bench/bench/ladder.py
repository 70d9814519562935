"""The ladder: what a run has learnt so far, match by match."""

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.scheduler import Pair, Situation, all_pairs, connected
from molt_bench.bench.stop import Progress
from molt_bench.rating.openskill import RatingService
from molt_bench.records import Convergence, MatchResult, PlayedMatch

#: How sure it is that the first is better than the second.
Confidence: TypeAlias = Callable[[str, str], float]


class Ladder:
    """Matches in their order, and the ratings after them.

    Attributes:
        matches: All matches.
        meetings: How often each pair has met.
        ratings: The ratings.
        convergence: The ratings after every match.
        rankings: The ranking after every round.
        rounds: Rounds so far.
        hands: Hands so far, warm-up included.
    """

    def __init__(self, config: BenchmarkConfig) -> None:
        ids = [participant.id for participant in config.participants]
        self._config = config
        self.matches: list[PlayedMatch] = []
        self.meetings: dict[Pair, int] = dict.fromkeys(all_pairs(ids), 0)
        self.ratings = RatingService(
            ids,
            mu=config.rating.mu0,
            sigma=config.rating.sigma0,
            initial={
                one.id: (one.initial_rating.mu, one.initial_rating.sigma)
                for one in config.participants
                if one.initial_rating is not None
            },
        )
        self.convergence: list[Convergence] = []
        self.rankings: list[tuple[str, ...]] = []
        self.rounds = 0
        self.hands = 0
        rule = config.stop.adjacent_confidence
        by_prediction = rule is not None and rule.method == "predict_win"
        self._confidence: Confidence = self.ratings.predict_win if by_prediction else self.ratings.superiority

    def rate(self, pair: Pair, result: MatchResult) -> PlayedMatch:
        """Learn from a match."""
        change = self.ratings.update(*pair, result.winner)
        self.meetings[pair] += 1
        match = PlayedMatch(len(self.matches) + 1, self.rounds + 1, self.meetings[pair], pair, result, change)
        self.matches.append(match)
        self.hands += sum(len(game.hand_texts) for seed in result.seed_results for game in seed.games)
        board = tuple(self.ratings.leaderboard())
        self.convergence.append(Convergence(match.number, board, self.confidences()))
        return match

    def end_round(self) -> None:
        """Note the ranking after a round."""
        self.rounds += 1
        self.rankings.append(self.ranking())

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first."""
        return tuple(rating.id for rating in self.ratings.leaderboard())

    def confidences(self) -> tuple[float, ...]:
        """Return how sure the order of each adjacent pair of the ranking is."""
        return tuple(self._confidence(above, below) for above, below in pairwise(self.ranking()))

    def recent(self, window: int) -> list[Pair]:
        """Return the pairs of the last matches."""
        return [match.participants for match in self.matches[-window:]] if window else []

    def situation(self) -> Situation:
        """Return what the scheduler looks at."""
        ranking = self.ranking()
        return Situation(
            ranking=ranking,
            mu={name: self.ratings[name].mu for name in ranking},
            sigma={name: self.ratings[name].sigma for name in ranking},
            meetings=self.meetings,
            confidence={pair: max(self._confidence(*pair), self._confidence(*pair[::-1])) for pair in self.meetings},
            exploration=self._config.scheduler.exploration,
            seed=self._config.seeds.master_seed,
            matches=len(self.matches),
        )

    def progress(
        self, *, seconds: float, next_games: int, next_hands: int, usd: float = 0.0, tokens: int = 0
    ) -> Progress:
        """Return what the stop rules look at."""
        return Progress(
            matches=len(self.matches),
            games=sum(2 * len(match.result.seed_results) for match in self.matches),
            hands=self.hands,
            seconds=seconds,
            ranking=self.ranking(),
            confidences=self.confidences(),
            rankings=self.rankings,
            connected=connected(self.meetings),
            next_games=next_games,
            next_hands=next_hands,
            usd=usd,
            tokens=tokens,
        )

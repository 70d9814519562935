"""The ladder: what a run has learned so far, match by match."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from typing import TypeAlias

from msgspec import structs

from molt_bench.agents.base import PolicyOf
from molt_bench.bench.margin_model_choice import margin_book
from molt_bench.bench.match_margins import MatchMargins, check_chips
from molt_bench.bench.model_draws import Draws
from molt_bench.bench.participant_failures import Failures, add_failures, left_the_run
from molt_bench.bench.refused_policies import MatchAccount
from molt_bench.bench.result import Convergence, PlayedMatch
from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import Progress, judge_of, rule_of
from molt_bench.bench.suspicion import Suspicion
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.luck.estimators import Estimates
from molt_bench.rating.estimator_choice import RAW
from molt_bench.rating.openskill import Ratings
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import Margins, MatchResult, Rating, RatingChange
from molt_bench.specs import GameSpec, Pair

#: Confidence that the first participant is better than the second.
Confidence: TypeAlias = Callable[[str, str], float]


class Ladder:
    """The matches in order, and what follows from them.

    Attributes:
        meetings: How often each pair of the config has met.
        open_meetings: The same of the pairs that may still play.
        left: Those who have forfeited so many games that the run goes on without them.
        min_meetings: How often every pair must meet before margins decide anything.
        margins: Who wins how much from whom.
        match_margins: Works out the margins of each match.
        suspicion: Whether removed luck is borne out by the chips.
        convergence: The ratings after every match.
        failures: How often each participant that has played failed.
        rankings: The ranking after every round.
        hands: Hands played so far, warm-up included.
        played: Matches of each participant so far.
        estimates: What player A won in games that are not rated yet, if a worker has computed it.
        model_draws: The draws of language models.
        by_margins: Whether margins decide, and not OpenSkill ratings.
        confidence: By which the order of two is judged.

    Args:
        policies: Action probabilities that participants publish.
        draws: Collects the draws of language models; the caller adds the exchanges to it.
        keep_hands: Whether match results keep their individual hands.
        stated: Those of whom the journal of the run says that they publish a policy of their own.
        recount: Whether margins are worked out even where they were recorded.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        policies: Mapping[str, PolicyOf] | None = None,
        *,
        draws: Draws | None = None,
        keep_hands: bool = True,
        stated: Collection[str] = (),
        recount: bool = True,
    ) -> None:
        self.config = config
        self.model_draws = draws or Draws(config.models())
        self._keep_hands = keep_hands
        self.estimates: dict[GameSpec, Estimates] = {}
        self.match_margins = MatchMargins(
            policies or {},
            self.model_draws,
            big_blind=config.game.big_blind,
            averaged={*config.models(), *(each.id for each in config.participants if each.kind.waits)},
            stated=stated,
        )
        self.match_margins.recount = recount
        self.matches: list[PlayedMatch] = []
        self.open_meetings = self.meetings = Meetings(dict.fromkeys(config.pairings(), 0))
        self.left: frozenset[str] = frozenset()
        self.min_meetings = -(-config.scheduler.min_seed_pairs // config.seeds.per_match)
        initial = {each.id: each.initial_rating for each in config.participants}
        self.ratings = Ratings(
            list(initial),
            mu=config.rating.mu0,
            sigma=config.rating.sigma0,
            initial={name: (each.mu, each.sigma) for name, each in initial.items() if each is not None},
        )
        self._open_book()
        self.convergence: list[Convergence] = []
        self.failures: dict[str, Failures] = {}
        self.rankings: list[tuple[str, ...]] = []
        self.rounds = self.hands = self.games = 0
        self.played: Counter[str] = Counter()
        self._confidences: tuple[float, ...] | None
        self._verdicts: tuple[Verdict, ...] | None
        self._stop: StopConfig | None = None
        self.judge_by(config.stop)
        self.by_margins = rule_of(config.stop).method == "margin"
        self.confidence: Confidence = self._sure if self.by_margins else self.ratings.superiority

    def _open_book(self) -> None:
        """Begin with no margins."""
        self._book = margin_book(self.config, self.config.rating.estimator, left=self.left)
        self.margins = self._book.model
        game = self.config.game
        self.suspicion = Suspicion(
            self.margins.participants,
            self.meetings,
            hands=2 * game.hands_per_game,
            stack=game.stack / game.big_blind,
        )

    def _enter(self, pair: Pair, margins: Margins) -> None:
        """Add the margins of a match; from then on chips alone count for those whose results they contradict."""
        book = self._book
        book.add(pair, margins)
        estimator = book.removing_luck(pair)
        book.distrust(self.suspicion.add(pair, book.column(pair, RAW), book.column(pair, estimator), estimator))

    def judge_by(self, stop: StopConfig) -> None:
        """Switch to another stop rule; what the confidence is computed from stays the same."""
        if self._stop is stop:
            return
        self._stop = stop
        self.judge = judge_of(self.config, stop)
        self._look_anew()

    def rate(
        self,
        pair: Pair,
        result: MatchResult,
        *,
        margins: Margins | MatchAccount | None = None,
        decided: int | None = None,
    ) -> PlayedMatch:
        """Add a match and update the ratings and margins.

        `margins` are those of its seed pairs, if already known, or the account of it, if one was recorded; `decided` is
        the round in which it was scheduled, from 1, if not the one after the completed rounds.
        """
        if margins is None or isinstance(margins, MatchAccount):
            margins = self._margins(pair, result, margins)
        else:
            number = len(self.matches) + 1
            check_chips(number, result, margins, big_blind=self.config.game.big_blind)
            self.model_draws.forget(number)
        self._enter(pair, margins)
        self._look_anew()
        self.meetings[pair] += 1
        if self.open_meetings is not self.meetings and pair in self.open_meetings:
            self.open_meetings[pair] += 1
        match = PlayedMatch(
            number=len(self.matches) + 1,
            round=decided or self.rounds + 1,
            meeting=self.meetings[pair],
            participants=pair,
            result=result if self._keep_hands else result.without_hands(),
            change=self._updated(pair, result),
            margins=margins,
        )
        self.matches.append(match)
        add_failures(self.failures, match)
        self.hands += sum(game.dealt for seed in result.seed_results for game in seed.games)
        self.games += 2 * len(result.seed_results)
        self.played.update(pair)
        board = tuple(self.leaderboard())
        self.convergence.append(self._converged(match.number, board))
        return match

    def _converged(self, number: int, board: tuple[Rating, ...]) -> Convergence:
        """Return where a match has led; what it has not changed is the same object as before, to save memory."""
        ranking, sure = self.ranking(), self.confidences()
        if self.convergence:
            last = self.convergence[-1]
            ranking = last.ranking if last.ranking == ranking else ranking
            sure = last.confidences if last.confidences == sure else sure
        return Convergence(number, board, ranking, sure)

    def _margins(self, pair: Pair, result: MatchResult, account: MatchAccount | None) -> Margins:
        """Return the margins of the next match; if it shows that somebody's odds are false, take them out of all."""
        refused = len(self.match_margins.refused)
        margins = self.match_margins.of(len(self.matches) + 1, pair, result, self.estimates, account)
        if len(self.match_margins.refused) > refused:
            for at, match in enumerate(self.matches):
                known = self.match_margins.again(match.number) or match.margins
                self.matches[at] = structs.replace(match, margins=known)
            self._enter_again()
        return margins

    def _enter_again(self) -> None:
        """Begin a new book with all matches so far."""
        self._open_book()
        for match in self.matches:
            self._enter(match.participants, match.margins)
        self._look_anew()

    def _updated(self, pair: Pair, result: MatchResult) -> RatingChange:
        """Update the ratings with the match, or with each of its seed pairs."""
        if self.config.rating.update_per == "match":
            return self.ratings.update(*pair, result.winner)
        changes = [
            self.ratings.update(*pair, "draw" if not seed.net else "A" if seed.net > 0 else "B")
            for seed in result.seed_results
        ]
        return RatingChange(changes[0].before, changes[-1].after)

    def end_round(self) -> None:
        """Record the ranking after a round, and leave out whoever has forfeited too many games."""
        self.rounds += 1
        left = left_the_run(self.failures)
        if left != self.left:
            self.left = left
            self.open_meetings = Meetings({pair: met for pair, met in self.meetings.items() if left.isdisjoint(pair)})
            self._enter_again()
        self.rankings.append(self.ranking())

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first, without those who left."""
        if self.by_margins:
            return tuple([name for name in self.margins.ranking() if name not in self.left])
        return tuple([rating.id for rating in self.ratings.leaderboard() if rating.id not in self.left])

    def leaderboard(self) -> list[Rating]:
        """Return the ratings, best first; in a gauntlet, by what each wins from the yardstick.

        With one opponent alone, matches won say little, and mu depends on when they were played.
        """
        if self.margins.yardstick is not None:
            return [self.ratings[name] for name in self.margins.ranking()]
        return self.ratings.leaderboard()

    def confidences(self) -> tuple[float, ...]:
        """Return the confidence in the order of each adjacent pair of the ranking."""
        if self.by_margins:
            return tuple([each.sure for each in self.verdicts()])
        if self._confidences is None:
            self._confidences = tuple(self.confidence(above, below) for above, below in pairwise(self.ranking()))
        return self._confidences

    def _sure(self, above: str, below: str) -> float:
        return self.judge.sure(self.margins.lead(above, below))

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on each adjacent pair, based on margins."""
        if self._verdicts is None:
            neighbours = pairwise(self.ranking())
            self._verdicts = self.judge.verdicts(self.margins, neighbours, doubted=self.suspicion.awaited())
        return self._verdicts

    def _look_anew(self) -> None:
        """Forget what was computed before the last change."""
        self._confidences = None
        self._verdicts = None

    @property
    def error(self) -> float:
        """Allowed error for the order of one adjacent pair; halved, since it may be wrong in either direction."""
        return self.judge.strictest(len(self.config.participants) - 1) / 2

    def progress(self, spending: Spending, *, seconds: float) -> Progress:
        """Return what the stop rules look at."""
        game, per_match = self.config.game, self.config.seeds.per_match
        all_met = self.open_meetings.least >= self.min_meetings
        usd, tokens = spending.up_to(len(self.matches))
        return Progress(
            matches=len(self.matches),
            games=self.games,
            hands=self.hands,
            seconds=seconds,
            ranking=self.ranking(),
            confidences=self.confidences(),
            verdicts=self.verdicts() if self.by_margins else (),
            rankings=self.rankings,
            unranked=[name for name, found in self.failures.items() if found.helpless],
            connected=all_met if self.by_margins else self.open_meetings.connected,
            next_games=2 * per_match,
            next_hands=2 * per_match * (game.hands_per_game + game.warmup_hands),
            usd=usd,
            tokens=tokens,
        )

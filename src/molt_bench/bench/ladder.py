"""The ladder: what a run has learned so far, match by match."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import pairwise

from msgspec.structs import replace

from molt_bench.bench.gate import Gate
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.participant_failures import Failures, add_failures, left_the_run
from molt_bench.bench.result import Convergence
from molt_bench.bench.schedule import opening
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import Progress, judge_of, rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.config.stop import StopConfig
from molt_bench.luck.estimators import Estimates
from molt_bench.plugin import ComingMatch, Luck
from molt_bench.rating.model import MarginModel, first_guess
from molt_bench.rating.openskill import Ratings
from molt_bench.rating.verdicts import Result, Verdict
from molt_bench.records import Margins, MatchResult, Rating, RatingChange, Registered
from molt_bench.specs import GameSpec, Pair


def margin_model(config: BenchmarkConfig, *, left: Collection[str] = ()) -> MarginModel:
    """Return the margin model of a run, which is empty; those who `left` the run are outside the field."""
    return MarginModel(
        [participant.id for participant in config.participants],
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        anchors={*config.anchors(), *left},
        yardstick=config.reference,
    )


class Ladder:
    """The matches in order, and what follows from them.

    Attributes:
        meetings: How often each pair of the config has met.
        left: Those who have forfeited so many games that the run goes on without them.
        min_meetings: How often every pair must meet before margins decide anything; 0 where they do not decide.
        margins: What each wins from each.
        gate: The two versions that are compared, in a gate.
        match_margins: Works out the margins of each match.
        convergence: The ratings after every match.
        failures: How often each participant that has played failed.
        rankings: The ranking after every round.
        hands: Hands played so far, warm-up included.
        played: Matches of each participant so far.
        estimates: What player A won in games that are not rated yet, if a worker has computed it.
        by_margins: Whether margins decide, and not OpenSkill ratings.

    Args:
        keep_hands: Whether match results keep their individual hands.
        recount: Whether margins are worked out even where they were recorded, and compared.
        luck: Plug-ins that take out luck, in the order in which they are asked.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        *,
        keep_hands: bool = True,
        recount: bool = False,
        luck: Mapping[Registered, Luck] | None = None,
    ) -> None:
        self.config = config
        self._keep_hands = keep_hands
        self.estimates: dict[GameSpec, Estimates] = {}
        self.match_margins = MatchMargins(big_blind=config.game.big_blind, luck=luck, recount=recount)
        self._built_in = frozenset(each.id for each in config.participants if each.kind.built_in)
        self.matches: list[MatchResult] = []
        self.meetings = dict.fromkeys(config.pairings(), 0)
        self.left: frozenset[str] = frozenset()
        initial = {each.id: each.initial_rating for each in config.participants}
        self.ratings = Ratings(
            list(initial),
            mu=config.rating.mu0,
            sigma=config.rating.sigma0,
            initial={name: (each.mu, each.sigma) for name, each in initial.items() if each is not None},
        )
        self.margins = margin_model(config)
        self.gate = Gate(config) if config.gate is not None else None
        self.convergence: list[Convergence] = []
        self.failures: dict[str, Failures] = {}
        self.rankings: list[tuple[str, ...]] = []
        self.rounds = self.hands = self.games = 0
        self.played: Counter[str] = Counter()
        self._verdicts: tuple[Verdict, ...] | None = None
        self._results: dict[str, Result] | None = None
        self._stop: StopConfig | None = None
        self.judge_by(config.stop)
        self.by_margins = rule_of(config.stop).method == "margin"
        self.min_meetings = -(-config.scheduler.min_seed_pairs // config.seeds.per_match) if self.by_margins else 0

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
        number: int | None = None,
        recorded: Margins | None = None,
        decided: int | None = None,
    ) -> MatchResult:
        """Add a match and update the ratings and margins.

        `number` is its number, if matches before it have no complete seed pair; `recorded` are the margins of its seed
        pairs, if it was rated before; `decided` is the round in which it was scheduled, from 1, if not the one after
        the completed rounds.
        """
        number = number or len(self.matches) + 1
        coming = self.coming(number, pair)
        margins = self.match_margins.of(coming, result, self.estimates, recorded)
        self.margins.add(pair, margins[self.config.rating.estimator])
        if self.gate is not None:
            won = zip(result.seed_results, margins[self.config.rating.estimator], strict=True)
            self.gate.add(pair, {seed.seed: margin for seed, margin in won})
        self._look_anew()
        self.meetings[pair] += 1
        match = replace(
            result if self._keep_hands else result.without_hands(),
            number=number,
            round=decided or self.rounds + 1,
            meeting=self.meetings[pair],
            participants=pair,
            change=self._updated(pair, result),
            margins=margins,
        )
        self.matches.append(match)
        add_failures(self.failures, match)
        self.hands += sum(game.dealt for game in result.games)
        self.games += 2 * len(result.seed_results)
        self.played.update(pair)
        board = tuple(self.leaderboard())
        self.convergence.append(self._converged(match.number, board))
        return match

    def coming(self, number: int, pair: Pair) -> ComingMatch:
        """Return what is known ahead of a match of the round that is under way."""
        return ComingMatch(number, self.rounds + 1, pair, self._built_in.issuperset(pair))

    def _converged(self, number: int, board: tuple[Rating, ...]) -> Convergence:
        """Return where a match has led; what it has not changed is the same object as before, to save memory."""
        ranking, sure = self.ranking(), self.confidences()
        if self.convergence:
            last = self.convergence[-1]
            ranking = last.ranking if last.ranking == ranking else ranking
            sure = last.confidences if last.confidences == sure else sure
        return Convergence(number, board, ranking, sure)

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
        """Record the ranking after a round, and leave out those that have forfeited too many games."""
        self.rounds += 1
        if self.gate is not None:
            self.gate.look(self.failures)
        left = left_the_run(self.failures)
        if left != self.left:
            self.left = left
            self.margins.leave_out({*self.config.anchors(), *left})
            self._look_anew()
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

    @property
    def open_meetings(self) -> Mapping[Pair, int]:
        """How often those pairs have met that may still play."""
        left = self.left
        return {pair: met for pair, met in self.meetings.items() if left.isdisjoint(pair)} if left else self.meetings

    def confidences(self) -> tuple[float, ...]:
        """Return how sure the verdict on each adjacent pair of the ranking is."""
        if self.by_margins:
            return tuple([each.sure for each in self.verdicts()])
        return tuple([self.ratings.superiority(*pair) for pair in pairwise(self.ranking())])

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on each adjacent pair, based on margins."""
        if self._verdicts is None:
            self._verdicts = self.judge.neighbours(self.margins, self.ranking())
        return self._verdicts

    def result(self, name: str) -> Result:
        """Return what a participant wins from the field."""
        if self._results is None:
            self._results = self.judge.results(self.margins)
        return self._results[name]

    def _look_anew(self) -> None:
        """Forget what was computed before the last change."""
        self._verdicts = None
        self._results = None

    @property
    def settled(self) -> float:
        """How sure a verdict on two neighbours has to be to be claimed."""
        return 1 - self.judge.share(len(self.ranking()) - 1)

    def progress(self, spending: Spending, *, seconds: float) -> Progress:
        """Return what the stop rules look at."""
        game, per_match = self.config.game, self.config.seeds.per_match
        meetings = self.open_meetings
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
            connected=bool(meetings) and next(opening(meetings, self.min_meetings), None) is None,
            next_games=2 * per_match,
            next_hands=2 * per_match * (game.hands_per_game + game.warmup_hands),
            usd=usd,
            tokens=tokens,
            is_gate=self.gate is not None,
            gate=None if self.gate is None else self.gate.finding(self.hands).decided,
        )

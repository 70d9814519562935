"""The ladder: what a run has learned so far, match by match."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import TypeAlias

from msgspec import structs

from molt_bench.agents.base import PolicyOf
from molt_bench.bench.draws import Draws
from molt_bench.bench.lazy import Later, Lookup
from molt_bench.bench.match_margins import MatchMargins
from molt_bench.bench.result import Convergence, PlayedMatch, failures_of, signal_warnings
from molt_bench.bench.spending import Spending
from molt_bench.bench.stated_odds import MatchAccount
from molt_bench.bench.stop_rules import Progress, judge_of
from molt_bench.bench.suspicion import Suspicion
from molt_bench.config.sections import AdjacentConfidence, BenchmarkConfig, StopConfig
from molt_bench.errors import JournalError
from molt_bench.luck.estimators import Estimates
from molt_bench.pairings import connected
from molt_bench.poker.observation import PlayedHand
from molt_bench.rating.book import RAW, MarginBook
from molt_bench.rating.margin import MarginModel, first_guess
from molt_bench.rating.openskill import RatingService
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import Fault, GameRecord, Margins, MatchResult, Rating, RatingChange
from molt_bench.schedule import Contrast, Situation
from molt_bench.specs import GameSpec, Pair

#: Confidence that the first participant is better than the second.
Confidence: TypeAlias = Callable[[str, str], float]
#: Uncertainty about a participant without results, in thousandths of a big blind per hand.
_ANYTHING = 10_000.0
#: The least standard error of a lead that is aimed for, in the same unit.
_LEAST_SCALE = 1e-3


def margin_model(config: BenchmarkConfig) -> MarginModel:
    """Return the margin model of a run, without any margins yet."""
    return MarginModel(
        [participant.id for participant in config.participants],
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        anchors=[participant.id for participant in config.participants if participant.anchor],
        additive=config.rating.margins == "additive",
        reference=config.scheduler.reference,
        own_decks=[participant.id for participant in config.participants if participant.may_remember],
    )


def _sigma(result: Estimate) -> float:
    return result.scale if result.scale != inf else _ANYTHING


class Ladder:
    """The matches in order, and what follows from them.

    Attributes:
        meetings: How often each pair that may play has met.
        margins: Who wins how much from whom.
        suspicion: Whether removed luck is borne out by the chips.
        convergence: The ratings after every match.
        rankings: The ranking after every round.
        rounds: Rounds completed so far.
        hands: Hands played so far, warm-up included.
        games: Games played so far.
        played: Matches of each participant so far.
        estimates: What player A won in games that are not rated yet, if a worker has computed it.
        model_draws: The draws of language models.

    Args:
        config: The config of the run.
        policies: Action probabilities that participants publish.
        draws: Collects the draws of language models; the caller adds the exchanges to it.
        keep_hands: Whether match results keep their individual hands.
        stated: Those of whom the journal of the run says that they publish a policy of their own.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        policies: Mapping[str, PolicyOf] | None = None,
        *,
        draws: Draws | None = None,
        keep_hands: bool = True,
        stated: Collection[str] = (),
    ) -> None:
        ids = [participant.id for participant in config.participants]
        self._config = config
        self.model_draws = draws or Draws(config.models())
        self._keep_hands = keep_hands
        self.estimates: dict[GameSpec, Estimates] = {}
        self._match_margins = MatchMargins(
            policies or {},
            self.model_draws,
            big_blind=config.game.big_blind,
            averaged={*config.models(), *(each.id for each in config.participants if each.kind.waits)},
            stated=stated,
        )
        self.matches: list[PlayedMatch] = []
        self.meetings: dict[Pair, int] = dict.fromkeys(config.pairings(), 0)
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
        self._open_book()
        self.convergence: list[Convergence] = []
        self.rankings: list[tuple[str, ...]] = []
        self.rounds = 0
        self.hands = 0
        self.games = 0
        self.played: Counter[str] = Counter()
        self._stop: StopConfig | None = None
        self._confidences: tuple[float, ...] | None = None
        self._verdicts: tuple[Verdict, ...] | None = None
        self.judge_by(config.stop)
        self.by_margins = self._rule.method == "margin"
        by_prediction = self._rule.method == "predict_win"
        self._confidence: Confidence = (
            self._sure if self.by_margins else self.ratings.predict_win if by_prediction else self.ratings.superiority
        )

    def _open_book(self) -> None:
        """Begin with no margins."""
        self.margins = margin_model(self._config)
        self._book = MarginBook(self.margins, self._config.rating.estimator)
        game = self._config.game
        self.suspicion = Suspicion(
            self.margins.participants,
            self.meetings,
            hands=2 * game.hands_per_game,
            stack=game.stack / game.big_blind,
        )

    def _enter(self, pair: Pair, margins: Margins, result: MatchResult) -> None:
        """Add the margins of a match; from then on chips alone count for those whose results they contradict."""
        book = self._book
        book.add(pair, margins, [seed.seed for seed in result.seed_results])
        estimator = book.removing_luck(pair)
        chips, left, shared = book.column(pair, RAW), book.column(pair, estimator), self.margins.shares_seeds
        book.distrust(self.suspicion.add(pair, chips, left, estimator, shared=shared))

    def judge_by(self, stop: StopConfig) -> None:
        """Switch to another stop rule; what the confidence is computed from stays the same."""
        if self._stop is stop:
            return
        self._stop = stop
        self._rule = stop.adjacent_confidence or AdjacentConfidence()
        self._judge = judge_of(self._config.model_copy(update={"stop": stop}))
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

        Args:
            pair: Its participants.
            result: Its result.
            margins: The margins of its seed pairs, if already known; or the account of it, if one was recorded.
            decided: The round in which it was scheduled, from 1; None for the one after the completed rounds.
        """
        if margins is None or isinstance(margins, MatchAccount):
            margins = self._margins(pair, result, margins)
        else:
            self._check_chips(result, margins)
            self.model_draws.forget(len(self.matches) + 1)
        self._enter(pair, margins, result)
        self._look_anew()
        self.meetings[pair] += 1
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
        self.hands += sum(game.dealt for seed in result.seed_results for game in seed.games)
        self.games += 2 * len(result.seed_results)
        self.played.update(pair)
        board = tuple(self.leaderboard())
        self.convergence.append(Convergence(match.number, board, self.ranking(), self.confidences()))
        return match

    def _check_chips(self, result: MatchResult, margins: Margins) -> None:
        """Check that margins which were read have the chips of the games; a journal may vouch for any file."""
        big_blind = self._config.game.big_blind
        chips = [1000 * float(seed.net) / big_blind / seed.nominal_hands for seed in result.seed_results]
        if [*margins[RAW]] != chips:
            number = len(self.matches) + 1
            raise JournalError(f"the margins that are recorded of match {number} are not what its games give")

    def estimated(self, game: GameRecord, hands: Sequence[PlayedHand]) -> Estimates | None:
        """Return what player A won in a game that was just played, which is fastest now; None if it takes long."""
        return self._match_margins.at_once(game, hands)

    def account(self, number: int) -> MatchAccount | None:
        """Return what has to be recorded of a match, once; None if that has been, or need not be."""
        return self._match_margins.account(number)

    @property
    def differing(self) -> list[int]:
        """Numbers of matches whose recorded account is not what was found."""
        return self._match_margins.differing

    def _margins(self, pair: Pair, result: MatchResult, account: MatchAccount | None) -> Margins:
        """Return the margins of the next match; if it shows that somebody's odds are false, take them out of all."""
        refused = len(self._match_margins.refused)
        margins = self._match_margins.of(len(self.matches) + 1, pair, result, self.estimates, account)
        if len(self._match_margins.refused) > refused:
            self._open_book()
            for at, match in enumerate(self.matches):
                known = self._match_margins.again(match.number) or match.margins
                self.matches[at] = structs.replace(match, margins=known)
                self._enter(match.participants, known, match.result)
        return margins

    def _updated(self, pair: Pair, result: MatchResult) -> RatingChange:
        """Update the ratings with the match, or with each of its seed pairs."""
        if self._config.rating.update_per == "match":
            return self.ratings.update(*pair, result.winner)
        changes = [
            self.ratings.update(*pair, "draw" if not seed.net else "A" if seed.net > 0 else "B")
            for seed in result.seed_results
        ]
        return RatingChange(changes[0].before, changes[-1].after)

    def end_round(self) -> None:
        """Record the ranking after a round."""
        self.rounds += 1
        self.rankings.append(self.ranking())

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first."""
        if self.by_margins:
            return self.margins.ranking()
        return tuple(rating.id for rating in self.ratings.leaderboard())

    def leaderboard(self) -> list[Rating]:
        """Return the ratings, best first; in a gauntlet, by what each wins from the reference.

        With one opponent alone, matches won say little, and mu depends on when they were played.
        """
        if self.margins.reference is not None:
            return [self.ratings[name] for name in self.ranking()]
        return self.ratings.leaderboard()

    def confidences(self) -> tuple[float, ...]:
        """Return the confidence in the order of each adjacent pair of the ranking."""
        if self.by_margins:
            return tuple([each.sure for each in self.verdicts()])
        if self._confidences is None:
            self._confidences = tuple(self._confidence(above, below) for above, below in pairwise(self.ranking()))
        return self._confidences

    def _sure(self, above: str, below: str) -> float:
        return self._judge.sure(self.margins.lead(above, below))

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict on each adjacent pair, based on margins."""
        if self._verdicts is None:
            self._verdicts = self._judge.neighbours(self.margins, doubted=self.suspicion.doubted())
        return self._verdicts

    def _look_anew(self) -> None:
        """Forget what was computed before the last change."""
        self._confidences = None
        self._verdicts = None

    def recent(self, window: int) -> list[Pair]:
        """Return the pairs of the last `window` matches."""
        return [match.participants for match in self.matches[-window:]] if window else []

    def situation(self, cost: Mapping[Pair, float] | None = None) -> Situation:
        """Return what the scheduler looks at; `cost` is the cost of a match of each pair, if costs differ."""
        ranking, scheduler = self.ranking(), self._config.scheduler
        per_match = self._config.seeds.per_match
        # Most policies look at some of these only: they are computed when asked for.
        result = cache(self.margins.result)
        return Situation(
            ranking=ranking,
            mu=Lookup(ranking, lambda name: result(name).mean if self.by_margins else self.ratings[name].mu),
            sigma=Lookup(ranking, lambda name: _sigma(result(name)) if self.by_margins else self.ratings[name].sigma),
            meetings=self.meetings,
            confidence=Lookup(self.meetings, lambda pair: max(self._confidence(*pair), self._confidence(*pair[::-1]))),
            exploration=scheduler.exploration,
            seed=self._config.seeds.master_seed or 0,
            matches=len(self.matches),
            seeds_per_match=per_match,
            min_meetings=-(-scheduler.min_seed_pairs // per_match) if self.by_margins else 0,
            variance=self.margins.variances(),
            contrasts=Later(self._contrasts),
            cost=cost or {},
        )

    def _contrasts(self) -> tuple[Contrast, ...]:
        """Return the neighbours whose order is undecided, and the variance of their lead that would decide it."""
        found = []
        for each in self.verdicts():
            if each.kind == "unresolved":
                wanted = max(self._judge.test.deciding(each.lead, 2 * self.error), _LEAST_SCALE)
                found.append(Contrast(self.margins.lead_weights(each.above, each.below), wanted**2))
        return tuple(found)

    @property
    def error(self) -> float:
        """Allowed error for the order of one adjacent pair; halved, since it may be wrong in either direction."""
        return self._judge.strictest(len(self._config.participants) - 1) / 2

    def misfit(self) -> str | None:
        """Return a warning if the schedule leaves out pairs on which every result depends."""
        policy = self._config.scheduler.policy
        if not self.by_margins or self.margins.additive or len(self.margins.participants) < 3:
            return None
        if policy not in ("uncertainty_overlap", "adjacent_pairs"):
            return None
        return (
            f"scheduler.policy {policy} plays close pairs only, but results count every opponent: the run may never be "
            "sure; information_gain would be, or rating.margins: additive"
        )

    def unused_policies(self) -> list[str]:
        """Return a warning for each participant whose published policy was not used in some games."""
        return self._match_margins.warnings()

    def signalled(self) -> list[str]:
        """Return a warning for each participant that a signal ended or stopped, perhaps somebody else's."""
        return signal_warnings(
            game for match in self.matches for pair in match.result.seed_results for game in pair.games
        )

    def _helpless(self) -> list[str]:
        """Return those who gave no usable answer in most of their hands."""
        return [name for name, found in failures_of(self.matches).items() if found.helpless]

    def helpless(self) -> list[str]:
        """Return a warning for each participant that gave no usable answer in most of its hands."""
        helpless = {name: found for name, found in failures_of(self.matches).items() if found.helpless}
        examples: dict[str, Fault] = {}
        for match in self.matches if helpless else ():
            for fault in match.result.faults:
                examples.setdefault(match.participants[fault.player], fault)
        return [
            f"{name} gave no usable answer in {found.unanswered:,} of {found.hands:,} hands, so its result says "
            f"little; the first fault: {examples[name].kind}: {examples[name].message}"
            for name, found in helpless.items()
        ]

    def progress(self, spending: Spending, *, seconds: float) -> Progress:
        """Return what the stop rules look at."""
        game, per_match = self._config.game, self._config.seeds.per_match
        complete = min(self.meetings.values()) >= -(-self._config.scheduler.min_seed_pairs // per_match)
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
            unranked=Later(self._helpless),
            connected=complete if self.by_margins else connected(self.meetings),
            next_games=2 * per_match,
            next_hands=2 * per_match * (game.hands_per_game + game.warmup_hands),
            usd=usd,
            tokens=tokens,
        )

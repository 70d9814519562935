"""Grades of a run: what each agent's decisions gave away, by street and by kind, and its costliest decisions.

Only hands that count are graded, so no warm-up hands. A forced fold is not the agent's decision: it is counted, and
has no grade. Losses are in thousandths of a big blind (mbb).
"""

from collections import defaultdict
from collections.abc import Iterable
from heapq import nlargest
from math import fsum, inf, sqrt
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.plugins.reference.grade import MISTAKES, Grade, Mistake, Reference, action_text, grade_hand, reference
from molt_bench.poker.actions import OPEN_CARDS, STREETS, Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.rows import AgentRow, DealtHand, Rows, half_width_95, hands_of
from molt_bench.runs.run import Game, Run
from molt_bench.seeds import Seed
from molt_bench.specs import Seating

#: The name of the file in the folder of a run.
GRADES: Final = "grades.json"
#: A decision that gives away at least this much is counted as a mistake, in mbb.
MISTAKE_MBB: Final = 100.0
#: How many of an agent's costliest decisions are listed.
LISTED: Final = 10
NOT_THE_RANKING: Final = (
    "This is not the ranking: it measures the distance from near-equilibrium play, and against weak opponents the best "
    "reply departs from that, so a bot that exploits callstations is graded down."
)
#: What decisions gave away: all of it, or what is above the reference's own.
_Part: TypeAlias = Literal["loss", "above"]


class LossSum(msgspec.Struct, frozen=True, rename="camel"):
    """Decisions, how many of them were mistakes, and what they gave away: each on average, and per 100 hands."""

    decisions: int
    mistakes: int
    loss_mbb: float | None
    loss_bb_per_100: float | None


class CostlyDecision(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One decision that gave something away, and where it is: match, seed pair from 0, seating, hand, action from 0."""

    loss_mbb: float
    match: int
    seed_index: int
    seating: Seating
    hand: int
    decision: int
    street: Street
    cards: str
    board: str
    done: str
    best: str


class AgentGrades(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The grades of one agent, beside what it won.

    Attributes:
        hands: Hands that count, also those in which it had nothing to decide.
        forced_folds: Folds that were forced on it; they have no grade.
        ungraded: Decisions in pots and with stacks that the reference has no values for.
        loss_mbb_half_width_95: Half the width of the 95% interval of its mean loss.
        above_mbb: Its mean loss above that of the reference at the same decisions.
        above_mbb_half_width_95: Half the width of the 95% interval of that.
    """

    id: str
    bb_per_100: float | None
    bb_per_100_half_width_95: float | None
    hands: int
    decisions: int
    forced_folds: int
    ungraded: int
    mistakes: int
    loss_mbb: float | None
    loss_mbb_half_width_95: float | None
    loss_bb_per_100: float | None
    above_mbb: float | None
    above_mbb_half_width_95: float | None
    streets: dict[Street, LossSum]
    kinds: dict[Mistake, LossSum]
    costliest: list[CostlyDecision]


class GameLosses(msgspec.Struct, frozen=True, rename="camel"):
    """The largest loss of players A and B in every hand of a game, in whole mbb."""

    match: int
    seed_index: int
    seating: Seating
    worst_mbb: tuple[list[int], list[int]]


class Grades(msgspec.Struct, frozen=True, rename="camel"):
    """The grades of a run: the content of `grades.json`."""

    format: Literal[1]
    reference: str
    note: str
    games: int
    participants: list[AgentGrades]
    hands: list[GameLosses]


class _Sum:
    """Decisions, and what they gave away in mbb."""

    def __init__(self) -> None:
        self.decisions = 0
        self.loss = 0.0
        self.above = 0.0
        self.mistakes = 0

    def add(self, loss: float, above: float) -> None:
        self.decisions += 1
        self.loss += loss
        self.above += above
        self.mistakes += loss >= MISTAKE_MBB

    def mean(self, part: _Part = "loss") -> float | None:
        total: float = getattr(self, part)
        return total / self.decisions if self.decisions else None


class _Tally:
    """What the decisions of one agent gave away."""

    def __init__(self) -> None:
        self.hands = 0
        self.forced_folds = 0
        self.ungraded = 0
        self.total = _Sum()
        self.streets = {street: _Sum() for street in STREETS}
        self.kinds = {kind: _Sum() for kind in MISTAKES}
        self.seeds: dict[Seed, _Sum] = defaultdict(_Sum)
        self.costliest: list[CostlyDecision] = []

    def add(self, grade: Grade, dealt: DealtHand, seed_index: int) -> float:
        """Add a decision, and return what it gave away in mbb."""
        loss, above = (1000 * each / dealt.hand.rules.big_blind for each in (grade.loss, grade.above))
        for each in (self.total, self.streets[grade.street], self.seeds[dealt.seed]):
            each.add(loss, above)
        if grade.mistake is None:
            return loss
        self.kinds[grade.mistake].add(loss, above)
        if len(self.costliest) < LISTED or loss > self.costliest[-1].loss_mbb:
            found = [*self.costliest, _costly(dealt, grade, loss, seed_index)]
            self.costliest = nlargest(LISTED, found, key=lambda each: each.loss_mbb)
        return loss

    def half_width(self, part: _Part = "loss") -> float:
        """Return half the width of the 95% interval of a mean; the decisions on one seed's decks are a unit."""
        mean, units = self.total.mean(part), len(self.seeds)
        if mean is None or units < 2:
            return inf
        squares = fsum((getattr(each, part) - mean * each.decisions) ** 2 for each in self.seeds.values())
        error = sqrt(squares * units / (units - 1)) / self.total.decisions
        return half_width_95(error, units)

    def grades(self, row: AgentRow) -> AgentGrades:
        decisions = self.total.decisions
        return AgentGrades(
            id=row.id,
            bb_per_100=row.bb_per_100,
            bb_per_100_half_width_95=row.bb_per_100_half_width,
            hands=self.hands,
            decisions=decisions,
            forced_folds=self.forced_folds,
            ungraded=self.ungraded,
            mistakes=self.total.mistakes,
            loss_mbb=_rounded(self.total.mean()),
            loss_mbb_half_width_95=_rounded(self.half_width()),
            loss_bb_per_100=self._per_100(self.total),
            above_mbb=_rounded(self.total.mean("above")),
            above_mbb_half_width_95=_rounded(self.half_width("above")),
            streets={street: self._sum(each) for street, each in self.streets.items()},
            kinds={kind: self._sum(each) for kind, each in self.kinds.items()},
            costliest=self.costliest,
        )

    def _per_100(self, each: _Sum) -> float | None:
        return _rounded(each.loss / self.hands / MBB_PER_BB100) if self.hands else None

    def _sum(self, each: _Sum) -> LossSum:
        return LossSum(each.decisions, each.mistakes, _rounded(each.mean()), self._per_100(each))


class GradeBook:
    """The grades of all agents of a run, game by game.

    Attributes:
        games: The largest losses in each of them.
    """

    def __init__(self, agents: Iterable[str], by: Reference) -> None:
        self._by = by
        self._agents = {name: _Tally() for name in agents}
        self.games: list[GameLosses] = []

    def add(self, game: Game, seed_index: int) -> None:
        """Grade every decision of a game; `seed_index` is the place of its seed in the match, from 0."""
        worst: tuple[list[int], list[int]] = ([], [])
        for dealt in hands_of(game):
            found = dealt.turned(self._hand(dealt, game.record.spec.max_actions, seed_index))
            for losses, loss in zip(worst, found, strict=True):
                losses.append(loss)
        self.games.append(GameLosses(game.match, seed_index, game.record.seating, worst))

    def grades(self, rows: Rows) -> Grades:
        """Return the grades of all participants, beside what they won."""
        agents = [tally.grades(rows.by_id[name]) for name, tally in self._agents.items()]
        return Grades(1, "blueprint", NOT_THE_RANKING, len(self.games), agents, self.games)

    def _hand(self, dealt: DealtHand, max_actions: int, seed_index: int) -> tuple[int, int]:
        """Grade a hand, if it counts, and return the largest loss of each seat."""
        worst = [0, 0]
        if not dealt.counts:
            return 0, 0
        agents = [self._agents[name] for name in dealt.names]
        for seat, agent in enumerate(agents):
            agent.hands += 1
            agent.forced_folds += dealt.forced == seat
            agent.ungraded += sum(done.seat == seat for done in dealt.hand.log) - (dealt.forced == seat)
        for grade in grade_hand(dealt.hand, self._by, forced=dealt.forced, max_actions=max_actions):
            loss = agents[grade.seat].add(grade, dealt, seed_index)
            agents[grade.seat].ungraded -= 1
            worst[grade.seat] = max(worst[grade.seat], round(loss))
        return worst[0], worst[1]


def _costly(dealt: DealtHand, grade: Grade, loss: float, seed_index: int) -> CostlyDecision:
    return CostlyDecision(
        loss_mbb=round(loss, 1),
        match=dealt.match,
        seed_index=seed_index,
        seating=dealt.seating,
        hand=dealt.number,
        decision=grade.at,
        street=grade.street,
        cards=cards_to_text(dealt.hand.holes[grade.seat]),
        board=cards_to_text(dealt.hand.board[: OPEN_CARDS[grade.street]]),
        done=action_text(grade.done, opens=grade.opens),
        best=action_text(grade.best, opens=grade.opens),
    )


def left_out(rows: Iterable[AgentGrades]) -> str:
    """Say which decisions of some agents have no grade, and why; empty if all have one.

    Not part of it are warm-up hands: no number of a run counts them.
    """
    found = [*rows]
    parts = []
    if forced := sum(row.forced_folds for row in found):
        parts.append(f"{forced:,} folds that were forced after faults")
    if ungraded := sum(row.ungraded for row in found):
        parts.append(f"{ungraded:,} decisions with stacks that the reference has no values for")
    decisions = sum(row.decisions for row in found)
    return f"Left out: {' and '.join(parts)}; {decisions:,} decisions are graded." if parts else ""


def grade_run(stored: Run, by: Reference) -> GradeBook:
    """Grade all finished games of a run in the order of its matches."""
    book = GradeBook([each.id for each in stored.config.participants], by)
    stored.feed_games(book.add)
    return book


def follow(run: Run, rows: Rows) -> bool:
    """Return whether the grades in the folder of a run are those of its games."""
    try:
        written = msgspec.json.decode((run.folder / GRADES).read_bytes(), type=Grades)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return False
    return written == grade_run(run, reference()).grades(rows)


def _rounded(value: float | None) -> float | None:
    return None if value is None or value == inf else round(value, 3)

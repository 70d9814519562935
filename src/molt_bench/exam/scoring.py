"""What answers are worth: big blinds given away, by the values of the solved games, and who is better than whom.

The loss of an answer is the value of the best action less that of what was done; a mixed answer is valued whole. Means
over questions are weighted by how often such decisions occur in play. Several answers of one participant to a question
count as their mean. Two participants are compared on the questions that both have answered, so that hard questions are
hard for both. The test of a lead is that of runs: it allows for a
look after every block of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import pairwise
from math import fsum, inf, log, sqrt
from statistics import fmean
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.exam.answer_file import Answer
from molt_bench.exam.question_game import FORCED
from molt_bench.exam.questions import RULES, Kind, Question
from molt_bench.poker.actions import STREETS, Street
from molt_bench.poker.notation import actions_from_line
from molt_bench.rating.pair_sums import widening_at_bar
from molt_bench.rating.sequential import Horizon, sure
from molt_bench.rating.student import UNKNOWN, Estimate

#: Questions after each of which the order is looked at.
BLOCK: Final = 50
#: Leads up to this size do not matter, in big blinds per decision.
TIE: Final = 0.01
#: The standardised distances that order two and tie two, together: less than the test ever asks for.
_LEAST_BARS: Final = 4.5
#: The squared skewness of losses that nobody has seen yet, and how many questions that counts as. Losses of many kinds
#: of agents have 5 to 80: more than the margins of seed pairs, each of which adds up many hands.
UNSEEN: Final = 25.0
UNSEEN_WEIGHT: Final = 80.0
#: Questions that two have to answer alike before they count as tied. They then differ at less than 1% of questions, 95%
#: sure (three in so many), and a difference costs about a big blind.
ALIKE: Final = 300
#: Decisions that losses are given for.
PER: Final = 100

OrderKind: TypeAlias = Literal["better", "tied", "open"]


def value_of(question: Question, letter: str) -> float:
    """Return what an action is worth, in big blinds.

    A raise between two sizes of the solved game is worth what lies between their values, by the logarithm of the size;
    one beyond the largest, which is all-in, or below the smallest, the same as that. A free fold gives up what was put
    in.
    """
    known = {each.action: each.value for each in question.options}
    if letter in known:
        return known[letter]
    if letter in ("f", FORCED):
        hand = question.decision.hand()
        return known.get("f", -hand.chips_in(hand.actor) / RULES.big_blind)
    (done,) = actions_from_line(letter)
    sizes = [
        (actions_from_line(each.action)[0].amount, each.value) for each in question.options if each.action[0] == "r"
    ]
    larger = next(((amount, value) for amount, value in sizes if amount > done.amount), None)
    smaller = next(((amount, value) for amount, value in reversed(sizes) if amount < done.amount), None)
    if larger is None or smaller is None:
        return (smaller or larger or (0, question.best.value))[1]
    share = log(done.amount / smaller[0]) / log(larger[0] / smaller[0])
    return smaller[1] + share * (larger[1] - smaller[1])


def loss_of(question: Question, answer: Answer) -> float:
    """Return what an answer gives away, in big blinds, 0 or more."""
    worth = fsum(chance * value_of(question, letter) for letter, chance in answer.actions)
    return max(0.0, question.best.value - worth)


def weighted(rows: Sequence[tuple[float, float]], *, skewness: float = 0.0) -> Estimate:
    """Return the mean of numbers with their weights, as Student's t; verdicts allow for skewness, as those of runs.

    Args:
        rows: Each weight with its number.
        skewness: The least squared skewness that verdicts take them to have shown.
    """
    whole = fsum(weight for weight, _ in rows)
    if len(rows) < 2 or not whole:
        return UNKNOWN
    mean, squares, shown = _shape(rows)
    # As many questions of the same weight would be as sure.
    size = whole * whole / fsum(weight * weight for weight, _ in rows)
    error = sqrt(squares * size / (size - 1)) / whole if size > 1 else inf
    caution = caution_of(len(rows), max(shown, skewness))
    return Estimate(mean, error, max(1.0, size - 1), unit=error * sqrt(len(rows)), caution=caution)


def _shape(rows: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the weighted mean, the sum of squares around it, and the squared skewness."""
    mean = fsum(weight * value for weight, value in rows) / fsum(weight for weight, _ in rows)
    apart = [weight * (value - mean) for weight, value in rows]
    squares, cubes = fsum(each * each for each in apart), fsum(each**3 for each in apart)
    return mean, squares, len(rows) * cubes * cubes / squares**3 if squares else 0.0


def caution_of(count: int, skewness: float) -> float:
    """Return by how much a standard error is wider for verdicts, by the squared skewness that so many questions show.

    Many lose nothing at most questions and much at a few: a lead over one whose dear questions are still to come would
    seem surer than it is. So everybody counts as skewed until its own answers say otherwise, as in runs.
    """
    believed = (count * skewness + UNSEEN_WEIGHT * UNSEEN) / (count + UNSEEN_WEIGHT)
    return widening_at_bar(believed / count)


class Score(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How one participant did.

    Attributes:
        id: The participant.
        answered: Answers that it has given.
        loss: Big blinds given away per 100 decisions.
        half_width: Half the width of the 95% interval of that.
        streets: The same loss by street.
        kinds: The same loss facing a bet, and not.
        best: The share of answers that give away less than a hundredth of a big blind.
        forced: Answers that were a forced fold.
    """

    id: str
    answered: int
    loss: float | None
    half_width: float | None
    streets: dict[str, float | None]
    kinds: dict[str, float | None]
    best: float | None
    forced: int


class Order(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Two neighbours in the ranking, compared on the same questions.

    Attributes:
        above: The one that gives away less.
        below: The other.
        questions: Questions that both answered.
        lead: How much less, in big blinds per 100 decisions.
        half_width: Half the width of the 95% interval of that, looked at once.
        sure: The confidence that it is less, allowing for a look after every block.
        kind: `better` if that is enough, `tied` if the lead is too small to matter, else `open`.
    """

    above: str
    below: str
    questions: int
    lead: float
    half_width: float | None
    sure: float
    kind: OrderKind


def tested(lead: Estimate, unit: float, most: int) -> Estimate:
    """Return a lead for the test of an exam that ends after so many questions; `unit` is its error with one of them.

    The test allows for looks from the first block on until the tie margin can be told from nothing. That takes hundreds
    of thousands of questions, and an exam ends long before: so it allows for looks until then.
    """
    return msgspec.structs.replace(lead, unit=min(unit, TIE * sqrt(most) / _LEAST_BARS))


class Scores:
    """The losses of all participants, by question.

    Args:
        questions: The questions.
        names: The participants.
        error: How often an order may be wrong.
        most: Questions after which the exam ends in any case.
    """

    def __init__(self, questions: Sequence[Question], names: Sequence[str], *, error: float, most: int) -> None:
        self._questions = {each.id: each for each in questions}
        self._kinds: dict[str, Kind] = {each.id: each.decision.kind() for each in questions}
        self._names = list(names)
        self._error = error
        self._most = most
        self.losses: dict[str, dict[str, list[float]]] = {name: {} for name in names}
        self._forced = dict.fromkeys(names, 0)

    def add(self, answer: Answer) -> None:
        """Take an answer."""
        loss = loss_of(self._questions[answer.question], answer)
        self.losses[answer.participant].setdefault(answer.question, []).append(loss)
        self._forced[answer.participant] += answer.actions[0][0] == FORCED

    def mean(self, name: str, wanted: Callable[[Kind], bool] = lambda _: True) -> Estimate:
        """Return the mean loss of a participant over the questions of some kinds, in big blinds per decision."""
        found = self.losses[name].items()
        return weighted([(self._questions[at].weight, fmean(each)) for at, each in found if wanted(self._kinds[at])])

    def lead(self, above: str, below: str) -> tuple[Estimate, int]:
        """Return how much less one gives away than another per decision, and on how many questions."""
        mine, theirs = self.losses[above], self.losses[below]
        both = [at for at in mine if at in theirs]
        own = [[(self._questions[at].weight, fmean(each[at])) for at in both] for each in (mine, theirs)]
        rows = [(weight, below - above) for (weight, above), (_, below) in zip(*own, strict=True)]
        # What a pair has not shown, one of the two may have shown: a lead is as skewed as the more skewed of them.
        skewness = max([_shape(each)[2] for each in own]) if both else 0.0
        first = [(self._questions[at].weight, theirs[at][0] - mine[at][0]) for at in both]
        # At the first look everybody had answered once.
        return tested(weighted(rows, skewness=skewness), weighted(first).unit, self._most), len(both)

    def ranking(self, unranked: Collection[str] = ()) -> list[Score]:
        """Return everybody, the one that gives away least first; those without a rank last, and without a loss."""
        found = []
        for name in self._names:
            mean, losses = self.mean(name), [loss for each in self.losses[name].values() for loss in each]
            known = {kind.street for kind in self._kinds.values()}
            found.append(
                Score(
                    id=name,
                    answered=len(losses),
                    loss=_rounded(PER * mean.mean if mean is not UNKNOWN else None),
                    half_width=_rounded(PER * mean.half_width()),
                    streets={each: self._part(name, partial(_on_street, each)) for each in STREETS if each in known},
                    kinds={
                        "facing a bet": self._part(name, lambda kind: kind.facing),
                        "no bet to call": self._part(name, lambda kind: not kind.facing),
                    },
                    best=_rounded(sum(loss < TIE for loss in losses) / len(losses)) if losses else None,
                    forced=self._forced[name],
                )
            )
        ranked = [each for each in found if each.id not in unranked]
        return [
            *sorted(ranked, key=lambda each: (each.loss is None, each.loss)),
            *[_without_loss(each) for each in found if each.id in unranked],
        ]

    def _part(self, name: str, wanted: Callable[[Kind], bool]) -> float | None:
        found = self.mean(name, wanted)
        return None if found is UNKNOWN else _rounded(PER * found.mean)

    def orders(self, unranked: Collection[str] = ()) -> list[Order]:
        """Return what is known about each two neighbours."""
        found, test = [], Horizon(TIE, BLOCK)
        for above, below in pairwise([each.id for each in self.ranking() if each.id not in unranked]):
            lead, questions = self.lead(above, below)
            kind: OrderKind = "open"
            if lead.scale == 0.0:  # they have not differed yet, which says little after a few questions
                kind = "tied" if questions >= ALIKE else "open"
            elif test.doubt(lead) <= self._error and lead.mean > 0:
                kind = "better"
            elif test.tie_doubt(lead) <= self._error:
                kind = "tied"
            found.append(
                Order(
                    above=above,
                    below=below,
                    questions=questions,
                    lead=_rounded(PER * lead.mean) or 0.0,
                    half_width=_rounded(PER * lead.half_width()),
                    sure=round(sure(test, lead), 4) if lead.scale else 0.5,
                    kind=kind,
                )
            )
        return found


def _without_loss(score: Score) -> Score:
    return msgspec.structs.replace(
        score,
        loss=None,
        half_width=None,
        streets=dict.fromkeys(score.streets),
        kinds=dict.fromkeys(score.kinds),
        best=None,
    )


def _on_street(street: Street, kind: Kind) -> bool:
    return kind.street == street


def _rounded(value: float | None) -> float | None:
    return None if value is None or value == inf else round(value, 3)

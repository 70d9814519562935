"""The coach: what the reference bot would do with the person's cards, and what each decision gave away."""

from collections.abc import Iterator

from rich.text import Text

from molt_bench.luck.reference.grade import (
    MISTAKES,
    Grade,
    Option,
    Reference,
    action_text,
    grade_decision,
    opens_betting,
    options_of,
)
from molt_bench.person.table_drawing import WIDTH
from molt_bench.poker.actions import Action
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import Observation

#: A smaller loss is not worth a word, in big blinds.
_LITTLE_BB = 0.005


class Coach:
    """Knows only what the person's seat may see.

    Attributes:
        grades: All decisions of finished hands.
    """

    def __init__(self, by: Reference, rules: HandRules) -> None:
        self.grades: list[Grade] = []
        self._by = by
        self._rules = rules
        self._seen: Observation | None = None
        self._options: tuple[Option, ...] = ()
        self._hand: list[Grade] = []

    def hint(self, seen: Observation) -> Text:
        """Say what the reference would do here, and what each action is worth to the person in the whole hand."""
        self._seen, self._options = seen, options_of(seen, self._by)
        said = [
            f"{action_text(option.action, opens=opens_betting(seen))} {option.chance:.0%}"
            + (f" ({self._in_bb(option.value):+.2f} bb)" if self._by.covers(seen) else "")
            for option in self._options
        ]
        lines = ["The reference:"]
        for each in said:
            lines[-1:] = [f"{lines[-1]} {each},"] if len(lines[-1]) + len(each) < WIDTH else [lines[-1], f"  {each},"]
        return Text("\n".join(f"  {line}" for line in lines).removesuffix(","), "dim")

    def note(self, done: Action) -> None:
        """Grade what the person did where the last hint was given."""
        if self._seen is not None and self._by.covers(self._seen):
            self._hand.append(grade_decision(self._seen, done, self._by, options=self._options))

    def review(self) -> Iterator[Text]:
        """Say what each decision of the hand gave away, and begin a new hand."""
        for grade in self._hand:
            lost = self._in_bb(grade.loss)
            did = f"  {grade.street}, {action_text(grade.done, opens=grade.opens)}: "
            if grade.mistake is None or lost < _LITTLE_BB:
                yield Text(f"{did}nothing is better.", "dim")
            else:
                better = f"{MISTAKES[grade.mistake]}, {action_text(grade.best, opens=grade.opens)} is better"
                yield Text(f"{did}gives away {lost:.2f} bb ({better}).", "yellow")
        self.grades += self._hand
        self._hand = []

    def summary(self) -> Iterator[str]:
        """Yield a sentence on all decisions so far."""
        count = len(self.grades)
        if count:
            lost = 1000 * self._in_bb(sum(grade.loss for grade in self.grades)) / count
            above = 1000 * self._in_bb(sum(grade.above for grade in self.grades)) / count
            decisions = f"{count:,} decision{'s' if count > 1 else ''}"
            cost = f"gave away {lost:,.0f} mbb on average, {above:+,.0f} beside its own play"
            yield f"By the reference's values, your {decisions} {cost}."

    def _in_bb(self, chips: float) -> float:
        return chips / self._rules.big_blind

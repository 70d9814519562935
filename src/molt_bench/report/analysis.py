"""The analysis of a result: everything that reports say about it, worked out once and shared by all of them.

Win rates come from the margin model: the mean over all opponents of the field, each with the same weight, however often
they were met. Their intervals take the seed pair as the unit. If part of the field has not been met, the win rate is
the mean over the others, without an interval. In a gauntlet, the reference is the whole field.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from math import inf, isfinite

import msgspec

from molt_bench.rating.verdicts import Result
from molt_bench.records import MBB_PER_BB100, Rating
from molt_bench.report.ranking import Ranking
from molt_bench.visible_text import on_one_line


class ParticipantNumbers(msgspec.Struct, frozen=True):
    """The figures of one participant.

    Attributes:
        bb_per_100: Big blinds won per 100 hands from the field, or from those of it that were met; None before that.
        half_width: Half the width of its interval, of the same multiple as that of a lead; infinite if an opponent has
            not been met.
        rank: Its place, from 1, as a single number; those who are tied share one. None if it has none: it has not
            played, or is not ranked.
        rank_range: Its rank as it is printed: the best and the worst that the claimed orders leave open; None if it has
            none.
        better_than_next: How sure the verdict on it and the next one is; None for the last.
        hands: Hands that count.
        faults: Faults by kind.
        forced_folds: Hands folded after a last fault.
        met: How many of its field it has met, and of how many; None if its result is complete.
        ranked: Whether it has a rank; not if it hardly ever answered, so that it did not really play.
        reference: Whether it is the reference of a gauntlet, which stands at 0 by definition.
        raw: Big blinds won per 100 hands in chips, from the same opponents, with half the width of the interval.
        from_reference: Big blinds won per 100 hands from the one that all are measured against, with half the width of
            the interval, from their own games alone; None for that one, where there is none, and before they met.
    """

    rating: Rating
    name: str
    bb_per_100: float | None
    half_width: float
    rank: int | None
    rank_range: tuple[int, int] | None
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int
    met: tuple[int, int] | None = None
    ranked: bool = True
    reference: bool = False
    from_reference: tuple[float, float] | None = None
    raw: tuple[float, float] | None = None

    def rank_text(self, none: str = "-", to: str = "-") -> str:
        """Return its rank in words, such as 2-5."""
        return none if self.rank_range is None else to.join(map(str, dict.fromkeys(self.rank_range)))


def shown_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return display names by id as they are printed: on one line, none of them empty, and each different.

    >>> shown_names({"a": "same", "b": "same ", "c": " ", "d": "D"})
    {'a': 'same (a)', 'b': 'same (b)', 'c': 'c', 'd': 'D'}
    """
    found = {name: on_one_line(text).strip() or name for name, text in names.items()}
    count = Counter(found.values())
    return {name: text if count[text] == 1 else f"{text} ({name})" for name, text in found.items()}


class Analysis(Ranking):
    """What a result shows: the ranking and the win rates, with names and a row for everybody."""

    @cached_property
    def names(self) -> dict[str, str]:
        """The display names of all participants, by id."""
        return {each.id: each.display_name or each.id for each in self.result.config.participants}

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names as they are printed: on one line, without control characters, and each different."""
        return shown_names(self.names)

    @cached_property
    def reply_forms(self) -> dict[str, str]:
        """How each language model was asked: the form of its replies with its version, its track, and its memory."""
        recorded, models = self.result.reply_forms, self.result.config.models()
        return {
            name: ", ".join(
                [
                    recorded.get(name, "?"),
                    each.track,
                    *([f"memory {each.memory}"] if each.memory != "none" else []),
                ]
            )
            for name, each in models.items()
        }

    @property
    def mixes_reply_forms(self) -> bool:
        """Whether models that were asked in different ways are in this rating."""
        return len({*self.reply_forms.values()}) > 1

    @cached_property
    def rows(self) -> tuple[ParticipantNumbers, ...]:
        """Everybody's figures in the order of the run."""
        return tuple(self._row(self.ratings[name]) for name in self.order)

    def _row(self, rating: Rating) -> ParticipantNumbers:
        won = in_bb_per_100(self.results[rating.id])
        own = [match for match in self.result.matches if rating.id in match.participants]
        faults = [
            fault
            for match in own
            for fault in match.result.faults
            if fault.player == match.participants.index(rating.id)
        ]
        return ParticipantNumbers(
            rating=rating,
            name=self.names[rating.id],
            bb_per_100=None if won is None else won[0],
            half_width=inf if won is None else won[1],
            rank=self.ranks.get(rating.id),
            rank_range=self.rank_ranges.get(rating.id) if rating.matches else None,
            better_than_next=self.sure_of_next.get(rating.id),
            hands=sum(match.result.hands for match in own),
            faults=dict(Counter(fault.kind for fault in faults)),
            forced_folds=sum(fault.forced_fold for fault in faults),
            met=self._met(rating.id),
            ranked=rating.id not in self.unranked,
            reference=rating.id == self.reference,
            from_reference=self._from_reference(rating.id),
            raw=in_bb_per_100(self.raw_results[rating.id]),
        )

    def _met(self, name: str) -> tuple[int, int] | None:
        met, field = len(self.model.met(name)), len(self.model.field_of(name))
        return None if met == field else (met, field)

    def _from_reference(self, name: str) -> tuple[float, float] | None:
        other = self.measured_against
        return None if other is None else in_bb_per_100(self.between(name, other))


def in_bb_per_100(known: Result | None) -> tuple[float, float] | None:
    """Return a result in big blinds per 100 hands, and half the width of its interval; None if nothing is known."""
    if known is None or not isfinite(known.mean):
        return None
    return known.mean / MBB_PER_BB100, known.half_width / MBB_PER_BB100

"""Win rates of a result: who wins how much from whom, by the config's estimator and by the other."""

from collections.abc import Mapping
from functools import cached_property
from math import fsum
from typing import Final

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.participant_failures import Failures, failures_of, left_the_run
from molt_bench.bench.result import RunResult
from molt_bench.rating.model import MarginModel
from molt_bench.records import ESTIMATORS

#: Seed pairs of a run before it is said how many hands the removal of luck has saved.
_ENOUGH: Final = 20


class WinRates:
    """What everybody wins from everybody; each property is computed when it is first read."""

    def __init__(self, result: RunResult) -> None:
        self.result = result

    @property
    def reference(self) -> str | None:
        """The one that everybody played alone, in a gauntlet."""
        return self.result.config.scheduler.reference

    @cached_property
    def measured_against(self) -> str | None:
        """The one that everybody is measured against: the reference of a gauntlet, or a `blueprint` that plays."""
        return self.result.config.measured_against()

    @cached_property
    def failures(self) -> dict[str, Failures]:
        """How often everybody who has played failed."""
        return failures_of(self.result.matches)

    @cached_property
    def left(self) -> frozenset[str]:
        """Those who forfeited so many games that the run went on without them: they are outside the field."""
        return left_the_run(self.failures)

    @cached_property
    def raw(self) -> MarginModel:
        """Who wins how many chips from whom."""
        return self._filled("raw")

    @cached_property
    def model(self) -> MarginModel:
        """Who wins how much from whom, by the config's estimator."""
        return self.raw if self.estimator == "raw" else self._filled(self.estimator)

    @property
    def estimator(self) -> str:
        """The estimator of the results."""
        return self.result.config.rating.estimator

    @cached_property
    def hands_by_chips(self) -> float | None:
        """How many times the hands chips alone would take for the same precision; None with too few seed pairs.

        Hands are in proportion to the variance of seed pairs, here over all pairings together.
        """
        pairs = dict.fromkeys(match.participants for match in self.result.matches)
        rows = [(self.raw.own_variance(*pair), self.model.own_variance(*pair)) for pair in pairs]
        known = [(wider, used) for wider, used in rows if wider is not None and used is not None]
        seed_pairs = sum(len(match.result.seed_results) for match in self.result.matches)
        total = fsum([used for _, used in known])
        return fsum([wider for wider, _ in known]) / total if total > 0 and seed_pairs >= _ENOUGH else None

    @cached_property
    def models(self) -> Mapping[str, MarginModel]:
        """The same by each estimator."""
        return {name: self.model if name == self.estimator else self._filled(name) for name in ESTIMATORS}

    def _filled(self, estimator: str) -> MarginModel:
        """Return a model with the margins of all matches."""
        model = margin_model(self.result.config, left=self.left)
        for match in self.result.matches:
            model.add(match.participants, match.margins[estimator])
        return model

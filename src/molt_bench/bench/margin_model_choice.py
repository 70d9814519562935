"""The choice of a run's margin model: pairwise or that of a gauntlet, by its config; and its book."""

from collections.abc import Collection, Iterable
from typing import Final, Unpack

from molt_bench._version import BENCH_VERSION
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.estimator_choice import MarginBook
from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.pairwise_model import MarginModel, ModelOptions, first_guess

#: The first bench version whose intervals allow for skewness, and in which a match keeps its estimator.
_SINCE: Final = 13
#: The first one whose verdicts allow for skewness that has not shown yet.
_CAUTIOUS_SINCE: Final = 14
#: The first one whose intervals allow for it, too.
_GUARDED_SINCE: Final = 16


def margin_book(
    config: BenchmarkConfig,
    estimator: str,
    *,
    version: int = BENCH_VERSION,
    distrusted: Iterable[str] = (),
    left: Collection[str] = (),
) -> MarginBook:
    """Return a book for the margins of a run, which is empty.

    `version` is the bench version that played the run; those who `left` it are outside the field, as anchors are.
    """
    model = model_of_kind(
        config,
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        own_decks=[participant.id for participant in config.participants if participant.may_remember],
        allows=Allowances(
            skewed=version >= _SINCE, cautious=version >= _CAUTIOUS_SINCE, guarded=version >= _GUARDED_SINCE
        ),
        anchors=left,
    )
    return MarginBook(model, estimator, distrusted=distrusted, again=version < _SINCE)


def model_of_kind(config: BenchmarkConfig, **options: Unpack[ModelOptions]) -> MarginModel:
    """Return a margin model of the kind that a config asks for."""
    ids = [participant.id for participant in config.participants]
    anchors = [participant.id for participant in config.participants if participant.anchor]
    options["anchors"] = {*anchors, *options.get("anchors", ())}
    if config.scheduler.reference is not None:
        return GauntletModel(ids, config.scheduler.reference, **options)
    return MarginModel(ids, **options)

"""The choice of a run's margin model: pairwise or that of a gauntlet, by its config; and its book."""

from collections.abc import Collection, Iterable
from typing import Unpack

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.estimator_choice import MarginBook
from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pairwise_model import MarginModel, ModelOptions, first_guess


def margin_book(
    config: BenchmarkConfig,
    estimator: str,
    *,
    distrusted: Iterable[str] = (),
    left: Collection[str] = (),
) -> MarginBook:
    """Return a book for the margins of a run, which is empty.

    Those who `left` the run are outside the field, as anchors are.
    """
    model = model_of_kind(
        config,
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        anchors=left,
    )
    return MarginBook(model, estimator, distrusted=distrusted)


def model_of_kind(config: BenchmarkConfig, **options: Unpack[ModelOptions]) -> MarginModel:
    """Return a margin model of the kind that a config asks for."""
    ids = [participant.id for participant in config.participants]
    anchors = [participant.id for participant in config.participants if participant.anchor]
    options["anchors"] = {*anchors, *options.get("anchors", ())}
    if config.scheduler.reference is not None:
        return GauntletModel(ids, config.scheduler.reference, **options)
    return MarginModel(ids, **options)

"""The choice of a run's margin model, by its config: pairwise or that of a gauntlet."""

from collections.abc import Collection, Iterable
from typing import Unpack

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pairwise_model import MarginModel, ModelOptions, first_guess
from molt_bench.records import Margins
from molt_bench.specs import Pair


def margin_model(config: BenchmarkConfig, *, left: Collection[str] = ()) -> MarginModel:
    """Return the margin model of a run, which is empty.

    Those who `left` the run are outside the field, as anchors are.
    """
    return model_of_kind(
        config,
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        anchors=left,
    )


def fill(model: MarginModel, matches: Iterable[tuple[Pair, Margins]], estimator: str) -> MarginModel:
    """Add matches to a model, which gives the same as one after another, and return it."""
    columns: dict[Pair, list[float]] = {}
    for pair, margins in matches:
        known = columns.pop(pair, [])  # in the order of their last matches
        columns[pair] = [*known, *margins[estimator]]
    for pair, column in columns.items():
        model.replace(pair, column)
    return model


def model_of_kind(config: BenchmarkConfig, **options: Unpack[ModelOptions]) -> MarginModel:
    """Return a margin model of the kind that a config asks for."""
    ids = [participant.id for participant in config.participants]
    anchors = [participant.id for participant in config.participants if participant.anchor]
    options["anchors"] = {*anchors, *options.get("anchors", ())}
    if config.scheduler.reference is not None:
        return GauntletModel(ids, config.scheduler.reference, **options)
    return MarginModel(ids, **options)

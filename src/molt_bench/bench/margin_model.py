"""The margin model of a run: pairwise, additive or that of a gauntlet, as its config says."""

from typing import Unpack

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.additive import AdditiveModel
from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.margin import MarginModel, ModelOptions, first_guess


def margin_model(config: BenchmarkConfig) -> MarginModel:
    """Return the margin model of a run, without any margins yet."""
    return model_of_kind(
        config,
        hands=2 * config.game.hands_per_game,
        sd_per_hand=first_guess(config.game.stack / config.game.big_blind),
        own_decks=[participant.id for participant in config.participants if participant.may_remember],
    )


def model_of_kind(config: BenchmarkConfig, **options: Unpack[ModelOptions]) -> MarginModel:
    """Return a margin model of the kind that a config asks for, with other options."""
    ids = [participant.id for participant in config.participants]
    options["anchors"] = [participant.id for participant in config.participants if participant.anchor]
    if config.scheduler.reference is not None:
        return GauntletModel(ids, config.scheduler.reference, **options)
    return (AdditiveModel if config.rating.margins == "additive" else MarginModel)(ids, **options)

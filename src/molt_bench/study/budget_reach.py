"""What a budget buys: the smallest gap between neighbours that a run can show, for each way to spend it.

A way is a matchmaker: the schedule of the config, or a gauntlet.
"""

from math import inf
from typing import Literal, TypeAlias, Unpack

import msgspec

from molt_bench.config.matchmaker_names import GAUNTLET
from molt_bench.config.participants import REFERENCE, REFERENCES, ParticipantConfig
from molt_bench.config.sections import MOST_PARTICIPANTS, BenchmarkConfig, SchedulerConfig
from molt_bench.errors import ConfigError
from molt_bench.study.planner import Assumptions, Need, Planner, PlannerOptions

Limit: TypeAlias = Literal["hands", "dollars"]


class Way(msgspec.Struct, frozen=True):
    """One way to spend a budget.

    Attributes:
        added: Whether the yardstick of the gauntlet is not in the user's config.
    """

    config: BenchmarkConfig
    added: bool = False


class Bought(msgspec.Struct, frozen=True):
    """What one way buys.

    Attributes:
        need: What is played, and the smallest gap that it can show; None if the budget is too small for the opening.
        limit: The budget that is used up first.
        least: What of that budget the opening takes.
    """

    way: Way
    assumed: Assumptions
    need: Need | None
    limit: Limit
    least: float


def what_it_buys(
    config: BenchmarkConfig, *, hands: float | None = None, usd: float | None = None, **options: Unpack[PlannerOptions]
) -> list[Bought]:
    """Return what a budget of hands, of dollars or of both buys; `options` are those of `Planner`.

    Raises ConfigError if dollars buy nothing here, or the budget is too small for the opening in every way.
    """
    found = [_bought(way, hands, usd, options) for way in ways(config)]
    if all(each.need is None for each in found):
        best = min(found, key=lambda each: each.least)
        value, least = (usd, f"${best.least:,.2f}") if best.limit == "dollars" else (hands, f"{best.least:,.0f}")
        scheduler = best.way.config.scheduler
        how = f", in a gauntlet against {scheduler.reference}" if scheduler.reference is not None else ""
        raise ConfigError(
            f"--{best.limit}",
            value,
            f"at least {least}: every pairing plays {scheduler.min_seed_pairs} seed pairs first "
            f"(scheduler.minSeedPairs){how}",
        )
    return found


def ways(config: BenchmarkConfig) -> list[Way]:
    """Return the ways to spend a budget, the config's own first."""
    return [Way(config), *_other_schedule(config)]


def _other_schedule(config: BenchmarkConfig) -> list[Way]:
    """Return the gauntlet that a config could be, or the default schedule in place of its gauntlet."""
    if config.scheduler.reference is not None:
        plain = {"policy": SchedulerConfig().policy, "reference": None}
        other = config.model_copy(update={"scheduler": config.scheduler.model_copy(update=plain)})
        return [Way(other)] if len(config.participants) > 2 else []
    rule = config.stop.adjacent_confidence
    if rule is not None and rule.method != "margin":
        return []
    yardstick, cast = _yardstick(config), config.participants
    added = yardstick is None
    if yardstick is None:
        yardstick = REFERENCE
        cast = (*cast, ParticipantConfig(id=yardstick, type=yardstick))
    if len(cast) < 3 or len(cast) > MOST_PARTICIPANTS or any(each.id == REFERENCE for each in cast[:-1] if added):
        return []
    scheduler = config.scheduler.model_copy(update={"policy": GAUNTLET, "reference": yardstick})
    return [Way(config.model_copy(update={"participants": cast, "scheduler": scheduler}), added=added)]


def _yardstick(config: BenchmarkConfig) -> str | None:
    """Return the best yardstick among the participants: an anchor, `blueprint`, or a bot if there are no models."""
    bots = [each for each in config.participants if each.kind.built_in]
    for among in (
        [each for each in bots if each.anchor],
        [each for each in config.participants if each.anchor],
        [each for each in bots if each.type in REFERENCES],
        [] if config.models() else bots,
    ):
        if among:
            return among[0].id
    return None


def _bought(way: Way, hands: float | None, usd: float | None, options: PlannerOptions) -> Bought:
    planner = Planner(way.config, **options)
    opening = planner.for_matches(planner.opening)
    if usd is not None and opening.unpriced:
        names = ", ".join(opening.unpriced)
        raise ConfigError("--dollars", usd, f"a price in llm.prices for every model, and there is none for {names}")
    if usd is not None and not opening.usd:
        raise ConfigError("--dollars", usd, "--hands here, since nobody who plays costs dollars")
    least: dict[Limit, float] = {"hands": opening.hands, "dollars": opening.usd or 0.0}
    room: dict[Limit, float] = {
        "hands": inf if hands is None else hands / least["hands"],
        "dollars": inf if usd is None else usd / least["dollars"],
    }
    limit = min(room, key=lambda name: room[name])
    matches = int(room[limit] * planner.opening + 1e-9)
    need = planner.for_matches(matches) if matches >= planner.opening else None
    return Bought(way, planner.assumed, need, limit, least[limit])

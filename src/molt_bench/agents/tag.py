"""`tag`, the strongest bot that goes by rules of thumb: tight, aggressive, and good at arithmetic."""

from molt_bench.agents.base import Mix
from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.observation import Observation, raise_by_pot
from molt_bench.poker.starting_hands import equity_against_best


class TagAgent(ScriptedAgent):
    """Weighs its equity against the hands the other seat plausibly holds, and the price.

    It raises with the better hand, calls when the price is right, folds otherwise, and bluffs now and then.
    """

    kind = "tag"

    def act(self, observation: Observation) -> Action | Mix:
        """Compare equity with thresholds and with pot odds; it mixes only bluffs."""
        percent, size, usual = _plan(observation, _equity(observation))
        if not percent:
            return usual
        return Mix([(raise_by_pot(observation, size), percent), (usual, 100 - percent)])


def _plan(observation: Observation, equity: float) -> tuple[int, int, Action]:
    """Return how often it bluffs here in percent, by which percentage of the pot, and what it does otherwise."""
    to_call, can_raise = observation.to_call, observation.max_raise_to > 0
    if can_raise and not (to_call and observation.log):
        # No one has bet; before the first action, there is nothing but the big blind.
        bluffs, size = 25 if equity < 0.4 else 0, 75
        if equity > 0.55:
            return bluffs, size, raise_by_pot(observation, size)
        least = 0.42
    else:
        odds = observation.pot_odds
        bluffs, size = 4 if to_call and can_raise and equity < 0.35 and odds < 0.3 else 0, 90
        if can_raise and equity > 0.72:
            return bluffs, size, raise_by_pot(observation, size)
        least = odds + 0.04
    if not to_call:
        return bluffs, size, CHECK
    return bluffs, size, CALL if equity > least else FOLD


def _equity(observation: Observation) -> float:
    """Return the equity against the hands that the opponent plausibly holds."""
    hole = observation.cards if observation.board else _canonical(observation.cards)
    return equity_against_best(hole, observation.board, plausible_percent(observation))


def plausible_percent(observation: Observation) -> int:
    """Return the opponent's plausible range, as a percentage of the best hands, from its actions in this hand."""
    percent = 100
    for done in observation.log:
        if done.seat == observation.seat or done.kind != "raiseTo":
            continue
        if done.street == "preflop":
            big_blinds = done.amount / observation.big_blind
            percent = min(percent, 80 if big_blinds <= 4 else 55 if big_blinds <= 15 else 40)
        else:
            percent = max(25, percent * 75 // 100)
    return percent


def _canonical(hole: Hole) -> Hole:
    """Return one hand for all with the same ranks and suitedness, so that they share a cache entry."""
    first, second = max(hole), min(hole)
    return first & ~3, (second & ~3) + (first & 3 != second & 3)

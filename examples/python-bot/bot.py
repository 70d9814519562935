"""A bot that mixes: it bets good hands most of the time, bluffs now and then, and says so.

`act` returns a `Mix`, from which molt-bench draws. The luck of the draw can then be taken out of its result, so that
fewer hands are needed to see how good it is.
"""

from bisect import bisect

import numpy as np

from molt_bench import Action, Mix, Observation, strength

#: What 2,000 hands are worth on the river, worst first: always the same ones.
DEALT = np.random.default_rng(1).random((2_000, 52)).argsort(axis=1)[:, :7]
RANKED = sorted(strength(hand) for hand in DEALT.tolist())


def quality(cards: tuple[int, ...], board: tuple[int, ...]) -> float:
    """Return how good a hand is, from 0 to 1: before the flop by its ranks, later by its place among all hands."""
    if board:
        return bisect(RANKED, strength((*cards, *board))) / len(RANKED)
    low, high = sorted(card // 4 for card in cards)
    suited = cards[0] % 4 == cards[1] % 4
    return min(1.0, (high + 0.6 * low + 9 * (low == high) + suited) / 21)


class Mixer:
    """Bets by how good its hand is, calls at the right price, and bluffs with a part of its worst hands."""

    name = "mixer"

    def act(self, observation: Observation) -> Action | Mix:
        """Return what to do, or how often to do what."""
        good, legal = quality(observation.cards, observation.board), observation.legal
        passive = Action("call" if legal.to_call else "check")
        if legal.to_call and good < observation.pot_odds + 0.15:
            passive = Action("fold")
        if "raiseTo" not in legal.kinds:
            return passive
        bet = observation.bets[1 - observation.seat] + (observation.pot + legal.to_call) * 2 // 3
        raised = Action("raiseTo", max(legal.min_raise_to, min(legal.max_raise_to, bet)))
        percent = 90 if good > 0.8 else 25 if good > 0.6 else 10 if good < 0.2 else 0
        if len([one for one in observation.log if one.kind == "raiseTo" and one.street == observation.street]) > 1:
            percent = 90 if good > 0.95 else 0  # after two raises on a street, only with the best hands
        return Mix([(raised, percent), (passive, 100 - percent)]) if percent else passive


def make() -> Mixer:
    """Return the bot; molt-bench calls this for every game."""
    return Mixer()

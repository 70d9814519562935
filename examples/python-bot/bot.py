"""A bot that mixes: it bets good hands most of the time, bluffs now and then, and publishes these odds.

`policy` says what it would do, and `act` draws from exactly that. The luck of the draw can then be taken out of its
result, so that fewer hands are needed to see how good it is.
"""

from bisect import bisect

import numpy as np

from molt_bench import Action, Observation, Policy, strength

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

    def policy(self, observation: Observation) -> Policy:
        """Return each action with its probability; they add up to 1."""
        good, legal = quality(observation.cards, observation.board), observation.legal
        passive = Action("call" if legal.to_call else "check")
        if legal.to_call and good < observation.pot_odds + 0.15:
            passive = Action("fold")
        if "raiseTo" not in legal.kinds:
            return [(passive, 1.0)]
        bet = observation.bets[1 - observation.seat] + (observation.pot + legal.to_call) * 2 // 3
        raised = Action("raiseTo", max(legal.min_raise_to, min(legal.max_raise_to, bet)))
        often = 0.9 if good > 0.8 else 0.25 if good > 0.6 else 0.1 if good < 0.2 else 0.0
        if len([one for one in observation.log if one.kind == "raiseTo" and one.street == observation.street]) > 1:
            often = 0.9 if good > 0.95 else 0.0  # after two raises on a street, only with the best hands
        return [(raised, often), (passive, 1 - often)] if often else [(passive, 1.0)]

    def act(self, observation: Observation) -> Action:
        """Draw from the policy with the random number of this decision, so that every run plays alike."""
        drawn = observation.noise / 2**32
        (first, chance), *others = self.policy(observation)
        return others[0][0] if others and drawn >= chance else first


def make() -> Mixer:
    """Return the bot; molt-bench calls this for every game."""
    return Mixer()

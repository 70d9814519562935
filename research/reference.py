"""What built-in bots lose to `resolver`, by AIVAT, for papers to quote.

    python research/reference.py --hands 1000 > research/reference.txt

Every bot plays `resolver` on seed pairs: two games on the same cards, seats swapped. AIVAT (Burch, Schmid, Moravcik,
Morrill and Bowling, AAAI 2018) knows how the resolver plays every hand that it may hold. So it averages over these, and
takes out the luck of the bot's hole cards, of the turn and the river, and of the resolver's draws. The value of a hand
that this needs is that of the blueprint's table; a wrong one costs precision, and never the mean. Flops are left in.

The unit of the standard error is the seed pair. Seconds are those of the processor.
"""

import argparse
import os
from math import comb, fsum
from statistics import fmean, stdev
from time import process_time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the command, before numpy is loaded

import numpy as np

from molt_bench import make_agent, play_game
from molt_bench.plugins.reference.agent import BlueprintAgent, RangePolicy
from molt_bench.plugins.reference.range_equity import HOLES, edges, hole_number, holes_with
from molt_bench.plugins.reference.resolver import ResolverAgent
from molt_bench.plugins.reference.state import PublicState
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.arrays import Floats
from molt_bench.poker.cards import Board
from molt_bench.poker.hand import NOBODY, Hand
from molt_bench.poker.views import observe
from molt_bench.records import GameRecord

BOTS = ("tag", "blueprint", "tight", "callstation", "maniac")
#: Hands of a game: resolver knows nothing of earlier hands, so only their number counts.
HANDS, STACK, BLIND = 5, 10_000, 100


class Walk:
    """What is known in the course of a hand: the bot's cards, and how likely each hole of the resolver is."""

    def __init__(self, hand: Hand, resolver: int, values: BlueprintAgent) -> None:
        self._hand, self._seat, self._other, self._values = hand, resolver, 1 - resolver, values
        self._hole = hand.holes[self._other]
        self.board: Board = ()
        self._range: Floats = np.zeros(HOLES)
        self._range[~holes_with()[list(self._hole)].any(axis=0)] = 1 / comb(50, 2)

    def deal_luck(self) -> float:
        """Return the luck of the bot's hole cards, in its chips as everything here."""
        values = self._values.hand_values(self._state(()), self._other)
        return float(values[hole_number(self._hole)] - values.mean())

    def card_luck(self, before: Hand) -> float:
        """Return the luck of the card that was dealt before a decision; none for a flop."""
        new = before.board[len(self.board) :]
        luck = 0.0
        if len(new) == 1:
            log, known = tuple(before.log), {*self._hole, *self.board}
            live = [card for card in range(52) if card not in known]
            worth = {card: self._value(log, (*self.board, card)) for card in live}
            held = holes_with() @ self._range
            chances = [(1 - held[card]) / (48 - len(self.board)) for card in live]
            luck = worth[new[0]] - fsum(chance * worth[card] for card, chance in zip(live, chances, strict=True))
        self.board = before.board
        self._range = self._range * ~holes_with()[list(new)].any(axis=0)
        self._range /= self._range.sum()
        return float(luck)

    def draw_luck(self, before: Hand, action: Action, policy: RangePolicy) -> float:
        """Return the luck of a draw of the resolver."""
        chances = self._range @ policy.chances
        mean, value, after = [], 0.0, self._range * 0
        for choice, chance, column in zip(policy.actions, chances.tolist(), policy.chances.T, strict=True):
            if chance > 0:
                joint = self._range * column
                worth = self._after(before, choice, joint / chance)
                mean.append(chance * worth)
                if (choice.kind, choice.amount) == (action.kind, action.amount) or (
                    choice.kind == action.kind != "raiseTo"
                ):
                    value, after = worth, after + joint
        self._range = after / after.sum()
        return value - fsum(mean)

    def _after(self, before: Hand, action: Action, likely: Floats) -> float:
        """Return the value after an action of the resolver, with its holes as likely as given."""
        if action.kind == "fold":
            return float(before.chips_in(self._seat))
        bet = action.amount
        if action.kind != "raiseTo":
            bet = before.bets[self._seat] + before.to_call
            opened = bool(before.log) and before.log[-1].street == before.street
            # The first action on a street leaves the other seat a decision, unless a seat is all-in.
            if bet in before.limits or (opened and before.street == "river"):
                return (before.at_stake + bet) * float(edges(self._hole, self.board) @ likely)
        done = LoggedAction(before.street, self._seat, action.kind, bet)
        return self._value((*before.log, done), self.board)

    def result(self) -> float:
        """Return the mean result given what is known at the last decision."""
        if self._hand.folded != NOBODY:
            return float(self._hand.payoffs[self._other])
        return self._hand.at_stake * float(edges(self._hole, self.board) @ self._range)

    def _value(self, log: tuple[LoggedAction, ...], board: Board) -> float:
        hand = self._hand
        state = PublicState(hand.rules, hand.starting_stacks, hand.button, log, board)
        return self._values.hand_value(state, self._other, self._hole)

    def _state(self, log: tuple[LoggedAction, ...]) -> PublicState:
        hand = self._hand
        return PublicState(hand.rules, hand.starting_stacks, hand.button, log, self.board)


def aivat(hand: Hand, seat: int, resolver: ResolverAgent, values: BlueprintAgent) -> float:
    """Return what the bot won in a hand against the resolver in `seat`, in chips."""
    if not hand.log:
        return 0.0
    walk = Walk(hand, seat, values)
    luck = [walk.deal_luck()]
    for before, action in hand.steps():
        if len(before.board) > len(walk.board):
            luck.append(walk.card_luck(before))
        if before.actor == seat:
            luck.append(walk.draw_luck(before, action, resolver.range_policy(observe(before, 1))))
    return walk.result() - fsum(luck)


def played(bot: str, seed: str) -> tuple[float, float]:
    """Return what a bot won in the two games of a seed, in bb/100: in chips, and by AIVAT."""
    resolver, values = ResolverAgent(), BlueprintAgent()
    chips, without_luck = 0.0, 0.0
    for seating in ("AB", "BA"):
        players = make_agent(bot), resolver
        record: GameRecord = play_game(players, seed=seed, hands=HANDS, stack=STACK, seating=seating)
        assert not record.faults
        seat = 1 if seating == "AB" else 0
        chips += record.net[0]
        without_luck += sum(aivat(each.hand, seat, resolver, values) for each in record.replay())
    per_100 = 100 / (2 * HANDS * BLIND)
    return chips * per_100, without_luck * per_100


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1000, help="of each bot")
    parser.add_argument("--bots", default=",".join(BOTS))
    given = parser.parse_args()
    print(f"against resolver, {STACK // BLIND} big blinds; bb/100 with standard errors of the mean of seed pairs")
    print(f"{'bot':12}{'hands':>7}{'AIVAT':>10}{'s.e.':>8}{'chips':>10}{'s.e.':>8}{'seconds':>9}")
    for bot in given.bots.split(","):
        start, pairs = process_time(), max(2, given.hands // (2 * HANDS))
        chips, without = zip(*[played(bot, f"reference {number}") for number in range(pairs)], strict=True)
        cells = [f"{fmean(won):10,.0f}{stdev(won) / pairs**0.5:8,.0f}" for won in (without, chips)]
        print(f"{bot:12}{2 * HANDS * pairs:7,}{''.join(cells)}{process_time() - start:9,.0f}", flush=True)


if __name__ == "__main__":
    main()

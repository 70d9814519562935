"""Local best response: how much a simple opponent that knows a bot's probabilities wins from it.

After Lisy and Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots" (2017). The responder keeps
the bot's exact range: the probability of each of its 1,326 hands, given what it did. It values a call by its equity
against that range, as if nobody bet again, and a raise by how often the range folds to it and by its equity against
what does not. It does what is worth most. What it wins is a lower bound of what the best opponent would win.

Its winnings are measured, not assumed, with little noise. The bot's hand is never dealt: what a fold or a showdown is
worth is averaged over its range, and so are its actions that end the hand. Only one of the others is drawn, and the
next card. The luck of these draws has a known mean of 0, and most of it is subtracted, by weights that are fitted on
the other half of the hands.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import msgspec
import numpy as np

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, STREETS, Action
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.observation import Observation, observe
from molt_bench.poker.range_equity import edges, hole_cards, holes_with

BIG_BLIND = 100
#: All hands of two cards, by their number.
HOLES: tuple[Hole, ...] = tuple((low, high) for low, high in hole_cards().tolist())
#: Rows that the first guess of a weight counts as.
_GUESS_ROWS = 50
#: Hands of the responder on each board, in each seat.
HANDS = 4
#: Decks that one task plays.
CHUNK = 10


class Variant(NamedTuple):
    """What the responder may do: raises as shares of the pot after a call, and all-in, from a street on.

    A share of 0 is the smallest legal raise.
    """

    name: str
    sizes: tuple[float, ...] = ()
    all_in: bool = False
    first_street: int = 0


_POT, _EVERY = (1.0,), (0.0, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
VARIANTS = (
    Variant("fold, call"),
    Variant("fold, call, pot, all-in", _POT, all_in=True),
    Variant("the same from the flop on, only calls before", _POT, all_in=True, first_street=1),
    Variant("the same from the turn on, only calls before", _POT, all_in=True, first_street=2),
    Variant("fold, call, smallest bets from the flop on", (0.0,), first_street=1),
    Variant("fold, call, ten sizes, all-in", _EVERY, all_in=True),
    Variant("the same from the flop on, only calls before", _EVERY, all_in=True, first_street=1),
    Variant("the same from the turn on, only calls before", _EVERY, all_in=True, first_street=2),
)


class Game(NamedTuple):
    """What is played for, in big blinds."""

    stack: float = 100
    ante: float = 0

    def rules(self) -> HandRules:
        """Return the rules of its hands."""
        return HandRules(BIG_BLIND // 2, BIG_BLIND, ante=round(BIG_BLIND * self.ante))

    def __str__(self) -> str:
        return f"{self.stack:g} big blinds" + (f", ante {self.ante:g}" if self.ante else "")


def without(cards: Sequence[int]) -> Any:
    """Return which hands hold none of these cards."""
    return ~holes_with()[list(cards)].any(axis=0)


def range_policy(agent: Any, seen: Observation) -> tuple[list[Action], Any]:
    """Return a bot's actions at a decision, and their probabilities for each hand it could hold."""
    published = getattr(agent, "range_policy", None)
    if published is not None:
        found = published(seen)
        return [*found.actions], np.asarray(found.chances)
    if not getattr(agent, "sees_cards", True):
        policy = agent.policy(seen)
        return [action for action, _ in policy], np.tile([chance for _, chance in policy], (len(HOLES), 1))
    rows: list[dict[Action, float]] = []
    for hole, possible in zip(HOLES, without(seen.board), strict=True):
        rows.append(dict(agent.policy(msgspec.structs.replace(seen, cards=hole))) if possible else {})
    actions = list(dict.fromkeys(action for row in rows for action in row))
    return actions, np.array([[row.get(action, 0.0) for action in actions] for row in rows])


class Won(NamedTuple):
    """What the responder won in a hand, in big blinds, and the luck in it: of deals and of draws, by street."""

    value: float
    luck: tuple[float, ...]


class Responder:
    """Plays one hand against a bot: the responder holds `hole` and has the button or not."""

    def __init__(self, agent: PokerAgent, variant: Variant, game: Game, *, hole: Hole, button: bool) -> None:
        self._agent, self._variant, self._hole = agent, variant, hole
        stack = round(BIG_BLIND * game.stack)
        self._rules, self._stacks = game.rules(), (stack, stack)
        self._button = 0 if button else 1  # the responder is seat 0
        self._board: tuple[int, ...] = ()
        self._range = without(hole).astype(float)
        #: The chance to come to this point, as far as it was not drawn.
        self._reach = 1.0
        self._value = 0.0
        self._luck = np.zeros(2 * len(STREETS))

    def play(self, deck: Sequence[int], dice: Any) -> Won:
        """Play the hand; `deck` are the other cards in the order they may come, and `dice` draws."""
        hand = self._after([])
        self._luck[0] = 2 * BIG_BLIND * (self._equity() - 0.5)
        while True:
            if hand.actor == 0:
                moved = self._after([*_actions(hand), self._best(hand)])
                if moved.actor == NOBODY:
                    self._value += self._reach * self._ending(moved, self._range)
                    break
            else:
                found = self._answer(hand, dice)
                if found is None:
                    break
                moved = found
            if moved.street != hand.street:
                moved = self._deal(moved, deck, dice)
            hand = moved
        return Won(self._value / BIG_BLIND, tuple((self._luck / BIG_BLIND).tolist()))

    def _after(self, actions: Sequence[Action]) -> Hand:
        """Return the hand after some actions; cards that are not dealt yet are any others."""
        others = (card for card in range(52) if card not in self._hole and card not in self._board)
        held = next(others), next(others)
        board = (*self._board, *[next(others) for _ in range(5 - len(self._board))])
        hand = Hand(self._rules, ((self._hole, held), board), self._stacks, self._button)
        for action in actions:
            hand.apply(action)
        return hand

    def _deal(self, hand: Hand, deck: Sequence[int], dice: Any) -> Hand:
        """Deal the next street, given that the bot holds one of its range."""
        street = STREETS.index(hand.street)
        before = self._equity()
        held = HOLES[dice.choice(len(HOLES), p=self._range / self._range.sum())]
        cards = [card for card in deck if card not in held and card not in self._board]
        self._board = (*self._board, *cards[: OPEN_CARDS[hand.street] - len(self._board)])
        self._range = self._range * without(self._board)
        self._luck[street] += self._reach * hand.pot * (self._equity() - before)
        return self._after(_actions(hand))

    def _equity(self, held: Any = None) -> float:
        held = self._range if held is None else held
        whole = held.sum()
        return float(held @ edges(self._hole, self._board) / whole + 1) / 2 if whole > 0 else 0.5

    def _ending(self, hand: Hand, held: Any) -> float:
        """Return what the responder wins in a finished hand, on average over the bot's hands and the cards to come."""
        if hand.folded >= 0:
            return float(hand.payoffs[0])
        return hand.at_stake * (2 * self._equity(held) - 1)

    def _best(self, hand: Hand) -> Action:
        """Return what is worth most: to fold is worth 0, and what was put in is gone."""
        share, pot, price = self._equity(), hand.pot + sum(hand.bets), hand.to_call
        passive = CALL if price else CHECK
        if STREETS.index(hand.street) < self._variant.first_street:
            return passive
        best, action = share * (pot + price) - price, passive
        if price and best < 0:
            best, action = 0.0, FOLD
        for amount in self._raises(hand, pot + price):
            raised = Action("raiseTo", amount)
            worth = self._worth(hand, raised, pot)
            if worth > best:
                best, action = worth, raised
        return action

    def _raises(self, hand: Hand, pot: int) -> list[int]:
        least, most = hand.raise_range()
        if not most:
            return []
        all_in = min(most, hand.limits[1])
        facing = hand.bets[0] + hand.to_call
        sizes = [max(least, facing + round(size * pot)) for size in self._variant.sizes]
        return sorted({min(size, all_in) for size in sizes} | ({all_in} if self._variant.all_in else set()))

    def _worth(self, hand: Hand, raised: Action, pot: int) -> float:
        """Return what a raise is worth, if what does not fold to it calls."""
        after = self._after([*_actions(hand), raised])
        actions, chances = range_policy(self._agent, observe(after, 1))
        folds = sum((chances[:, at] for at, action in enumerate(actions) if action == FOLD), np.zeros(len(HOLES)))
        stays = self._range * (1 - folds)
        share = float(stays.sum() / self._range.sum())
        added = raised.amount - hand.bets[0]
        called = self._equity(stays) * (pot + added + after.to_call) - added
        return (1 - share) * pot + share * called

    def _answer(self, hand: Hand, dice: Any) -> Hand | None:
        """Count the bot's actions that end the hand, and draw one of the others; None if there are none."""
        actions, chances = range_policy(self._agent, observe(hand, 1))
        whole = self._range.sum()
        going: list[tuple[float, float, Hand, Any]] = []
        for action, column in zip(actions, chances.T, strict=True):
            held = self._range * column
            chance = float(held.sum() / whole)
            if chance <= 0:
                continue
            moved = self._after([*_actions(hand), action])
            if moved.actor == NOBODY:
                self._value += self._reach * chance * self._ending(moved, held)
            else:
                worth = moved.chips_in(1) * (2 * self._equity(held) - 1)
                going.append((chance, worth, moved, held))
        if not going:
            return None
        parts = np.array([each[0] for each in going])
        self._reach *= float(parts.sum())
        parts /= parts.sum()
        worths = np.array([each[1] for each in going])
        drawn = int(dice.choice(len(going), p=parts))
        self._luck[len(STREETS) + STREETS.index(hand.street)] += self._reach * float(worths[drawn] - parts @ worths)
        self._range = going[drawn][3] / going[drawn][3].sum()
        return going[drawn][2]


def _actions(hand: Hand) -> list[Action]:
    return [Action(done.kind, done.amount) for done in hand.log]


def play_decks(agent: str, variants: Sequence[Variant], game: Game, seed: str, first: int) -> Any:
    """Play some decks, by each variant in both seats: what was won, then the luck in it.

    Several hands of the responder are played on the same board, since a bot that solves streets does so only once.
    """
    bot = make_agent(agent, seed=seed)
    table = np.zeros((CHUNK, len(variants), 1 + 2 * len(STREETS)))
    for at in range(CHUNK):
        numbers = [*seed.encode(), first + at]
        deck = np.random.RandomState(numbers).permutation(52).tolist()
        for column, variant in enumerate(variants):
            for number in range(2 * HANDS):
                one, two = deck[number : number + 2] if number % 2 == 0 else deck[number - 1 : number + 1]
                hole = max(one, two), min(one, two)
                responder = Responder(bot, variant, game, hole=hole, button=number % 2 == 0)
                rest = [card for card in (*deck[2 * HANDS :], *deck[: 2 * HANDS]) if card not in hole]
                won = responder.play(rest, np.random.RandomState([*numbers, number]))
                table[at, column] += np.array([won.value, *won.luck]) / (2 * HANDS)
    return table


def without_luck(table: Any) -> Any:
    """Subtract the luck, with weights that are fitted on the other half of the rows, from 1 each as a first guess."""
    values, luck = table[:, 0], table[:, 1:]
    half = np.arange(len(table)) % 2 == 0
    found = np.zeros(len(table))
    for here in (half, ~half):
        there = luck[~here] - luck[~here].mean(axis=0)
        rest = values[~here] - there.sum(axis=1)
        squares = there.T @ there
        guess = np.diag(_GUESS_ROWS * there.var(axis=0) + 1e-12)
        weights = 1 + np.linalg.solve(squares + guess, there.T @ (rest - rest.mean()))
        found[here] = values[here] - luck[here] @ weights
    return found


class Bound(NamedTuple):
    """What a variant wins from a bot, in big blinds per 100 hands, with its standard error, and that of the chips."""

    variant: str
    won: float
    error: float
    plain_error: float
    hands: int


def bounds(
    agent: str, executor: Any, game: Game, *, decks: int = 1000, variants: Sequence[Variant] = VARIANTS
) -> list[Bound]:
    """Measure what each variant wins from a bot."""
    play = partial(play_decks, agent, variants, game, "local best response")
    tables = np.concatenate([*executor.map(play, range(0, decks, CHUNK))])
    found = []
    for at, variant in enumerate(variants):
        values, root = without_luck(tables[:, at]), len(tables) ** 0.5
        plain = 100 * tables[:, at, 0].std() / root
        found.append(
            Bound(variant.name, 100 * values.mean(), 100 * values.std() / root, plain, 2 * HANDS * len(tables))
        )
    return found


def print_bounds(agent: str, game: Game, found: Sequence[Bound]) -> None:
    """Print what each variant wins."""
    print(f"\nLocal best response to {agent}, {game}, {found[0].hands:,} hands each: bb/100 (standard error)")
    for each in found:
        print(f"  {each.variant:48}{each.won:>+8.1f} ({each.error:.1f}; {each.plain_error:.1f} with all luck)")
    best = max(found, key=lambda each: each.won)
    print(f"  most: {best.won:+.1f} +- {1.96 * best.error:.1f}, by {best.variant}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", default="blueprint", help="a bot that publishes its probabilities (%(default)s)")
    parser.add_argument(
        "--decks", type=int, default=1000, help="decks, each with several hands in both seats (%(default)s)"
    )
    parser.add_argument("--stack", type=float, default=100, help="big blinds of a stack (%(default)s)")
    parser.add_argument("--ante", type=float, default=0, help="big blinds of the ante (%(default)s)")
    parser.add_argument("--variants", type=int, nargs="*", default=[*range(len(VARIANTS))], help="which, from 0 on")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (%(default)s)")
    options = parser.parse_args()
    variants, game = [VARIANTS[at] for at in options.variants], Game(options.stack, options.ante)
    with ProcessPoolExecutor(options.processes) as executor:
        found = bounds(options.agent, executor, game, decks=options.decks, variants=variants)
    print_bounds(options.agent, game, found)


if __name__ == "__main__":
    main()

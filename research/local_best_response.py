"""Local best response: how much a simple opponent that knows a bot's probabilities wins from it.

After Lisy and Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots" (2017). The responder keeps
the bot's exact range: the probability of each of its 1,326 hands, given what it did. It values a call by its equity
against that range, as if nobody bet again, and a raise by how often the range folds to it and by its equity against
what does not. It does what is worth most. What it wins is a lower bound of what the best opponent would win.

All 1,326 hands of the responder are played at once, against all of the bot's, so no hole cards are drawn, and a bot
that solves streets does so once for all of them. Endings are averaged over all pairs of hands. Drawn are the board, and
which of the lines of betting are followed; these count in inverse proportion to how likely they are drawn, so the mean
is that over all. The luck of these draws by the equities of both ranges has a known mean of 0, and is subtracted.
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from functools import cache, partial
from heapq import nlargest
from math import comb
from operator import itemgetter
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from whole_ranges import HOLES, Deck, met, range_policy, times, without

from molt_bench.agents.base import PokerAgent
from molt_bench.agents.kinds import make_agent
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, STREETS, Action
from molt_bench.poker.cards import Board
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.views import observe

BIG_BLIND = 100
#: Pairs of hands that share no card.
_PAIRS = len(HOLES) * comb(50, 2)
#: Lines of betting that are followed on a deck from each seat, and on a river.
LINES = 6
#: A line that is worth less, in big blinds by its pot and how likely it is, is followed more seldom; by street.
_LEAST = (0.1, 0.1, 0.05, 0.0125)


class Variant(NamedTuple):
    """What the responder may do: raises in percent of the pot after a call, and all-in, from a street on.

    A size of 0 is the smallest legal raise.
    """

    name: str
    sizes: tuple[int, ...] = ()
    all_in: bool = False
    first_street: int = 0


_POT, _EVERY = (100,), (0, 10, 20, 33, 50, 75, 100, 150, 200, 300)
VARIANTS = (
    Variant("fold, call"),
    Variant("fold, call, pot, all-in", _POT, all_in=True),
    Variant("the same from the flop on, only calls before", _POT, all_in=True, first_street=1),
    Variant("the same from the turn on, only calls before", _POT, all_in=True, first_street=2),
    Variant("fold, call, smallest bets from the flop on", (0,), first_street=1),
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


class Line(NamedTuple):
    """A line of betting that goes on.

    Attributes:
        hand: The hand.
        own: How likely each hand of the responder comes here; its luck of being followed is in it.
        theirs: The same of the bot.
        worth: What the responder is taken to win, in chips.
        weight: How likely both come here.
    """

    hand: Hand
    own: Any
    theirs: Any
    worth: float
    weight: float


class Won(NamedTuple):
    """What the responder won on a deck, in big blinds; the luck in it; and by what raises it was to win, by street."""

    value: float
    luck: float
    by: Mapping[tuple[str, int], float]


class Responder:
    """Plays one deck against a bot with all hands; the responder has the button or not.

    Args:
        agent: The bot.
        variant: What the responder may do.
        game: What is played for.
        deck: The boards.
        button: Whether the responder has the button.
        dice: Draws the lines that are followed.
    """

    def __init__(self, agent: PokerAgent, variant: Variant, game: Game, deck: Deck, *, button: bool, dice: Any) -> None:
        self._agent, self._variant, self._deck, self._dice = agent, variant, deck, dice
        stack = round(BIG_BLIND * game.stack)
        # The responder is seat 0.
        self._opening = Hand(game.rules(), (((0, 1), (2, 3)), (4, 5, 6, 7, 8)), (stack, stack), 0 if button else 1)
        self._value = 0.0
        self._luck = 0.0
        self._by: dict[tuple[str, int], float] = defaultdict(float)

    def play(self) -> Won:
        """Play the deck."""
        every = np.ones(len(HOLES))
        self._go_on(Line(self._opening, every / _PAIRS, every, 0.0, 1.0), LINES)
        by = {each: gain / BIG_BLIND for each, gain in self._by.items()}
        return Won(self._value / BIG_BLIND, self._luck / BIG_BLIND, by)

    def _go_on(self, line: Line, count: float) -> None:
        """Let whoever is to act do so, and follow some of the lines that this leads to: about `count`."""
        street = STREETS.index(line.hand.street)
        lines = self._respond(line, street) if line.hand.actor == 0 else self._answer(line, street)
        if not lines:
            return
        chips = np.array([each.weight * sum(map(each.hand.chips_in, (0, 1))) for each in lines])
        shares = count * chips / chips.sum()
        chances = np.minimum(1.0, np.minimum(shares, chips / (_LEAST[street] * BIG_BLIND)))
        places = np.floor(np.cumsum(chances) + self._dice.random_sample())
        followed = np.diff(places, prepend=0.0) > 0
        worths = np.array([each.worth for each in lines])
        self._luck += float((worths / chances)[followed].sum() - worths.sum())
        for at in np.flatnonzero(followed):
            chance, each = float(chances[at]), lines[at]
            each = each._replace(own=each.own / chance, weight=each.weight / chance)
            if each.hand.street == line.hand.street:
                self._go_on(each, max(1.0, float(shares[at])))
                continue
            for dealt in self._deal(each, street):
                self._go_on(dealt, LINES if street == 2 else max(1.0, float(shares[at])))

    def _deal(self, line: Line, before: int) -> list[Line]:
        """Deal the next street: what is won there counts more, as pairs of hands are taken that hold its cards."""
        board = line.hand.board[: OPEN_CARDS[STREETS[before]]]
        boards = self._deck.after(board)
        stake, won = line.hand.at_stake, float(line.own @ times(self._deck.edges(board), line.theirs))
        found = []
        for each in boards:
            possible, more = without(each), len(each) - len(board)
            scale = comb(52 - len(board), more) / comb(48 - len(board), more) / len(boards)
            own, theirs = line.own * possible * scale, line.theirs * possible
            weight = float(own @ met(theirs))
            after = float(own @ times(self._deck.edges(each), theirs))
            self._luck += stake * (after - won / len(boards))
            found.append(Line(self._hand(each, line.hand), own, theirs, 0.0, weight))
        return found

    def _hand(self, board: Board, before: Hand) -> Hand:
        """Return a hand with its board; all other cards are any."""
        others = (card for card in range(52) if card not in board)
        holes = (next(others), next(others)), (next(others), next(others))
        runout = (*board, *[next(others) for _ in range(5 - len(board))])
        hand = Hand(before.rules, (holes, runout), before.starting_stacks, before.button)
        for done in before.log:
            hand.apply(Action(done.kind, done.amount))
        return hand

    def _respond(self, line: Line, street: int) -> list[Line]:
        """Let each hand of the responder do what is worth most; count what ends the hand."""
        hand, own, theirs, *_ = line
        there = met(theirs)
        some = np.maximum(there, 1e-300)
        matrix = self._deck.edges(hand.board)
        won = times(matrix, theirs)
        pot, price = hand.pot + sum(hand.bets), hand.to_call
        actions = [CALL if price else CHECK]
        worths = [(won / some + 1) / 2 * (pot + price) - price]
        if street >= self._variant.first_street:
            if price:
                actions.append(FOLD)
                worths.append(np.zeros(len(HOLES)))
            for amount in self._raises(hand, pot + price):
                actions.append(Action("raiseTo", amount))
                worths.append(self._worth(line, actions[-1], pot, some, matrix))
        best = np.argmax(worths, axis=0)
        passive = np.max(worths[: 2 if FOLD in actions else 1], axis=0)
        lines = []
        for at, action in enumerate(actions):
            held = own * (best == at)
            weight = float(held @ there)
            if weight <= 0:
                continue
            moved = _after(hand, action)
            if moved.actor == NOBODY:
                ends = moved.payoffs[0] * weight if moved.folded >= 0 else moved.at_stake * float(held @ won)
                self._value += ends
                continue
            if action.kind == "raiseTo":
                percent = round(100 * (action.amount - max(hand.bets)) / (pot + price))
                self._by[hand.street, percent] += float((held * there) @ (worths[at] - passive))
            net = float((held * there) @ (worths[at] - hand.chips_in(0)))
            lines.append(Line(moved, held, theirs, net, weight))
        return lines

    def _raises(self, hand: Hand, pot: int) -> list[int]:
        least, most = hand.raise_range()
        if not most:
            return []
        all_in = min(most, hand.limits[1])
        facing = max(hand.bets)
        sizes = [max(least, facing + (pot * size + 50) // 100) for size in self._variant.sizes]
        return sorted({min(size, all_in) for size in sizes} | ({all_in} if self._variant.all_in else set()))

    def _worth(self, line: Line, raised: Action, pot: int, some: Any, matrix: Any) -> Any:
        """Return what a raise is worth for each hand, if what does not fold to it calls."""
        after = _after(line.hand, raised)
        actions, chances = range_policy(self._agent, observe(after, 1))
        folds = sum((chances[:, at] for at, action in enumerate(actions) if action == FOLD), np.zeros(len(HOLES)))
        stays = line.theirs * (1 - folds)
        staying = met(stays)
        share = staying / some
        added = raised.amount - line.hand.bets[0]
        equity = (times(matrix, stays) / np.maximum(staying, 1e-300) + 1) / 2
        return (1 - share) * pot + share * (equity * (pot + added + after.to_call) - added)

    def _answer(self, line: Line, street: int) -> list[Line]:
        """Take the bot's actions apart; count those that end the hand."""
        hand, own, theirs, *_ = line
        actions, chances = range_policy(self._agent, observe(hand, 1))
        matrix, lines = self._deck.edges(hand.board), []
        for action, column in zip(actions, chances.T, strict=True):
            held = theirs * column
            there = met(held)
            weight = float(own @ there)
            if weight <= 0:
                continue
            moved = _after(hand, action)
            won = times(matrix, held)
            if moved.actor == NOBODY:
                ends = moved.payoffs[0] * weight if moved.folded >= 0 else moved.at_stake * float(own @ won)
                self._value += ends
                continue
            called = won * min(moved.chips_in(1), moved.starting_stacks[0])
            net = np.maximum(-moved.chips_in(0) * there, called) if action.kind == "raiseTo" else called
            lines.append(Line(moved, own, held, float(own @ net), weight))
        return lines


def _after(hand: Hand, action: Action) -> Hand:
    moved = copy(hand)
    moved.apply(action)
    return moved


def play_deck(agent: str, variants: Sequence[Variant], game: Game, end: float, number: int) -> list[Won] | None:
    """Play a deck by each variant, in both seats: what was won on average; None if it is too late for that."""
    if perf_counter() > end:
        return None
    seed = [*b"local best response", number]
    deck = Deck(np.random.RandomState(seed).permutation(52).tolist())
    bot, found = _bot(agent), []
    for variant in variants:
        won = []
        for button in (True, False):
            dice = np.random.RandomState([*seed, int(button)])
            won.append(Responder(bot, variant, game, deck, button=button, dice=dice).play())
        by = {each: sum(one.by.get(each, 0.0) for one in won) / 2 for each in {*won[0].by, *won[1].by}}
        found.append(Won((won[0].value + won[1].value) / 2, (won[0].luck + won[1].luck) / 2, by))
    return found


@cache
def _bot(agent: str) -> PokerAgent:
    return make_agent(agent)


class Bound(NamedTuple):
    """What a variant wins from a bot, in big blinds per 100 hands, with its standard error, and that with all luck.

    `by` says by which raises it was to win how much more than by a call or a fold.
    """

    variant: str
    won: float
    error: float
    plain_error: float
    decks: int
    by: Mapping[tuple[str, int], float]


def bounds(
    agent: str,
    executor: Any,
    game: Game,
    *,
    decks: Sequence[int],
    variants: Sequence[Variant] = VARIANTS,
    seconds: float = 1e9,
) -> list[Bound]:
    """Measure what each variant wins from a bot on some decks, or on those that are done in time."""
    play = partial(play_deck, agent, variants, game, perf_counter() + seconds)
    played = [each for each in executor.map(play, decks) if each is not None]
    found = []
    for at, variant in enumerate(variants):
        by: dict[tuple[str, int], float] = defaultdict(float)
        for row in played:
            for each, gain in row[at].by.items():
                by[each] += 100 * gain / len(played)
        values = 100 * np.array([(row[at].value - row[at].luck, row[at].value) for row in played])
        error, plain = (values.std(axis=0) / max(1, len(played) - 1) ** 0.5).tolist()
        found.append(Bound(variant.name, float(values[:, 0].mean()), error, plain, len(played), by))
    return found


def print_bounds(agent: str, game: Game, found: Sequence[Bound]) -> None:
    """Print what each variant wins."""
    print(f"\nLocal best response to {agent}, {game}, {found[0].decks:,} decks with all hands: bb/100 (standard error)")
    for each in found:
        print(f"  {each.variant:48}{each.won:>+8.1f} ({each.error:.1f}; {each.plain_error:.1f} with all luck)")
        raises = [
            f"{street} {percent}% {gain:.1f}" for (street, percent), gain in nlargest(6, each.by.items(), itemgetter(1))
        ]
        print(f"    by raises of this share of the pot: {', '.join(raises) or 'none'}")
    best = max(found, key=lambda each: each.won)
    print(f"  most: {best.won:+.1f} +- {1.96 * best.error:.1f}, by {best.variant}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agent", default="blueprint", help="a bot that states mixes (%(default)s)")
    parser.add_argument("--decks", type=int, default=100, help="decks, each with all hands in both seats (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck; others are other boards")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no deck after this time")
    parser.add_argument("--stack", type=float, default=100, help="big blinds of a stack (%(default)s)")
    parser.add_argument("--ante", type=float, default=0, help="big blinds of the ante (%(default)s)")
    parser.add_argument("--variants", type=int, nargs="*", default=[*range(len(VARIANTS))], help="which, from 0 on")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (%(default)s)")
    options = parser.parse_args()
    variants, game = [VARIANTS[at] for at in options.variants], Game(options.stack, options.ante)
    decks = range(options.first, options.first + options.decks)
    with ProcessPoolExecutor(options.processes) as executor:
        found = bounds(options.agent, executor, game, decks=decks, variants=variants, seconds=options.seconds)
    print_bounds(options.agent, game, found)


if __name__ == "__main__":
    main()

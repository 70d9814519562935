"""A known opponent: what a hand was worth on average over the cards that a built-in bot could have held.

Let G be all that is known of a hand but the bot's hole cards: the other seat's cards, the board up to the last
decision, and the actions. The other seat never sees the bot's cards before the hand is over, so they influenced G only
through the bot's own actions. Given G, a hole h has a probability proportional to the product of the bot's
probabilities of what it did, had it held h, over all holes without a card of G. E[Y | G] has the same mean as Y for any
estimator Y, and varies less (Rao and Blackwell).

It is computed by rejection: candidates are drawn uniformly, and each is accepted with that product as its probability.
Accepted holes are independent draws from the same distribution as the actual hole, and their number says nothing about
them, so the mean of Y over the actual hole and the accepted ones has the mean of Y: no matter how many there are, and
where the drawing stops by their number.

Cards dealt after the last decision are not in G: nobody has acted on them, and estimators average over them. So a
candidate may hold one of them.
"""

from collections.abc import Callable, Collection
from math import fsum
from typing import Final, TypeAlias

import msgspec

from molt_bench.agents.base import Policy, PolicyOf
from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.scripted import FixedAgent, ScriptedAgent
from molt_bench.luck.cards.card_luck import prepare_luck
from molt_bench.luck.cards.equity_vs_random import prepare_equities_vs_random
from molt_bench.luck.coefficients import AGAINST, SOLID, Coefficients
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.poker.actions import OPEN_CARDS, Action
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import ParsedHand
from molt_bench.poker.observation import Observation, PlayedHand, observe
from molt_bench.seeds import derive
from molt_bench.specs import GameSpec

#: Most holes that are drawn for a hand, most that the bot is asked about after the flop, and accepted holes that are
#: enough.
CANDIDATES: Final = 256
TRIED_AFTER_FLOP: Final = 12
ENOUGH: Final = 16

_BOTS: Final = frozenset(BUILTIN_AGENTS.values())
_WORD: Final = 64
_MASK: Final = (1 << _WORD) - 1
_Decisions: TypeAlias = list[tuple[Observation, Action]]


def built_in_bot(policy: object) -> ScriptedAgent | None:
    """Return the built-in bot whose method a policy is; None for any other policy, also of a bot derived from one."""
    owner = getattr(policy, "__self__", None)
    return owner if type(owner) in _BOTS else None


def never_mixes(policy: object) -> bool:
    """Return whether a policy is that of a built-in bot without dice."""
    return isinstance(built_in_bot(policy), FixedAgent)


def weights_against(policy: PolicyOf) -> Coefficients:
    """Return the weights of card luck for hands against a built-in bot; `SOLID` where none were fitted for it."""
    bot = built_in_bot(policy)
    return SOLID if bot is None else AGAINST.get(bot.kind, SOLID)


def remembered(policy: PolicyOf) -> PolicyOf:
    """Return a policy that is asked once for each decision of one hand, whatever the bot holds."""
    answers: dict[int, Policy] = {}

    def ask(seen: Observation) -> Policy:
        at = len(seen.log)
        if at not in answers:
            answers[at] = policy(seen)
        return answers[at]

    return ask


def possible_holes(played: PlayedHand | ParsedHand, seat: int, policy: PolicyOf, spec: GameSpec) -> list[Hole]:
    """Draw holes that the built-in bot in `seat` could have held, each as likely as what it did makes it.

    Raises:
        PolicyError: The policy gives no chance to what the bot did with its actual cards.
    """
    number, hand, _ = played
    decisions = [
        (observe(before, number), action)
        for before, action in hand.steps(max_actions=spec.max_actions)
        if before.actor == seat
    ]
    for seen, action in decisions:
        if not chance_of(policy(seen), action) > 0:
            raise PolicyError(f"its policy gives what it did, {action.kind}, no chance")
    bot = built_in_bot(policy)
    if bot is not None and not bot.sees_cards:
        decisions = []
    before_flop = [decision for decision in decisions if not decision[0].board]
    # Later boards first: what is asked there is answered faster.
    after_flop = [decision for decision in decisions if decision[0].board][::-1]
    known = {*hand.holes[1 - seat], *hand.board[: OPEN_CARDS[hand.street]]}
    live = [card for card in range(52) if card not in known]
    found: list[Hole] = []
    tried_after_flop = 0
    for candidate in range(CANDIDATES):
        bits = derive(spec.decks, "range", spec.seating, number, candidate)
        hole = _drawn(live, bits)
        bar = bits >> 3 * _WORD
        likely = _chance(hole, before_flop, policy, 1.0, bar)
        if after_flop and likely:
            tried_after_flop += 1
            likely = _chance(hole, after_flop, policy, likely, bar)
        if likely:
            found.append(hole)
        if len(found) == ENOUGH or tried_after_flop == TRIED_AFTER_FLOP:
            break
    return found


def _drawn(live: list[int], bits: int) -> Hole:
    """Draw two different cards, in the order they are dealt."""
    first = (bits & _MASK) % len(live)
    second = (bits >> _WORD & _MASK) % (len(live) - 1)
    return live[first], live[second + (second >= first)]


def _chance(hole: Hole, decisions: _Decisions, policy: PolicyOf, likely: float, bar: int) -> float:
    """Return `likely` times the probability of the decisions; 0 once it is not above `bar`, a number below 2**64."""
    for seen, action in decisions:
        likely *= chance_of(policy(msgspec.structs.replace(seen, cards=hole)), action)
        if bar >= likely * 2**_WORD:
            return 0.0
    return likely


def chance_of(policy: Policy, action: Action) -> float:
    """Return the probability of exactly this action.

    >>> from molt_bench.agents.base import Sizes
    >>> chance_of([(Action("call"), 0.5), (Sizes(200, 299), 0.5)], Action("raiseTo", 250))
    0.005
    """
    found = 0.0
    for choice, chance in policy:
        if isinstance(choice, Action):
            if choice.kind == action.kind and (choice.kind != "raiseTo" or choice.amount == action.amount):
                found += chance
        elif action.kind == "raiseTo" and choice.low <= action.amount <= choice.high:
            found += chance / (choice.high - choice.low + 1)
    return found


def mean_over(
    hand: Hand,
    seat: int,
    holes: list[Hole],
    value_of: Callable[[Hand], float],
    *,
    boards: Collection[Board] = (),
) -> float:
    """Return the mean value of a hand over the actual hole of `seat` and other `holes`.

    `value_of` must not depend on cards that were dealt after the last decision. `boards` are those on which it needs
    the equities of the hands.
    """
    hands = [hand, *[with_hole(hand, seat, hole) for hole in holes]]
    prepare_luck(hands)
    prepare_equities_vs_random((each.holes, board) for board in boards if board for each in hands)
    return fsum(map(value_of, hands)) / len(hands)


def with_hole(hand: Hand, seat: int, hole: Hole) -> Hand:
    """Return a finished hand as it would have been with other cards in `seat`, and the same actions.

    The cards after the last decision are any that are left; they only decide who wins an all-in.
    """
    other = hand.holes[1 - seat]
    board = hand.board[: OPEN_CARDS[hand.street]]
    if hand.folded < 0:
        left = [card for card in range(52) if card not in {*other, *hole, *board}]
        board = (*board, *left[: 5 - len(board)])
    again = Hand(
        hand.rules, ((other, hole) if seat else (hole, other), board), hand.starting_stacks, button=hand.button
    )
    for done in hand.log:
        again.apply(Action(done.kind, done.amount))
    return again

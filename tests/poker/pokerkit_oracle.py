"""PokerKit as the referee: one random hand, played by both engines at once and compared at every step.

`play(seed)` draws everything about a hand from its seed: blinds, ante, raise cap, stacks, button, cards and
actions. It returns what happened in it, or raises an `AssertionError` whose text is enough to play it again.

PokerKit 0.7.4 or newer: those before let a seat raise by less than the last raise against a short stack.
It differs from the engine in three ways. Each is handled where "Difference 1", 2 or 3 says so:

1. Who opens. PokerKit opens to the left of the highest bet and, between equal bets, of the higher index, so
   with equal blinds the big blind would act first. In ours the button opens before the flop, always.
2. A free fold. PokerKit permits it in cash games only, with a warning; the engine permits it always.
3. The pot of a hand in which a seat is too short for the ante. PokerKit hands the surplus back before it pays
   the pot out; the engine leaves it in `pot` and out of `payoffs`. Nobody acts in such a hand.
"""

import warnings
from collections import Counter
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from random import Random  # noqa: TID251 - seeded with the number of the hand
from typing import NamedTuple

from pokerkit import Automation, Card, Folding, Mode, NoLimitTexasHoldem, StandardHighHand, State

from molt_bench.errors import IllegalAction
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action, LegalActions
from molt_bench.poker.cards import CARD_TEXT, Deal, cards_to_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.notation import hand_to_text

#: Everything but the cards, which are ours.
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
CARDS = tuple(next(iter(Card.parse(text))) for text in CARD_TEXT)

#: How often a style folds to a bet, checks or calls, raises the minimum, a random amount and everything.
STYLES = {
    "mixed": (18, 42, 16, 20, 4),
    "patient": (6, 76, 10, 8, 0),
    "war": (3, 8, 76, 12, 1),
    "wild": (25, 25, 10, 20, 20),
}


class Setting(NamedTuple):
    """What is fixed before the first action."""

    rules: HandRules
    stacks: tuple[int, int]
    button: int
    deal: Deal
    burns: tuple[int, ...]
    style: str


def draw_setting(rng: Random) -> Setting:
    """Draw blinds, ante, cap, stacks, button, cards and style."""
    small, big = rng.choices(
        ((50, 100), (1, 2), (100, 100), (1, 1), (0, 100), (0, 1), (3, 7), (33, 100), (5, 1000), None),
        (40, 8, 6, 4, 5, 2, 5, 5, 2, 23),
    )[0] or _random_blinds(rng)
    ante = rng.choice((1, big // 10 + 1, big, 3 * big, rng.randint(1, 2 * big))) if rng.random() < 0.25 else 0
    cap = rng.randint(1, 4) if rng.random() < 0.1 else None
    shape = rng.random()
    stacks = [_deep_stack(rng, big), _deep_stack(rng, big)]
    if shape < 0.3:
        stacks[1] = stacks[0]
    elif shape < 0.4:
        stacks = [_short_stack(rng, small, big, ante), _short_stack(rng, small, big, ante)]
    elif shape < 0.65:
        stacks[rng.randint(0, 1)] = _short_stack(rng, small, big, ante)
    deal, burns = draw_cards(rng)
    style = rng.choices(tuple(STYLES), (40, 25, 20, 15))[0]
    return Setting(HandRules(small, big, ante, cap), (stacks[0], stacks[1]), rng.randint(0, 1), deal, burns, style)


def draw_cards(rng: Random) -> tuple[Deal, tuple[int, ...]]:
    """Draw what is dealt, and the three cards that PokerKit burns."""
    a, b, c, d, *others = rng.sample(range(52), 12)
    return (((a, b), (c, d)), tuple(others[:5])), tuple(others[5:])


def _random_blinds(rng: Random) -> tuple[int, int]:
    big = rng.randint(1, 200)
    return rng.randint(0, big), big


def _deep_stack(rng: Random, big: int) -> int:
    """From two to a thousand big blinds, every order of magnitude as likely as another."""
    return max(1, int(big * 10 ** rng.uniform(0.3, 3)))


def _short_stack(rng: Random, small: int, big: int, ante: int) -> int:
    """At or next to an amount that is due: the ante or a blind, or what a call or a raise costs."""
    due = rng.choice((0, small, (small + big) // 2, big, 2 * big, 3 * big))
    paid_before = ante if rng.random() < 0.6 else 0
    return max(1, paid_before + due + rng.randint(-1, 1))


def play(seed: int, setting: Setting | None = None) -> frozenset[str]:
    """Play the hand with this seed in both engines and return what happened in it.

    Args:
        seed: Decides on all the actions.
        setting: What is fixed before the first action; drawn from the seed, too, unless given.

    Raises:
        AssertionError: The engines disagree.
    """
    drawn = setting or draw_setting(Random(f"setting {seed}"))
    again = f"play({seed})" if setting is None else f"play({seed}, {setting})"
    try:
        return _play(Random(f"actions {seed}"), drawn, again)
    except Exception as error:
        error.add_note(f"in pokerkit_oracle.{again}")
        raise


def _play(rng: Random, setting: Setting, again: str) -> frozenset[str]:
    hand = Hand(setting.rules, setting.deal, setting.stacks, button=setting.button)
    state = start_pokerkit(setting)
    events: set[str] = set()
    while True:
        deal_pokerkit(state, setting)
        ours = by_us_after(hand) if hand.actor == NOBODY else by_us(hand)
        theirs = by_pokerkit(state, setting) if state.status else by_pokerkit_after(state, setting)
        if ours != theirs:
            raise AssertionError(
                f"the engine and PokerKit disagree in pokerkit_oracle.{again}\n"
                f"engine:   {ours}\n"
                f"PokerKit: {theirs}\n" + describe(hand, setting)
            )
        if hand.actor == NOBODY:
            return frozenset(events | events_of(hand))
        legal = hand.legal_actions()
        check_refusals(hand, legal, setting, again)
        action = draw_action(rng, legal, setting.style)
        if action.kind == "fold" and not legal.to_call:
            events.add("free fold")
        apply_to_pokerkit(state, action)
        hand.apply(action)


def events_of(hand: Hand) -> set[str]:
    """Return the names of what was special about a finished hand."""
    rules, button, stacks = hand.rules, hand.button, hand.starting_stacks
    small_stack, big_stack = (stacks[seat] - rules.ante for seat in (button, 1 - button))
    shown_down = hand.folded == NOBODY
    raises = Counter(done.street for done in hand.log if done.kind == "raiseTo")
    most_raises = max(raises.values(), default=0)
    found = {
        "split": shown_down and hand.payoffs == (0, 0),
        "all-in showdown": shown_down and 0 in hand.limits,
        "fold to an all-in": not shown_down and hand.bets[1 - hand.folded] == hand.limits[1 - hand.folded],
        "nobody acts": not hand.log,
        "small blind cut short": 0 < small_stack < rules.small_blind,
        "big blind cut short": 0 < big_stack < rules.big_blind,
        "blind is the stack": small_stack == rules.small_blind or big_stack == rules.big_blind,
        "ante cut short": min(stacks) < rules.ante,
        "equal blinds": rules.small_blind == rules.big_blind,
        "no small blind": not rules.small_blind,
        "raise cap reached": rules.raise_cap is not None and most_raises == rules.raise_cap,
        "raise war": most_raises > 5,
        "bets on every street": len(raises) == 4,
        "acts on the river": bool(hand.log) and hand.log[-1].street == "river",
        "button in seat 1": button == 1,
    }
    return {name for name, happened in found.items() if happened}


def draw_action(rng: Random, legal: LegalActions, style: str) -> Action:
    """Draw what the actor does, from what is legal."""
    fold, passive, least, any_raise, most = STYLES[style]
    if not legal.to_call:
        fold = 1
    if not legal.max_raise_to:
        least = any_raise = most = 0
    weights = (fold, passive, least, any_raise, most)
    kind = rng.choices(("fold", "passive", "least", "any", "most"), weights)[0]
    if kind == "fold":
        return FOLD
    if kind == "passive":
        return CALL if legal.to_call else CHECK
    low, high = legal.min_raise_to, legal.max_raise_to
    if kind == "least":
        return Action("raiseTo", low)
    if kind == "most":
        return Action("raiseTo", high)
    if rng.random() < 0.3:
        return Action("raiseTo", rng.randint(low, high))
    return Action("raiseTo", min(high, int(low * 10 ** rng.uniform(0, 0.7))))


class RememberedHand(StandardHighHand):
    """PokerKit's hands, each worked out once; PokerKit does so seven times a showdown, half of its time."""

    entry = cached_property(StandardHighHand.entry.fget)

    @classmethod
    def from_game(cls, hole_cards: Iterable[Card], board_cards: Iterable[Card] = ()) -> "RememberedHand":
        return cls._best(tuple(hole_cards), tuple(board_cards))

    @classmethod
    @lru_cache(maxsize=8)
    def _best(cls, hole_cards: tuple[Card, ...], board_cards: tuple[Card, ...]) -> "RememberedHand":
        return super().from_game(hole_cards, board_cards)


@cache
def _game(cap: int | None) -> type[NoLimitTexasHoldem]:
    """Return PokerKit's game with a cap on the raises of a street, the big blind not counted."""
    settings = {"max_completion_betting_or_raising_count": cap, "hand_types": (RememberedHand,)}
    return type("Game", (NoLimitTexasHoldem,), settings)


def start_pokerkit(setting: Setting) -> State:
    """Start the hand in PokerKit: player 1 has the button, yet blinds are given with the small one first."""
    rules = setting.rules
    # Difference 1: a negative blind is PokerKit's post. It costs the same and never decides who opens.
    small = -rules.small_blind if rules.small_blind == rules.big_blind else rules.small_blind
    return _game(rules.raise_cap).create_state(
        AUTOMATIONS,
        True,  # antes are trimmed: what the other seat cannot match comes back
        rules.ante,
        (small, rules.big_blind),
        rules.big_blind,
        swap(setting.stacks, setting.button),
        2,
        mode=Mode.CASH_GAME,  # Difference 2
    )


def swap(values: tuple[int, int], button: int) -> tuple[int, int]:
    """Turn values by seat into values by PokerKit's player, or the other way round: it is its own inverse."""
    return (values[0], values[1]) if button else (values[1], values[0])


def deal_pokerkit(state: State, setting: Setting) -> None:
    """Deal the cards that PokerKit waits for."""
    while state.status and state.actor_index is None:
        if any(state.hole_dealing_statuses):
            for player, hole in enumerate(swap(setting.deal[0], setting.button)):
                state.deal_hole(tuple(CARDS[card] for card in hole), player)
        else:
            done = len(state.board_cards)
            state.burn_card((CARDS[setting.burns[max(0, done - 2)]],))
            count = state.board_dealing_count
            state.deal_board(tuple(CARDS[card] for card in setting.deal[1][done : done + count]))


def apply_to_pokerkit(state: State, action: Action) -> None:
    """Do the same in PokerKit."""
    if action.kind == "raiseTo":
        state.complete_bet_or_raise_to(action.amount)
    elif action.kind != "fold":
        state.check_or_call()
    elif state.checking_or_calling_amount:
        state.fold()
    else:
        with warnings.catch_warnings():
            # Difference 2.
            warnings.filterwarnings("ignore", "There is no reason for this player to fold", UserWarning)
            state.fold()


def check_refusals(hand: Hand, legal: LegalActions, setting: Setting, again: str) -> None:
    """Check that the engine takes nothing beyond what it says is legal, which PokerKit has agreed to."""
    illegal = [CHECK if legal.to_call else CALL]
    if legal.max_raise_to:
        amounts = [legal.min_raise_to - 1, legal.max_raise_to + 1]
    else:
        everything = hand.limits[hand.actor]
        amounts = [everything, everything + 1, max(hand.bets) + hand.rules.big_blind]
    for action in illegal + [Action("raiseTo", amount) for amount in amounts]:
        try:
            hand.apply(action)
        except IllegalAction:
            continue
        raise AssertionError(
            f"the engine takes {action} against PokerKit in pokerkit_oracle.{again}\n"
            f"legal:    {legal}\n" + describe(hand, setting)
        )


def describe(hand: Hand, setting: Setting) -> str:
    """Write all there is to know about a hand."""
    return (
        f"hand:     {hand_to_text(hand, 0)}\n"
        f"actions:  {[(done.street, done.seat, done.kind, done.amount) for done in hand.log]}\n"
        f"setting:  {setting}"
    )


def by_us(hand: Hand) -> dict[str, object]:
    """Return what the engine says of a hand that goes on; amounts are by seat."""
    legal = hand.legal_actions()
    return {
        "actor": hand.actor,
        "legal": (legal.to_call, legal.min_raise_to, legal.max_raise_to),
        "chips": (hand.pot + sum(hand.bets), hand.stacks, tuple(hand.bets)),
        "board": cards_to_text(hand.board),
    }


def by_pokerkit(state: State, setting: Setting) -> dict[str, object]:
    """Return what PokerKit says of it."""
    button = setting.button
    raises = state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount
    return {
        "actor": button if state.actor_index == 1 else 1 - button,
        "legal": (state.checking_or_calling_amount, *(amount or 0 for amount in raises)),
        "chips": (state.total_pot_amount, swap(state.stacks, button), swap(state.bets, button)),
        "board": "".join([repr(card) for card in state.get_board_cards(0)]),
    }


def by_us_after(hand: Hand) -> dict[str, object]:
    """Return what the engine says of a hand that is over."""
    pot = hand.pot + (0 if hand.folded == NOBODY else hand.bets[hand.folded])
    return {"folded": hand.folded, "chips": (pot, hand.payoffs, hand.stacks), "board": cards_to_text(hand.board)}


def by_pokerkit_after(state: State, setting: Setting) -> dict[str, object]:
    """Return what PokerKit says of it."""
    button, stacks = setting.button, setting.stacks
    folder = next((done.player_index for done in state.operations if isinstance(done, Folding)), None)
    # Difference 3.
    surplus = abs(min(setting.rules.ante, stacks[0]) - min(setting.rules.ante, stacks[1]))
    pot = state.total_pushed_amount + surplus
    return {
        "folded": NOBODY if folder is None else button if folder == 1 else 1 - button,
        "chips": (pot, swap(state.payoffs, button), swap(state.stacks, button)),
        "board": "".join([repr(card) for card in state.get_board_cards(0)]),
    }

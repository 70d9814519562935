"""A model is told what its seat may know: swap every card it has not seen, and no prompt changes by a byte."""

import json
from itertools import product
from random import Random  # noqa: TID251 - the test's own dice, seeded

import pytest

from molt_bench.llm.agent import LLMAgent
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.actions import Action
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.mix import Mix
from molt_bench.poker.views import observe, result_for
from molt_bench.specs import GameLabel

RULES = HandRules(50, 100, 0, None)
GAME = GameLabel(1, "s", "AB")
KINDS = [
    *({"memory": memory, "track": track} for memory, track in product(("none", "session"), ("bare", "standard"))),
    {"memory": "session", "reply": "strategy", "track": "bare"},
]


class Asked:
    """Stands in for the real one: notes what is asked, and answers what it is told to."""

    def __init__(self):
        self.asked = []
        self.answer = Action("fold")

    async def ask(self, participant, game, said, **place):
        text = said[-1].text
        self.asked.append(text)
        length = str(len(text))
        chosen = {"kind": self.answer.kind, "amount": self.answer.amount}
        if '"strategy"' in text:
            chosen = {"strategy": [{**chosen, "percent": 100}]}
        reply = {"outcome": "reply", "text": json.dumps({"reasoning": length, **chosen})}
        return Exchange(key="", participant=participant, game=game, prompt_hash="", **place, **reply)


def now(awaitable):
    """Run what never has to wait."""
    try:
        awaitable.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waited")


class Seat:
    """A model of every kind in one seat, and its twins, who play the same hand with other unseen cards."""

    def __init__(self):
        self.gateway, self.twin_gateway = Asked(), Asked()
        kinds = [LLMSettings(model="a:b", **kind) for kind in KINDS]
        self.agents = [LLMAgent("m", settings, self.gateway, game=GAME) for settings in kinds]
        self.twins = [LLMAgent("m", settings, self.twin_gateway, game=GAME) for settings in kinds]

    def act(self, observation, twin_observation, action):
        self.gateway.answer = self.twin_gateway.answer = action
        for agent, twin in zip(self.agents, self.twins, strict=True):
            answer = now(agent.act(observation))
            assert answer == now(twin.act(twin_observation))
            assert answer == action or answer == Mix([(action, 100)])

    def hear(self, result, twin_result):
        for agent, twin in zip(self.agents, self.twins, strict=True):
            agent.on_hand_complete(result)
            twin.on_hand_complete(twin_result)


def swapped(hand, seat, dice, deal, *, over=False):
    """Return the hand again, with other cards wherever `seat` has seen none."""
    holes = deal[0]
    shown = over and hand.folded == NOBODY
    seen = {*holes[seat], *hand.board, *(holes[1 - seat] if shown else ())}
    fresh = [card for card in range(52) if card not in seen]
    dice.shuffle(fresh)
    other = holes[1 - seat] if shown else (fresh.pop(), fresh.pop())
    rest = tuple(fresh.pop() for _ in range(5 - len(hand.board)))
    new_holes = (holes[0], other) if seat == 0 else (other, holes[1])
    again = Hand(RULES, (new_holes, (*hand.board, *rest)), hand.starting_stacks, button=hand.button)
    for done in hand.log:
        again.apply(Action(done.kind, done.amount if done.kind == "raiseTo" else 0))
    return again


def any_action(legal, dice):
    kind = dice.choice([kind for kind in legal.kinds if kind != "fold"] * 4 + ["fold"])
    if kind != "raiseTo":
        return Action(kind)
    return Action("raiseTo", dice.choice([legal.min_raise_to, legal.min_raise_to, legal.max_raise_to]))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_no_prompt_depends_on_a_card_that_was_not_seen(seed):
    """Two thousand hands in all, every kind of memory and help, each decision and each finished hand."""
    dice = Random(seed)
    seats = [Seat(), Seat()]
    differing = 0
    for number in range(1, 101):
        deck = dice.sample(range(52), 9)
        deal = (((deck[0], deck[1]), (deck[2], deck[3])), tuple(deck[4:]))
        hand = Hand(RULES, deal, (10_000, 10_000), button=(number - 1) & 1)
        while hand.actor != NOBODY:
            seat = hand.actor
            twin = swapped(hand, seat, dice, deal)
            differing += twin.holes != hand.holes
            observation, twin_observation = observe(hand, number), observe(twin, number)
            action = any_action(observation.legal, dice)
            seats[seat].act(observation, twin_observation, action)
            hand.apply(action)
        for seat in (0, 1):
            twin = swapped(hand, seat, dice, deal, over=True)
            seats[seat].hear(result_for(hand, seat, number), result_for(twin, seat, number))
    for seat in seats:
        assert seat.gateway.asked == seat.twin_gateway.asked
        assert len(seat.gateway.asked) > 100 * len(KINDS) / 2
    assert differing > 150, "the cards were swapped"


def test_nothing_of_a_game_is_left_in_the_next_one():
    seat = Seat()
    agent = seat.agents[-1]
    deal = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))

    def first_prompt():
        hand = Hand(RULES, deal, (10_000, 10_000), button=0)
        seat.gateway.answer = Action("call")
        now(agent.act(observe(hand, 1)))
        hand.apply(Action("call"))
        hand.apply(Action("fold"))
        agent.on_hand_complete(result_for(hand, 0, 1))
        return seat.gateway.asked[-1]

    fresh = first_prompt()
    assert first_prompt() != fresh, "it remembers"
    agent.reset()
    assert first_prompt() == fresh

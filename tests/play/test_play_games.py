"""Games wait for a place for both players, and never for each other."""

import asyncio

from molt_bench.play.play_games import play_games_together
from molt_bench.poker.actions import CALL, CHECK
from molt_bench.specs import GameSpec


class Slow:
    """Calls, and lets others play in between; notes who sits at how many tables."""

    def __init__(self, name, seated, most):
        self.name = name
        self._seated, self._most = seated, most

    async def reset(self):
        self._seated[self.name] = self._seated.get(self.name, 0) + 1
        self._most[self.name] = max(self._most.get(self.name, 0), self._seated[self.name])

    async def act(self, observation):
        await asyncio.sleep(0)
        return CALL if observation.to_call else CHECK

    async def close(self):
        self._seated[self.name] -= 1


def played(pairs, places, *, at_once=100):
    """Play a game of each pair; return who finished in which order, and how many tables each sat at most."""
    seated, most, order = {}, {}, []
    specs = [GameSpec(seed=at, hands=2, players=pair) for at, pair in enumerate(pairs)]

    def make(spec):
        first, second = (Slow(name, seated, most) for name in spec.players)
        return first, second

    game = play_games_together(
        specs, make, lambda spec, *_: order.append(spec.seed), at_once=at_once, places=lambda spec: places(spec)
    )
    asyncio.run(asyncio.wait_for(game, 60))
    return order, most


def test_nobody_sits_at_more_tables_than_there_are_places():
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b"), ("b", "c"), ("c", "a")]
    order, most = played(pairs, lambda spec: [(name, 1) for name in spec.players])
    assert sorted(order) == [*range(6)]
    assert most == {"a": 1, "b": 1, "c": 1}


def test_a_game_whose_players_are_free_does_not_wait_for_one_before_it():
    pairs = [("a", "b"), ("a", "b"), ("c", "d")]
    order, _ = played(pairs, lambda spec: [(name, 1) for name in spec.players], at_once=2)
    assert order.index(2) < order.index(1)


def test_without_places_every_game_starts_at_once():
    _, most = played([("a", "b")] * 5, lambda _: [])
    assert most == {"a": 5, "b": 5}


def test_two_places_are_two_games():
    _, most = played([("a", "b")] * 5, lambda _: [("a", 2)])
    assert most == {"a": 2, "b": 2}

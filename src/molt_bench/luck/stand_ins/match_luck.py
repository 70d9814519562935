"""What stand-ins make of the matches of a run: each is corrected by what those before it have taught.

They are for matches with somebody whose hands take time or money, such as a language model: elsewhere more hands cost
less than looking ahead. A bot that is built in is asked what it would do; everybody else has a stand-in.
"""

from collections.abc import Collection, Mapping, Sequence
from math import fsum
from typing import Final, NamedTuple

from molt_bench.agents.base import PolicyOf
from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.dice.draws import Policies
from molt_bench.luck.reference.aivat import reference_bot
from molt_bench.luck.reference.ranges import built_in_bot
from molt_bench.luck.stand_ins.ahead import surpluses
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import Visited, visited
from molt_bench.records import GameRecord
from molt_bench.specs import GameSpec, Pair

#: Hands that a record takes.
_ENOUGH: Final = 400


class _Game(NamedTuple):
    """The hands of a game that count, by number: what each was worth to player A without the luck of cards.

    Attributes:
        won: Without the luck of the cards.
        surpluses: By player, what the luck of its dice took from player A in each hand.
    """

    won: dict[int, float]
    surpluses: tuple[dict[int, list[float]], dict[int, list[float]]]


class MatchLuck:
    """The luck of known dice in one match; that of players who are built in is always known."""

    def __init__(self, games: Mapping[GameSpec, _Game], built_in: Collection[int]) -> None:
        self._games = games
        self._built_in = frozenset(built_in)

    def one_sided(self, players: Collection[int]) -> bool:
        """Return whether the dice of one player alone are known, if the odds of these players are used."""
        return len(self._built_in.union(players)) == 1

    def won(self, game: GameSpec, players: Collection[int]) -> tuple[float, ...] | None:
        """Return what each hand that counts was worth to player A, without the luck of the dice of these players.

        None for a game that was not looked at.
        """
        found = self._games.get(game)
        if found is None:
            return None
        known = [found.surpluses[player] for player in sorted(self._built_in.union(players))]
        return tuple(
            [fsum([won, *[each for own in known for each in own.get(number, ())]]) for number, won in found.won.items()]
        )


class RunStandIns:
    """The stand-ins of a run."""

    def __init__(self) -> None:
        self._stand_ins = StandIns()
        self._numbers: dict[str, int] = {}
        #: Hands with the dice of one player known, and the sums of their squares by stand-ins and as usual.
        self._hands, self._ours, self._usual = 0, 0.0, 0.0

    @property
    def proven(self) -> bool:
        """Whether stand-ins have left less luck in this run where only one player's dice are known.

        With little to learn from they may leave more, since the other's answers are guessed from what it drew.
        """
        return self._hands >= _ENOUGH and self._ours < self._usual

    def note(self, ours: Sequence[float], usual: Sequence[float]) -> None:
        """Add to the record what hands were worth by stand-ins, and as usual, where one player's dice are known."""
        self._hands += len(ours)
        self._ours += fsum([won * won for won in ours])
        self._usual += fsum([won * won for won in usual])

    def look_at(self, pair: Pair, games: Sequence[tuple[GameRecord, Policies]]) -> MatchLuck | None:
        """Return the luck of known dice in a match, by what earlier ones taught, and learn from it.

        None if that is not known: where there is no stand-in yet, or where both players can be asked, or neither has
        odds. `games` come with the policies of players A and B.
        """
        agents = self._number(pair[0]), self._number(pair[1])
        played = visited(games, agents)
        if played is None:
            return None
        found = self._luck(agents, games, played)
        self._stand_ins.learn(played)
        return found

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = self._stand_ins.add_agent()
        return self._numbers[name]

    def _luck(
        self, agents: tuple[int, int], games: Sequence[tuple[GameRecord, Policies]], played: Visited
    ) -> MatchLuck | None:
        asked = _asked(agents, games)
        if asked is None or not all(agent in asked or self._stand_ins.knows(agent) for agent in agents):
            return None
        found = {
            record.spec: _Game({number: sign * won for number, won in hands.items()}, ({}, {}))
            for (record, _), hands in zip(games, played.won, strict=True)
            for sign in [1 if record.seating == "AB" else -1]
        }
        luck = surpluses(played, self._stand_ins, asked).tolist()
        for (at, number), player, surplus in zip(played.places, played.players.tolist(), luck, strict=True):
            record = games[at][0]
            if surplus and number > record.spec.warmup_hands:
                own = found[record.spec].surpluses[player].setdefault(number, [])
                own.append(surplus if record.seating == "AB" else -surplus)
        built_in = [player for player, agent in enumerate(agents) if agent in asked]
        return MatchLuck(found, built_in)


def _asked(agents: tuple[int, int], games: Sequence[tuple[GameRecord, Policies]]) -> dict[int, PolicyOf] | None:
    """Return the policies to ask, those of built-in bots, by agent; None where stand-ins are of no use.

    They are not against the blueprint and the resolver, where `aivat` does better; nor where the only odds are those of
    a built-in bot, whose cards are averaged over.
    """
    asked: dict[int, PolicyOf] = {}
    told = False
    for _, policies in games:
        for agent, policy in zip(agents, policies, strict=True):
            if policy is None:
                continue
            if isinstance(policy, StatedDraws) or built_in_bot(policy) is None:
                told = True
            elif reference_bot(policy) is not None:
                return None
            else:
                asked[agent] = policy
    return asked if told else None

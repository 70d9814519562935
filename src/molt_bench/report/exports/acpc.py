"""The log format of the Annual Computer Poker Competition, two players, no limit, reverse blinds.

    STATE:0:r300c/cr900f:7c7d|AhKd/2h3h4h:300|-300:bob|alice

The first of each pair is the big blind, the second the button. The format has neither antes nor stacks: the game
definition and the current stacks are in comments, where the competition's own logs have their settings.
"""

from collections.abc import Iterable, Iterator

from molt_bench.errors import MoltBenchError
from molt_bench.poker.acpc_text import acpc_betting, acpc_cards
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.percent_encoding import plain_name


def acpc(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write one line per hand, numbered from 0, after a comment whenever the game, table or stacks change."""
    rules: HandRules | None = None
    table, stacks = "", ""
    for number, dealt in enumerate(hands):
        hand = dealt.hand
        if hand.rules.ante:
            raise MoltBenchError("the ACPC format has no antes; phh, pokerstars and ohh do")
        if hand.rules != rules:
            rules = hand.rules
            yield from _game_definition(rules)
        if dealt.table != table:
            table = dealt.table
            yield f"# {plain_name(table, '')}\n"
        if (now := _pair(hand, hand.starting_stacks, " ")) != stacks:
            stacks = now
            yield f"# stack = {stacks}\n"
        yield _line(number, dealt)


def _game_definition(rules: HandRules) -> Iterator[str]:
    yield "# GAMEDEF\n# nolimit\n# numPlayers = 2\n# numRounds = 4\n"
    yield f"# blind = {rules.big_blind} {rules.small_blind}\n# firstPlayer = 2 1 1 1\n"
    if rules.raise_cap is not None:
        yield f"# maxRaises = {' '.join([str(rules.raise_cap)] * 4)}\n"
    yield "# numSuits = 4\n# numRanks = 13\n# numHoleCards = 2\n# numBoardCards = 0 3 1 1\n# END GAMEDEF\n"


def _line(number: int, dealt: DealtHand) -> str:
    hand = dealt.hand
    first, second = [cards_to_text(hole) for hole in hand.holes]
    cards = acpc_cards((first, second) if hand.button else (second, first), hand.board)
    betting = acpc_betting(hand.log, "river" if hand.folded == NOBODY else hand.street)
    names = [plain_name(name, ":|") for name in dealt.names]
    return f"STATE:{number}:{betting}:{cards}:{_pair(hand, hand.payoffs, '|')}:{_pair(hand, names, '|')}\n"


def _pair(hand: Hand, values: Iterable[object], separator: str) -> str:
    first, second = map(str, values)
    return separator.join([first, second] if hand.button else [second, first])

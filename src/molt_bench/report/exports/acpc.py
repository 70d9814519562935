"""The log format of the Annual Computer Poker Competition, two players, no limit, reverse blinds.

    STATE:0:r300c/cr900f:7c7d|AhKd/2h3h4h:300|-300:bob|alice

The first of each pair is the big blind, the second the button. A raise is written with all chips its player has put in
since the hand began; checks and calls are both `c`. The format has neither antes nor stacks: the game definition and
the current stacks are in comments, where the competition's own logs have their settings.
"""

from collections.abc import Iterable, Iterator

from molt_bench.errors import MoltBenchError
from molt_bench.poker.actions import Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.report.exports.chip_flow import BOARD_OF
from molt_bench.report.exports.dealt_hands import DealtHand, plain_name


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
    boards = [cards_to_text(hand.board[part]) for part in BOARD_OF.values() if part.stop <= len(hand.board)]
    holes = [cards_to_text(hole) for hole in hand.holes]
    cards = "/".join([_pair(hand, holes, "|"), *boards[1:]])
    names = [plain_name(name, ":|") for name in dealt.names]
    return f"STATE:{number}:{_betting(hand)}:{cards}:{_pair(hand, hand.payoffs, '|')}:{_pair(hand, names, '|')}\n"


def _betting(hand: Hand) -> str:
    text, before, bet = "", 0, hand.rules.big_blind
    street: Street = "preflop"
    for done in hand.log:
        if done.street != street:
            # Both have put in the same so far.
            street, before, bet = done.street, before + bet, 0
            text += "/"
        if done.kind == "raiseTo":
            bet = done.amount
            text += f"r{before + bet}"
        else:
            text += "f" if done.kind == "fold" else "c"
    opened = 3 - text.count("/") if hand.folded == NOBODY else 0
    return text + "/" * opened


def _pair(hand: Hand, values: Iterable[object], separator: str) -> str:
    first, second = map(str, values)
    return separator.join([first, second] if hand.button else [second, first])

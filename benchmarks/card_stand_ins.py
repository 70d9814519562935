"""Measure the values of stand-ins as the card term of agents that publish nothing: tried, and left out.

The luck of a card is a frozen weight times the pot times the change in equity. Here it is what the moment after the
card is worth to two stand-ins that play the street to its end, with the equity after that, less the mean over other
cards that could have come, some of them drawn. Its mean is 0 whatever the stand-ins are, if they do not know the match.

Printed is the variance that is left, match by match, relative to `fitted`: with the values in place of the frozen
terms, with half of each, and with the weights that suit these very hands best, a bound that nobody could reach. The
unit is a hand in both seatings.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from ladders import AGAIN, LATER, LATEST, NEWEST, VALIDATION, Plan, arguments
from stand_ins import matches_of

from molt_bench.luck.cards.card_luck import hand_luck, street_equities
from molt_bench.luck.cards.hole_cards import Deals as Holes
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.estimators import game_estimates
from molt_bench.luck.fitting import Fit
from molt_bench.luck.game_luck import rebuilt_hands
from molt_bench.luck.stand_ins.ahead import _guess, _Level, _listed, _Search
from molt_bench.luck.stand_ins.betting_arrays import At, moved
from molt_bench.luck.stand_ins.features import card_features
from molt_bench.luck.stand_ins.learned import StandIns
from molt_bench.luck.stand_ins.visited import Visited, visited
from molt_bench.poker.actions import OPEN_CARDS, STREETS

#: Other cards that could have come, and rests of the board with those that did.
OTHERS, RESTS = 16, 4
#: What is less likely is not looked into.
LEAST_CHANCE = 0.005
_OPEN = [OPEN_CARDS[street] for street in STREETS]
#: What deals say about hands besides their cards.
_OF_HANDS = ("stacks", "button", "cap", "big_blind", "max_actions", "agents")


class _ToTheEndOfTheStreet(_Search):
    """Looks ahead to the end of a street, where the equity decides."""

    def _levels(self, moments: Any, bettings: Any, actions: Any) -> list[_Level]:
        levels, reached = [], np.ones(moments.shape[1])
        while True:
            before = moments[:, actions.at]
            after, over, ended = moved(before, self._deals, actions.kinds, actions.amounts)
            reached = reached[actions.at] * actions.chances
            opened = ~over & (after[At.STREET] != before[At.STREET])
            shown = (2 * self._deals.equities[before[At.HAND], before[At.STREET]] - 1) * after[At.STAKE]
            worth = np.where(over, ended, np.where(opened, shown, _guess(after, self._deals)))
            further = np.flatnonzero(~over & ~opened & (reached >= LEAST_CHANCE))
            worth[further] = 0.0
            levels.append(_Level(actions.at, actions.chances, worth, further))
            if not len(further):
                return levels
            moments, reached = after[:, further], reached[further]
            actions = self._next(moments, bettings)


def values(moments: Any, deals: Any, stand_ins: StandIns, together: int = 600) -> Any:
    """Return what moments are worth to seat 0 if stand-ins play the street to its end."""
    found = []
    for start in range(0, moments.shape[1], together):
        some = moments[:, start : start + together]
        first = _listed(np.arange(some.shape[1]), *stand_ins.odds(some, deals))
        worth = _ToTheEndOfTheStreet(deals, stand_ins).worth(some, first)
        found.append(np.bincount(first.at, first.chances * worth, some.shape[1]))
    return np.concatenate(found)


def luck_of_cards(played: Visited, stand_ins: StandIns, dice: Any) -> tuple[Any, Any]:
    """Return the first decisions after each deal, and the luck of the deals before them to seat 0."""
    hand, street = played.moments[At.HAND], played.moments[At.STREET]
    first = np.ones(len(hand), bool)
    first[1:] = (hand[1:] != hand[:-1]) | (street[1:] != street[:-1])
    nodes = np.flatnonzero(first)
    dealt = [each for node in nodes.tolist() for each in _dealt(played, int(hand[node]), int(street[node]), dice)]
    rows = np.repeat(nodes, RESTS + OTHERS)
    moments = played.moments[:, rows].copy()
    hands = moments[At.HAND].copy()
    deals = played.deals._replace(
        **{name: getattr(played.deals, name)[hands] for name in _OF_HANDS},
        equities=np.array([street_equities(*each) for each in dealt]),
        cards=np.array([card_features(*each) for each in dealt], np.int64),
    )
    moments[At.HAND] = np.arange(len(rows))
    found = values(moments, deals, stand_ins).reshape(len(nodes), -1)
    return nodes, found[:, :RESTS].mean(axis=1) - found[:, RESTS:].mean(axis=1)


def _dealt(played: Visited, hand: int, street: int, dice: Any) -> Iterator[Any]:
    """Yield the cards up to a street with rests of the board, then others that could have come."""
    _, holes, board = played.cards[hand]
    for number in range(RESTS + OTHERS):
        own, known = holes, board[: _OPEN[street if number < RESTS else street - 1]]
        if number >= RESTS and not street:
            four = dice.choice(52, 4, replace=False).tolist()
            own, known = ((four[0], four[1]), (four[2], four[3])), ()
        left = [card for card in range(52) if card not in (*own[0], *own[1], *known)]
        more = dice.choice(len(left), 5 - len(known), replace=False).tolist()
        yield own, (*known, *[left[at] for at in more])


class Hands(NamedTuple):
    """The hands of a match in both seatings: all-in EV, the luck of hole cards, and of each deal in both ways."""

    won: Any
    holes: Any
    frozen: Any
    ours: Any


def hands_of(plan: Plan, played: Visited, games: Sequence[Any], fit: Fit, pair: Any, luck: Any) -> Hands:
    """Return the hands of a match; `luck` has the luck of deals by stand-ins."""
    shape = len(games), plan.hands
    won, holes, frozen, ours = np.zeros(shape), np.zeros(shape), np.zeros((*shape, 4)), np.zeros((*shape, 4))
    signs = [1 if game.seating == "AB" else -1 for game in games]
    for at, (game, sign) in enumerate(zip(games, signs, strict=True)):
        if fit._holes.knows(pair):
            holes[at] = fit._holes.by_hand(pair, Holes.read(game_estimates(game).hands.holes))
        for number, hand, _ in rebuilt_hands(game, seen=False):
            found = hand_luck(hand)
            won[at, number - 1] = sign * found.all_in
            for dealt, pot, behind, raised, change in found.terms:
                weight = SOLID.chance[dealt][SOLID.bucket(behind, pot, raised=raised)]
                frozen[at, number - 1, dealt] = sign * weight * pot * change
    for node, each in zip(*luck, strict=True):
        at, number = played.places[node]
        ours[at, number - 1, played.moments[At.STREET, node]] = signs[at] * each
    return Hands(*[(each[::2] + each[1::2]).reshape(-1, *each.shape[2:]) for each in (won, holes, frozen, ours)])


def looked_at(plan: Plan, rounds: int, skipped: int, folder: str | None) -> Iterator[tuple[int, Hands]]:
    """Yield the hands of every match after the first rounds, each by what those before it taught."""
    stand_ins, fit, dice = StandIns(), Fit(), np.random.default_rng(1)
    agents = {name: stand_ins.add_agent() for name in plan.bots}
    for number, (*pair, result) in enumerate(matches_of(plan, rounds, folder)):
        games = [game for seed in result.seed_results for game in seed.games]
        both = agents[pair[0]], agents[pair[1]]
        played = visited([(game, (None, None)) for game in games], both)
        assert played is not None
        if number // len(plan.pairs) >= skipped and all(map(stand_ins.knows, both)):
            luck = luck_of_cards(played, stand_ins, dice)
            yield number // len(plan.pairs), hands_of(plan, played, games, fit, tuple(pair), luck)
        stand_ins.learn(played)
        parts = [game_estimates(game).hands for game in games]
        fit.learn(tuple(pair), [(seed.seed, parts[2 * at : 2 * at + 2]) for at, seed in enumerate(result.seed_results)])


def report(plan: Plan, rounds: int, skipped: int, folder: str | None) -> None:
    """Print the table of a ladder."""
    found = [*looked_at(plan, rounds, skipped, folder)]
    print(f"\n{plan.name}: {rounds} matches of each pairing, without the first {skipped}")

    def left(ours: float) -> Callable[[Hands], Any]:
        return lambda hands: (
            hands.won - (1 - ours) * (hands.frozen.sum(axis=1) + hands.holes) - ours * hands.ours.sum(axis=1)
        )

    usual = {number: 0.0 for number, _ in found}
    for number, hands in found:
        usual[number] += float(left(0)(hands).var())
    for name, ours in (("in place of the frozen terms", 1.0), ("half of each", 0.5)):
        row = dict.fromkeys(usual, 0.0)
        for number, hands in found:
            row[number] += float(left(ours)(hands).var())
        each = "".join(f"{row[number] / usual[number]:7.2f}" for number in usual)
        print(f"  {name:32}{each}   all {sum(row.values()) / sum(usual.values()):.3f}")
    wanted = np.concatenate([left(0)(hands) - left(0)(hands).mean() for _, hands in found])
    terms = [np.column_stack([hands.frozen, hands.ours, hands.holes]) for _, hands in found]
    centred = np.concatenate([each - each.mean(axis=0) for each in terms])
    rest = wanted - centred @ np.linalg.lstsq(centred, wanted, rcond=None)[0]
    print(f"  {'by the best weights for them':32}{'':{7 * len(usual)}}   all {rest @ rest / (wanted @ wanted):.3f}")
    off = np.concatenate([hands.ours.sum(axis=1) for _, hands in found])
    print(f"  mean off by {off.mean() / off.std() * len(off) ** 0.5:+.1f} standard errors", flush=True)


def main() -> None:
    """Measure and print the tables."""
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="matches of each pairing (%(default)s)")
    parser.add_argument("--skipped", type=int, default=1, help="matches of each that only teach (%(default)s)")
    options = parser.parse_args()
    wanted = [name.strip() for name in options.ladders.split(",") if name.strip()] or ["open minds", "open near judges"]
    for plan in (*AGAIN, *NEWEST, *VALIDATION, *LATEST, *LATER):
        if plan.name in wanted:
            report(plan, options.rounds, options.skipped, options.keep)


if __name__ == "__main__":
    main()

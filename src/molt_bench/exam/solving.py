"""Solves decisions of the exam: what every action is worth, and how far the solution is from an equilibrium.

The game that is solved begins with the street of the decision. Both ranges are those of the reference: how likely each
hand is, if both have played the blueprint up to that street. What was really bet on the street is in the tree. The
decision itself has many sizes; all others have fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from molt_bench.agents.blueprint.state import public_state
from molt_bench.agents.blueprint.tracked_ranges import tracked_ranges
from molt_bench.exam.questions import RULES, Decision, Question, Valued, action_letter
from molt_bench.poker.arrays import Floats
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.range_equity import hole_number
from molt_bench.solver.betting_tree import BettingTree, Menu
from molt_bench.solver.ranges_game import RangesGame, Solution

#: The sizes of a game from the river on, and from the turn on.
RIVER_MENU: Final = Menu(((50, 100, 200), (100,)), current=(33, 75, 150), least=True)
TURN_MENU: Final = Menu(((50, 100), (100,)), later=((75,),), current=(33, 75, 150), least=True)
#: A solution is good enough if a best response gains less than this share of the pot.
ENOUGH: Final = 0.001
#: Decisions that the other seat comes to less often by the solution are not asked: their values would mean little.
LEAST_REACHED: Final = 0.03
#: Rounds after which that is looked at, and most rounds.
STEP: Final = 100
MOST_ROUNDS: Final = 3000


def ranges_at(decision: Decision) -> tuple[Floats, Floats]:
    """Return the ranges of both seats before the street of a decision."""
    return tracked_ranges(public_state(decision.street_start()[0]))


def solved(
    name: str,
    decision: Decision,
    weight: float,
    ranges: tuple[Floats, Floats],
    *,
    game: Callable[..., RangesGame] = RangesGame,
) -> Question | None:
    """Solve a decision; None if the solution hardly ever comes to it, or is not found in time.

    Args:
        name: The name of the question.
        decision: The decision.
        weight: How much it counts.
        ranges: Of both seats.
        game: What solves it: with numpy, or elsewhere.
    """
    start, real = decision.street_start()
    tree = BettingTree(start, RIVER_MENU if start.street == "river" else TURN_MENU, real)
    solving = game(tree, cards_from_text(decision.board), ranges)
    while solving.rounds < MOST_ROUNDS:
        solving.solve(STEP)
        solution = solving.solution()
        question = question_of(name, decision, weight, tree, solution)
        if question is None or solution.exploitability < ENOUGH * start.betting.chips:
            return question
    return None


def question_of(name: str, decision: Decision, weight: float, tree: BettingTree, solution: Solution) -> Question | None:
    """Return a decision with what a solution says of it; None if the other seat hardly ever comes to it."""
    hand, start = decision.hand(), decision.street_start()[0]
    seat, own = hand.actor, hole_number(hand.holes[hand.actor])
    reached = float(solution.reached(tree.current, seat)[own])
    if reached < LEAST_REACHED:
        return None
    values = solution.action_values(tree.current, seat)[own]
    best = solution.action_values(tree.current, seat, best=True)[own]
    chances = solution.chances(tree.current)[own]
    big_blind = RULES.big_blind
    return Question(
        id=name,
        decision=decision,
        weight=round(weight, 6),
        options=tuple(
            Valued(action_letter(action), round(float(value) / big_blind, 5), round(float(chance), 4))
            for action, value, chance in zip(tree.points[tree.current].actions, values, chances, strict=True)
        ),
        pot=start.betting.chips / big_blind,
        reached=round(reached, 4),
        error=round(solution.exploitability / big_blind, 6),
        own_error=round(float(best.max() - values.max()) / big_blind, 5),
    )

"""Solve the questions on the flop, on a GPU: `python scripts/exam/flop.py`, about 20 seconds for each spot.

A spot is a decision of the reference's own hands. Once it is solved, every hand of the seat to act has its values, so
several are asked: the one that was dealt, and others that are drawn from the range of the seat. What is solved is
written as it is done; called again, it continues.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent))

import cupy
import msgspec
import numpy as np
from gpu_game import GpuRangesGame

from molt_bench.agents.blueprint import table
from molt_bench.agents.blueprint.state import public_state
from molt_bench.agents.blueprint.tracked_ranges import tracked_ranges
from molt_bench.exam.question_sampling import Drawn, draw
from molt_bench.exam.questions import RULES, Decision, Question
from molt_bench.exam.solving import question_of, ranges_at
from molt_bench.poker.cards import cards_from_text, cards_to_text
from molt_bench.poker.range_equity import HOLES, hole_cards, hole_number
from molt_bench.seeds import derive
from molt_bench.solver.betting_tree import BettingTree, Menu

SEED = "molt-bench exam, public questions 2, flop"
#: Hands that are asked about at each spot.
HANDS = 4
#: Rounds after which the error is looked at; it is enough below this share of the pot, or after so many rounds.
STEP, ENOUGH, MOST_ROUNDS = 60, 0.0025, 240
DEEP = 200


def hands_at(drawn: Drawn, name: str, count: int) -> Iterator[tuple[str, Decision]]:
    """Yield a drawn decision with its own cards, and with others from the range of the seat to act."""
    decision = drawn.decision
    hand = decision.hand()
    seat, board = hand.actor, cards_from_text(decision.board)
    ranges = tracked_ranges(public_state(hand))
    cards = hole_cards()
    free = ~np.isin(cards, board).any(axis=1)
    # How much of the other seat's range each hole leaves: those without its cards.
    theirs = np.where(free, ranges[1 - seat], 0)
    by_card = np.array([theirs[(cards == card).any(axis=1)].sum() for card in range(52)])
    left = theirs.sum() - by_card[cards].sum(axis=1) + theirs
    chances = np.where(free, ranges[seat], 0) * left
    chances[hole_number(hand.holes[seat])] = 0
    yield f"{name}a", decision
    for number in range(1, count):
        at = derive(SEED, "hole", name, number) / 2**256 * chances.sum()
        hole = int(np.searchsorted(chances.cumsum(), at, side="right"))
        chances[hole] = 0
        text = cards_to_text(tuple(cards[hole].tolist()))
        yield f"{name}{'abcdefgh'[number]}", msgspec.structs.replace(decision, cards=text)


def tree_of(decision: Decision) -> BettingTree:
    """Return the betting from the flop on: on the flop the sizes of the reference, then three quarters of the pot.

    All-in is always there. But with 200 big blinds, it is more than four pots for most of the hand, and a game in which
    everybody may bet that on every street takes long to solve: there the turn and the river have a second size instead.
    """
    start, real = decision.street_start()
    depth = decision.stack // RULES.big_blind
    sizes = table.load().about["menus"][str(depth)][1]
    flop = (tuple(sizes[0]), tuple(sizes[1][-1:]))
    menu = Menu(flop, later=((75,), (100,)), later_all_in=400) if depth == DEEP else Menu(flop, later=((75,),))
    return BettingTree(start, menu, real)


def main() -> None:
    """Draw, solve, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--spots", type=int, default=60, help="spots to draw (%(default)s)")
    parser.add_argument("--done", type=Path, default=Path("build/flop.jsonl"), help="what is solved (%(default)s)")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no spot after this time")
    options = parser.parse_args()
    start = perf_counter()
    drawn = draw(SEED, options.spots, ("flop",))
    print(f"{len(drawn)} spots, {perf_counter() - start:.0f} s", flush=True)
    lines = options.done.read_bytes().splitlines() if options.done.exists() else []
    known = {msgspec.json.decode(line, type=Question).id.rstrip("abcdefgh") for line in lines}
    roots: dict[str, np.ndarray] = {}
    longest = 0.0
    with options.done.open("ab") as file:
        for number, each in enumerate(drawn, start=1):
            began, name = perf_counter(), f"flop-{number}"
            if name in known or began - start + longest > options.seconds:
                continue
            tree, pot = tree_of(each.decision), each.decision.street_start()[0].betting.chips
            ranges = ranges_at(each.decision)
            game = GpuRangesGame(tree, cards_from_text(each.decision.board), ranges)
            made = perf_counter() - began
            hands, asked = list(hands_at(each, name, HANDS)), []
            while game.rounds < MOST_ROUNDS:
                game.solve(STEP)
                solution = game.solution()
                found = [question_of(own, at, each.weight / HANDS, tree, solution) for own, at in hands]
                asked = [question for question in found if question is not None]
                if not asked or solution.exploitability < ENOUGH * pot:
                    break
            file.writelines(msgspec.json.encode(question) + b"\n" for question in asked)
            file.flush()
            for seat in (0, 1):
                worth = np.zeros(HOLES)
                met = game.met(solution.reaches[1 - seat][:1])[0]
                worth[game.holes] = game.on_host(solution.values[seat][0] / met)[0] / RULES.big_blind
                roots[f"{name}/{seat}"] = worth
            np.savez(options.done.with_suffix(".npz"), **roots)
            rounds, error = game.rounds, solution.exploitability
            del game, solution
            cupy.get_default_memory_pool().free_all_blocks()
            took = perf_counter() - began
            longest = max(longest, took)
            print(
                f"{name} {each.decision.line}, pot {pot} of {each.decision.stack}, {len(tree.points)} points: "
                f"{len(asked)} asked, {rounds} rounds, {100 * error / pot:.3f}%, {made:.1f} + {took - made:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Make the questions before the flop, and join all streets to the public set: `python scripts/exam/preflop.py`.

Before the flop nothing is solved: an action is worth what the table of the reference says. How wrong that is was
measured on the flops that `flop.py` solved: `--roots` compares what the reference says every hand is worth there with
the solutions.
"""

import argparse
from collections import Counter, defaultdict
from copy import copy
from pathlib import Path

import msgspec
import numpy as np

from molt_bench.agents.blueprint import table
from molt_bench.agents.blueprint.agent import BlueprintAgent, likelihoods
from molt_bench.agents.blueprint.buckets import preflop_buckets
from molt_bench.agents.blueprint.state import PublicState, public_state
from molt_bench.exam.question_sampling import Drawn, draw, played_decisions
from molt_bench.exam.questions import RULES, Decision, Question, Valued, action_letter, path_of
from molt_bench.exam.solving import LEAST_REACHED, ranges_at
from molt_bench.poker.actions import CALL, CHECK, FOLD, STREETS, Action
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand import Hand
from molt_bench.poker.range_equity import hole_number, holes_with

SEED = "molt-bench exam, public questions 2, preflop"
#: How far the values of the reference are from solved ones, averaged over flops, in shares of the pot: see `--roots`.
ERROR = 0.036
#: How far they are from what the reference really wins, since few numbers are stored: all that is left after an all-in.
STORED = 0.003
#: Hands from which the share of each street in all decisions is counted.
HANDS = 8000


def question_of(name: str, drawn: Drawn) -> Question:
    """Return a decision with what the reference says of it.

    What is closer to the best action than the error counts as that one.
    """
    decision, bot = drawn.decision, BlueprintAgent(seed=SEED)
    hand = decision.hand()
    hole, big_blind = hand.holes[hand.actor], RULES.big_blind
    actions = _offered(hand)
    values = [_worth(bot, hand, action) / big_blind for action in actions]
    chances = _chances(bot, hand, actions)
    pot, behind = 2 * max(hand.bets), 2 * (decision.stack - max(hand.bets))
    error = max(ERROR * min(pot, behind), STORED * pot) / big_blind
    best = max(values)
    return Question(
        id=name,
        decision=decision,
        weight=drawn.weight,
        options=tuple(
            Valued(action_letter(action), round(best if best - value < error else value, 5), round(chance, 4))
            for action, value, chance in zip(actions, values, chances, strict=True)
        ),
        pot=(RULES.small_blind + big_blind) / big_blind,
        reached=round(_reached(hand, hole_number(hole)), 4),
        error=round(error, 6),
        own_error=0.0,
    )


def _offered(hand: Hand) -> list[Action]:
    """Return the actions of the reference's own tree, as it takes them."""
    menus = table.load().about["menus"][str(hand.starting_stacks[0] // RULES.big_blind)][0]
    raises = sum(done.kind == "raiseTo" for done in hand.log)
    least, most = hand.raise_range()
    found = [FOLD, CALL] if hand.to_call else [CHECK]
    if most:
        pot = hand.pot + sum(hand.bets) + hand.to_call
        facing, all_in = max(hand.bets), min(most, hand.limits[1 - hand.actor])
        percents = menus[raises] if raises < len(menus) else ()
        sizes = {max(least, facing + (pot * percent + 50) // 100) for percent in percents}
        kept = {size for size in sizes if 100 * size < 67 * all_in}
        found += [Action("raiseTo", size) for size in sorted(kept | {all_in})]
    return found


def _worth(bot: BlueprintAgent, hand: Hand, action: Action) -> float:
    """Return the chips that the seat to act wins in the whole hand if it does this, and both go on as the reference."""
    seat, moved = hand.actor, copy(hand)
    moved.apply(action)
    state = msgspec.structs.replace(public_state(moved), board=())
    return bot.hand_value(state, seat, hand.holes[seat])


def _chances(bot: BlueprintAgent, hand: Hand, actions: list[Action]) -> list[float]:
    """Return how often the reference takes each action."""
    state, own, found = public_state(hand), hole_number(hand.holes[hand.actor]), []
    for action in actions:
        moved = copy(hand)
        moved.apply(action)
        found.append(float(likelihoods(state, public_state(moved).log[-1])[own]))
    return [each / sum(found) for each in found]


def _reached(hand: Hand, own: int) -> float:
    """Return how often the other seat plays to a decision."""
    state = public_state(hand)
    likely = np.ones(len(preflop_buckets()))
    for at, done in enumerate(state.log):
        if done.seat != hand.actor:
            likely = likely * likelihoods(msgspec.structs.replace(state, log=state.log[:at]), done)
    free = ~holes_with()[list(hand.holes[hand.actor])].any(axis=0)
    return float(likely[free].mean())


def joined(by_street: dict[str, list[Question]], shares: dict[str, float]) -> list[Question]:
    """Return the questions of all streets mixed evenly, each street weighted by its share in all decisions of play."""
    count = sum(map(len, by_street.values()))
    found = []
    for street, questions in by_street.items():
        scale = shares[street] * count / sum(each.weight for each in questions)
        for at, each in enumerate(questions):
            weighted = msgspec.structs.replace(each, weight=round(scale * each.weight, 6))
            found.append(((at + 0.5) / len(questions), STREETS.index(street), weighted))
    return [each for _, _, each in sorted(found, key=lambda row: row[:2])]


def measured(paths: list[Path], spots: list[Decision]) -> None:
    """Print how far the reference's values on solved flops are from the solutions, as shares of the pot."""
    roots = {name: values for path in paths for name, values in np.load(path).items()}
    bot, classes = BlueprintAgent(seed=SEED), preflop_buckets()
    lines, squares = defaultdict(list), []
    for number, decision in enumerate(spots, start=1):
        start, free = decision.street_start()[0], ~holes_with()[list(cards_from_text(decision.board))].any(axis=0)
        for seat in (0, 1) if f"flop-{number}/0" in roots else ():
            state: PublicState = public_state(start)
            pot = start.betting.chips
            apart = (bot.hand_values(state, seat) - RULES.big_blind * roots[f"flop-{number}/{seat}"]) / pot
            weights = ranges_at(decision)[seat] * free
            squares.append(np.average(apart**2, weights=weights))
            whole = np.bincount(classes, weights, 169)
            key = (decision.stack, decision.line.partition("/")[0], seat == decision.button)
            lines[key].append((np.bincount(classes, weights * apart, 169) / np.maximum(whole, 1e-9), whole))
    lasting = []
    for flops in lines.values():
        if len(flops) >= 3:
            apart = np.array([each for each, _ in flops])
            # What is left of the squared mean once the luck of a few flops is taken off.
            squared = apart.mean(axis=0) ** 2 - apart.var(axis=0, ddof=1) / len(flops)
            lasting.append(np.average(squared, weights=np.mean([whole for _, whole in flops], axis=0)))
    print(f"{len(squares) // 2} flops: {np.sqrt(np.mean(squares)):.3f} of the pot for a hand on a flop, ", end="")
    print(f"{np.sqrt(np.mean(lasting)):.3f} for a starting hand over all flops ({len(lasting)} lines and seats)")


def main() -> None:
    """Draw, value, join, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=250, help="decisions before the flop (%(default)s)")
    parser.add_argument("--flop", type=Path, default=Path("build/flop.jsonl"), help="what flop.py has solved")
    parser.add_argument("--roots", type=Path, nargs="*", help="measure the error with these files of flop.py, no more")
    parser.add_argument("--to", type=Path, default=path_of(2), help="the file of the set (%(default)s)")
    options = parser.parse_args()
    if options.roots:
        spots = draw("molt-bench exam, public questions 2, flop", 60, ("flop",))
        return measured(options.roots, [each.decision for each in spots])
    by_street: dict[str, list[Question]] = {street: [] for street in STREETS}
    for number, drawn in enumerate(draw(SEED, options.questions, ("preflop",)), start=1):
        question = question_of(f"preflop-{number}", drawn)
        if question.reached >= LEAST_REACHED:
            by_street["preflop"].append(question)
    for line in options.flop.read_bytes().splitlines():
        by_street["flop"].append(msgspec.json.decode(line, type=Question))
    by_street["flop"].sort(key=lambda each: each.id[-1])  # one hand of every spot, then the second of each
    for line in path_of(1).read_bytes().splitlines():
        question = msgspec.json.decode(line, type=Question)
        by_street[question.decision.kind().street].append(question)
    counts = Counter(each.kind().street for each in played_decisions(SEED, HANDS, STREETS))
    shares = {street: counts[street] / counts.total() for street in STREETS}
    found = joined(by_street, shares)
    options.to.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in found))
    print(f"{options.to}: {len(found)} questions,", {street: f"{share:.3f}" for street, share in shares.items()})
    return None


if __name__ == "__main__":
    main()

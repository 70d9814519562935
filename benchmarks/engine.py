"""Measure how fast the engine plays, side by side with other poker engines.

All contenders do the same work: heads-up no-limit hold'em, 1000 chips each, blinds 5/10, random cards for every hand.
Both seats are Python code that chooses uniformly among folding (when facing a bet), checking or calling, a minimum
raise, a pot-sized raise and all-in. OpenSpiel and RLCard have no minimum raise, but half a pot or nothing in its place:
the actions per hand tell how alike the hands are. The peers are played as a careful user would; OpenSpiel also as
fast as we could make it.

Speed is hands per CPU second, the median over rounds in which the contenders take turns. A ratio is the median of those
within a round, since a busy machine changes its pace.
"""

import argparse
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from random import Random  # noqa: TID251
from statistics import fmean, median
from time import process_time
from typing import TYPE_CHECKING, TypeAlias

from rows import row

from molt_bench import Action, Observation, play_game
from molt_bench.kernels import compiled
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe

if TYPE_CHECKING:
    import pyspiel

#: Ratios to OpenSpiel's fastest row but the tuned one: the engine in pure Python and with compiled kernels; a game.
PURE_GOAL, COMPILED_GOAL, GAME_GOAL, IMPORT_GOAL_MS = 2.5, 5.0, 2.0, 100
STACK, SMALL_BLIND, BIG_BLIND = 1000, 5, 10
FOLDING, CALLING, MIN_RAISE, POT_RAISE = range(4)  # the options by number; the fifth is all-in

Played: TypeAlias = tuple[int, float]  # the number of actions, and the sum of all payoffs, which must be 0
Play: TypeAlias = Callable[[int, int], Played]  # plays so many hands with a seed


class Agent:
    """Sits in the seats of the molt-bench rows."""

    def __init__(self, seed: int) -> None:
        self._uniform = Random(seed).random

    def act(self, seen: Observation) -> Action:
        """Return one of the options, each as likely as the others."""
        to_call, most = seen.to_call, seen.max_raise_to
        if not most:
            return CHECK if not to_call else FOLD if self._uniform() < 0.5 else CALL
        option = int(self._uniform() * 5) if to_call else 1 + int(self._uniform() * 4)
        if option == FOLDING:
            return FOLD
        if option == CALLING:
            return CALL if to_call else CHECK
        if option == MIN_RAISE:
            return Action("raiseTo", seen.min_raise_to)
        if option == POT_RAISE and (amount := seen.bets[seen.seat] + 2 * to_call + seen.pot) < most:
            return Action("raiseTo", amount)
        return Action("raiseTo", most)


def choose(uniform: Callable[[], float], *, facing: bool, raising: bool) -> int:
    """Return an option, as `Agent` chooses, for the peers that take amounts."""
    if raising:
        return int(uniform() * 5) if facing else 1 + int(uniform() * 4)
    return int(uniform() * 2) if facing else CALLING


def play_by_engine(hands: int, seed: int) -> Played:
    """Step the engine by hand."""
    rules, stacks, deal = HandRules(SMALL_BLIND, BIG_BLIND), (STACK, STACK), Shoe(seed).deal
    acts, actions, chips = (Agent(seed).act, Agent(seed + 1).act), 0, 0
    for number in range(hands):
        hand = Hand(rules, deal(number), stacks, number & 1)
        while (seat := hand.actor) >= 0:
            hand.apply(acts[seat](observe(hand, number)))
            actions += 1
        chips += sum(hand.payoffs)
    return actions, chips


def play_by_game(hands: int, seed: int) -> Played:
    """Play one game with all its records; a fault counts as a lost chip."""
    agents, blinds = (Agent(seed), Agent(seed + 1)), {"small_blind": SMALL_BLIND, "big_blind": BIG_BLIND}
    record = play_game(agents, seed=seed, hands=hands, stack=STACK, **blinds)
    return record.actions, sum(record.net) + len(record.faults)


def open_spiel_starts(betting: str) -> list[Callable[[], "pyspiel.State"]]:
    """Return what starts a hand of OpenSpiel with the button in seat 0, and in seat 1."""
    import pyspiel

    game = f"universal_poker(betting=nolimit,bettingAbstraction={betting},numPlayers=2,stack={STACK} {STACK},"
    game += "numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
    buttons = "blind=5 10,firstPlayer=1 2 2 2)", "blind=10 5,firstPlayer=2 1 1 1)"
    return [pyspiel.load_game(game + button).new_initial_state for button in buttons]


def play_open_spiel(hands: int, seed: int, betting: str, *, observing: bool = False, tuned: bool = False) -> Played:
    """Play OpenSpiel (C++); its betting "fcpa" has four options, "fchpa" five.

    Only its "fullgame" has a minimum raise, among a thousand legal actions: much slower, so it has no row here.

    Args:
        hands: How many.
        seed: Of the random numbers.
        betting: Its name for the options.
        observing: Whether the observation string is read before each decision.
        tuned: Whether the harness spares OpenSpiel what a user would not think of: a hand then starts as the clone of
            a state made once, and only the cards that are needed are drawn.
    """
    starts = open_spiel_starts(betting)
    if tuned:
        starts = [start().clone for start in starts]
    random, fresh_deck, actions, chips = Random(seed), list(range(52)).copy, 0, 0
    uniform = random.random
    for number in range(hands):
        state = starts[number & 1]()
        player_of, legal_of, apply = state.current_player, state.legal_actions, state.apply_action
        deck = fresh_deck() if tuned else random.sample(range(52), 9)
        while (player := player_of()) != -4:  # pyspiel.PlayerId.TERMINAL
            if player >= 0:
                if observing:
                    state.observation_string(player)
                legal = legal_of()
                apply(legal[int(uniform() * len(legal))])
                actions += 1
            else:
                apply(deck.pop(int(uniform() * len(deck))) if tuned else deck.pop())
        chips += sum(state.returns())
    return actions, chips


def play_pokers(hands: int, seed: int) -> Played:
    """Play pokers (Rust), whose state is the observation; a raise is what comes on top of the call.

    It knows no minimum raise, and two players who are all-in have to check down: the harness sees to both.
    """
    from pokers import Action, ActionEnum, State, StateStatus

    fold, check, call = Action(ActionEnum.Fold), Action(ActionEnum.Check), Action(ActionEnum.Call)
    uniform, actions, chips = Random(seed).random, 0, 0
    for number in range(hands):
        state = State.from_seed(2, number & 1, SMALL_BLIND, BIG_BLIND, STACK, seed << 32 | number)
        least = BIG_BLIND
        while not state.final_state:
            pot, highest = state.pot, state.min_bet
            if pot == 2 * STACK:
                state = state.apply_action(check)
                continue
            me = state.players_state[state.current_player]
            owed = highest - me.bet_chips
            most = me.stake - owed
            option = choose(uniform, facing=owed > 0, raising=most > 0)
            if option > CALLING:
                least = min(most, least if option == MIN_RAISE else pot + owed if option == POT_RAISE else most)
                state = state.apply_action(Action(ActionEnum.Raise, least))
            else:
                state = state.apply_action(fold if option == FOLDING else call if highest else check)
                least = least if state.min_bet else BIG_BLIND
            actions += 1
        chips += sum([player.reward for player in state.players_state]) + (state.status != StateStatus.Ok)
    return actions, chips


def play_pokerfast(hands: int, seed: int) -> Played:
    """Play pokerfast (Python), where `get_u_hand` is the observation; seat 0 always has the small blind."""
    from pokerfast import FastHand

    deal = partial(FastHand, player_count=2, small_blind=SMALL_BLIND, big_blind=BIG_BLIND, rng=Random(seed + 1))
    uniform, actions, chips = Random(seed).random, 0, 0
    for _ in range(hands):
        hand = deal(min_stack=STACK, max_stack=STACK)
        while not hand.done:
            hand.get_u_hand()
            legal = hand.get_action_space()
            owed = legal.get("call", 0)
            option = choose(uniform, facing=owed > 0, raising="max_bet" in legal)
            if option == FOLDING:
                hand.fold()
            elif option == CALLING:
                hand.call()
            elif option == POT_RAISE:
                hand.bet_or_raise(2 * owed + hand.pot_size())
            else:
                hand.bet_or_raise(legal["min_bet" if option == MIN_RAISE else "max_bet"])
            actions += 1
        chips += sum(hand.state.payoffs)
    return actions, chips


def play_rlcard(hands: int, seed: int) -> Played:
    """Play RLCard (Python), with half a pot for the minimum raise; a fold is always legal, and first in the list."""
    import rlcard

    env = rlcard.make("no-limit-holdem", {"seed": seed, "chips_for_each": STACK})
    env.game.small_blind, env.game.big_blind = SMALL_BLIND, BIG_BLIND
    uniform, actions, chips = Random(seed).random, 0, 0
    for number in range(hands):
        env.game.dealer_id = number & 1
        seen, _ = env.reset()
        while not env.is_over():
            bets, legal = seen["raw_obs"]["all_chips"], seen["raw_legal_actions"]
            if bets[0] == bets[1]:
                del legal[0]
            seen, _ = env.step(legal[int(uniform() * len(legal))], raw_action=True)
            actions += 1
        chips += sum(env.get_payoffs())
    return actions, chips


def play_pokerkit(hands: int, seed: int) -> Played:
    """Play PokerKit (Python), whose state is the observation; seat 1 always has the button."""
    from pokerkit import Automation, NoLimitTexasHoldem

    deal = NoLimitTexasHoldem(tuple(Automation), True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND)  # noqa: FBT003
    uniform, actions, chips = Random(seed).random, 0, 0
    for _ in range(hands):
        state = deal(STACK, 2)
        while state.status:
            least = state.min_completion_betting_or_raising_to_amount
            option = choose(uniform, facing=state.checking_or_calling_amount > 0, raising=least is not None)
            if option == FOLDING:
                state.fold()
            elif option == CALLING:
                state.check_or_call()
            elif option == MIN_RAISE:
                state.complete_bet_or_raise_to(least)
            elif option == POT_RAISE:
                state.complete_bet_or_raise_to(state.pot_completion_betting_or_raising_to_amount)
            else:
                state.complete_bet_or_raise_to(state.max_completion_betting_or_raising_to_amount)
            actions += 1
        chips += sum(state.payoffs)
    return actions, chips


TUNED = "open_spiel: fcpa, tuned"
ROWS: dict[str, Play] = {
    "molt_bench: engine, stepped": play_by_engine,
    "molt_bench: play_game, full records": play_by_game,
    "open_spiel: fcpa": partial(play_open_spiel, betting="fcpa"),
    "open_spiel: fcpa, observation string": partial(play_open_spiel, betting="fcpa", observing=True),
    "open_spiel: fchpa": partial(play_open_spiel, betting="fchpa"),
    "open_spiel: fchpa, observation string": partial(play_open_spiel, betting="fchpa", observing=True),
    TUNED: partial(play_open_spiel, betting="fcpa", tuned=True),
    "pokers": play_pokers,
    "pokerfast": play_pokerfast,
    "rlcard": play_rlcard,
    "pokerkit": play_pokerkit,
}


def timed(play: Play, hands: int, seed: int) -> tuple[float, float]:
    """Return hands per CPU second, and actions per hand."""
    gc.collect()
    start = process_time()
    actions, chips = play(hands, seed)
    spent = process_time() - start
    assert not chips, f"{play}: chips were lost or made"
    return hands / spent, actions / hands


def measure(seconds: float, rounds: int, rows: dict[str, Play]) -> dict[str, list[tuple[float, float]]]:
    """Return hands per second and actions per hand, round by round, of all contenders that can be imported."""
    hands: dict[str, int] = {}
    for name, play in rows.items():
        try:
            timed(play, 10, 0)
            hands[name] = max(1, round(seconds * timed(play, 200, 0)[0]))
        except ImportError as error:
            print(f"skipped {name}: {error}")
    peers = sorted({name.partition(":")[0] for name in hands} - {"molt_bench"})
    print(*[f"{peer} {version(peer)}" for peer in peers], sep=", ")
    gc.freeze()  # what the imports left behind is not to be looked through in anybody's slice
    slices = [[timed(rows[name], hands[name], seed) for name in hands] for seed in range(1, rounds + 1)]
    return {name: list(runs) for name, runs in zip(hands, zip(*slices, strict=True), strict=True)}


def ratio_of(runs: list[tuple[float, float]], others: list[tuple[float, float]]) -> float:
    """Return how much faster than another contender: the median over rounds; NaN if there is no other."""
    return median([one[0] / two[0] for one, two in zip(runs, others, strict=False)] or [float("nan")])


def import_ms() -> float:
    """Return how long it takes to import the package's face and what games need, fresh, the median of five."""
    names = "Action, Observation, PokerAgent, play_game, check_agent"
    code = "from time import perf_counter as now; start = now(); "
    code += f"from molt_bench import {names}; print(1000 * (now() - start))"
    return median([float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)])


def main() -> int:
    """Measure, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.15, help="CPU seconds of a slice (%(default)s)")
    parser.add_argument("--rounds", type=int, default=31, help="slices of each contender (%(default)s)")
    parser.add_argument("--short", action="store_true", help="no peers but OpenSpiel")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a goal is missed")
    options = parser.parse_args()
    # pokers prints at every showdown, past sys.stdout, and nothing turns that off: let it print to nowhere.
    sys.stdout = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print("molt_bench in pure Python" if compiled is None else "molt_bench with compiled kernels")
    rows = {name: play for name, play in ROWS.items() if ":" in name or not options.short}
    table = measure(options.seconds, options.rounds, rows)
    rates = {name: median([rate for rate, _ in runs]) for name, runs in table.items()}
    ordinary = [name for name in table if name.startswith("open_spiel") and name != TUNED]
    fastest = table[max(ordinary, key=rates.__getitem__)] if ordinary else []
    print(f"\n{'':38}{'hands/s':>10}{'ratio':>8}{'actions/hand':>14}")
    for name, runs in table.items():
        actions = fmean([count for _, count in runs])
        print(f"{name:38}{rates[name]:>10,.0f}{ratio_of(runs, fastest):>8.2f}{actions:>14.2f}")
    return 1 if not goals(table, fastest) and options.strict else 0


def goals(table: dict[str, list[tuple[float, float]]], fastest: list[tuple[float, float]]) -> bool:
    """Print what is to be reached, and return whether all of it is."""
    engine, game, *_ = table.values()
    found, loading = [], import_ms()
    print()
    for name, runs, least in (
        ("engine stepped by hand", engine, PURE_GOAL if compiled is None else COMPILED_GOAL),
        ("play_game with records", game, GAME_GOAL),
    ):
        if fastest:
            ratio = ratio_of(runs, fastest)
            found.append(ratio >= least)
            row(f"{name} over OpenSpiel's fastest row", ratio, least, digits=2, at_least=True)
    tuned = table.get(TUNED, [])
    print(f"  the same against its tuned row: {ratio_of(engine, tuned):.2f} and {ratio_of(game, tuned):.2f}")
    found.append(loading < IMPORT_GOAL_MS)
    row("import molt_bench, wall clock", loading, IMPORT_GOAL_MS, " ms", digits=0)
    return all(found)


if __name__ == "__main__":
    sys.exit(main())

"""Measure molt-bench beside its peers, in one run: `.venv-engines/bin/python benchmarks/peers.py`.

- Engines: heads-up no-limit hold'em, 1000 chips each, blinds 5/10, random cards for every hand. Both seats are Python
  code that chooses uniformly among folding (when facing a bet), checking or calling, a minimum raise, a pot-sized raise
  and all-in. OpenSpiel (C++) has no minimum raise; the actions per hand tell how alike the hands are.
- Environments: random games of one hand in PettingZoo's own and in ours.
- Match runners: what a game of two programs that give up at once costs the runner itself, without the programs:
  fastchess with engines that make no legal move, `molt-bench run` with bots that fold.

Speed is per CPU second, the median over rounds in which the contenders of a group take turns. A ratio is the median of
those within a round, since a busy machine changes its pace. Peers that are not installed are skipped.
"""

import argparse
import gc
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251
from statistics import median
from time import process_time, sleep
from typing import Any, TypeAlias

import numpy as np
from rows import ROOT, row

from molt_bench import Action, Observation, play_game
from molt_bench.kernels import compiled
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.views import observe

STACK, SMALL_BLIND, BIG_BLIND = 1000, 5, 10
FOLDING, CALLING, MIN_RAISE, POT_RAISE = range(4)  # the options by number; the fifth is all-in

Play: TypeAlias = Callable[[int, int], int]  # plays so many hands or games with a seed; returns the actions


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


def by_engine(hands: int, seed: int) -> int:
    """Step the engine by hand."""
    rules, stacks, deal = HandRules(SMALL_BLIND, BIG_BLIND), (STACK, STACK), Shoe(seed).deal
    acts, actions, chips = (Agent(seed).act, Agent(seed + 1).act), 0, 0
    for number in range(hands):
        hand = Hand(rules, deal(number), stacks, number & 1)
        while (seat := hand.actor) >= 0:
            hand.apply(acts[seat](observe(hand, number)))
            actions += 1
        chips += sum(hand.payoffs)
    assert not chips
    return actions


def by_game(hands: int, seed: int) -> int:
    """Play one game with all its records."""
    blinds = {"small_blind": SMALL_BLIND, "big_blind": BIG_BLIND}
    record = play_game((Agent(seed), Agent(seed + 1)), seed=seed, hands=hands, stack=STACK, **blinds)
    assert not sum(record.net)
    assert not record.faults
    return record.actions


def by_open_spiel(hands: int, seed: int, *, observing: bool = False, tuned: bool = False) -> int:
    """Play OpenSpiel with its four options.

    Args:
        hands: How many.
        seed: Of the random numbers.
        observing: Whether the observation string is read before each decision.
        tuned: Whether a hand starts as the clone of a state made once, and only the cards that are needed are drawn.
    """
    import pyspiel

    game = f"universal_poker(betting=nolimit,bettingAbstraction=fcpa,numPlayers=2,stack={STACK} {STACK},"
    game += "numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
    buttons = "blind=5 10,firstPlayer=1 2 2 2)", "blind=10 5,firstPlayer=2 1 1 1)"
    starts = [pyspiel.load_game(game + button).new_initial_state for button in buttons]
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
    assert not chips
    return actions


def by_pokerkit(hands: int, seed: int) -> int:
    """Play PokerKit (Python), whose state is the observation; seat 1 always has the button."""
    from pokerkit import Automation, NoLimitTexasHoldem

    deal = NoLimitTexasHoldem(tuple(Automation), True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND)  # noqa: FBT003
    uniform, actions, chips = Random(seed).random, 0, 0
    for _ in range(hands):
        state = deal(STACK, 2)
        while state.status:
            least, facing = state.min_completion_betting_or_raising_to_amount, state.checking_or_calling_amount > 0
            if least is None:
                option = int(uniform() * 2) if facing else CALLING
            else:
                option = int(uniform() * 5) if facing else 1 + int(uniform() * 4)
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
    assert not chips
    return actions


def by_environment(games: int, seed: int, *, name: str) -> int:
    """Play games of one hand in a PettingZoo environment."""
    if name == "ours":
        from molt_bench.plugins.adapters import holdem_v0

        table: Any = holdem_v0.env(stack=200, small_blind=1, big_blind=2)
    else:
        from pettingzoo.classic import texas_holdem_no_limit_v6

        table = texas_holdem_no_limit_v6.env()
    dice, decisions = np.random.default_rng(seed), 0
    for game in range(games):
        table.reset(seed=game)
        for _ in table.agent_iter():
            seen, _, over, cut, _ = table.last()
            offered = np.flatnonzero(seen["action_mask"])
            table.step(None if over or cut else int(offered[int(dice.random() * len(offered))]))
            decisions += not (over or cut)
    return decisions


#: By group: contenders and how they play; ratios are to the first peer, the one that is no row of ours.
GROUPS: dict[str, dict[str, Play]] = {
    "engines, hands": {
        "molt_bench: engine, stepped": by_engine,
        "molt_bench: play_game, full records": by_game,
        "open_spiel: fcpa": by_open_spiel,
        "open_spiel: fcpa, observation string": partial(by_open_spiel, observing=True),
        "open_spiel: fcpa, tuned": partial(by_open_spiel, tuned=True),
        "pokerkit": by_pokerkit,
    },
    "environments, games": {
        "molt_bench: holdem_v0.env": partial(by_environment, name="ours"),
        "pettingzoo: texas_holdem_no_limit_v6.env": partial(by_environment, name="theirs"),
    },
}


def timed(play: Play, count: int, seed: int) -> tuple[float, float]:
    """Return how many are played in a CPU second, and the actions of each."""
    gc.collect()
    start = process_time()
    actions = play(count, seed)
    return count / (process_time() - start), actions / count


def measure(contenders: dict[str, Play], seconds: float, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return speeds and actions, round by round, of all contenders that can be imported."""
    counts: dict[str, int] = {}
    for name, play in contenders.items():
        try:
            timed(play, 10, 0)
            counts[name] = max(1, round(seconds * timed(play, 50, 0)[0]))
        except ImportError as error:
            print(f"skipped {name}: {error}")
    gc.freeze()  # the collector does not look through what the imports left
    slices = [[timed(contenders[name], count, seed) for name, count in counts.items()] for seed in range(1, rounds + 1)]
    return {name: list(runs) for name, runs in zip(counts, zip(*slices, strict=True), strict=True)}


def compare(group: str, seconds: float, rounds: int) -> dict[str, float]:
    """Print a group; return the ratio of each of ours to the first peer."""
    found = measure(GROUPS[group], seconds, rounds)
    first = next((runs for name, runs in found.items() if not name.startswith("molt_bench")), None)
    print(f"\n{group + ' a CPU second':44}{'speed':>10}{'ratio':>8}{'actions':>9}")
    ratios = {}
    for name, runs in found.items():
        pairs = zip(runs, first or (), strict=False)
        ratios[name] = median([one[0] / two[0] for one, two in pairs] or [float("nan")])
        speed, actions = median(speed for speed, _ in runs), median(actions for _, actions in runs)
        print(f"{name:44}{speed:>10,.0f}{ratios[name]:>8.2f}{actions:>9.2f}", flush=True)
    return ratios if first else {}


GIVES_UP = """#!/usr/bin/env python3
import sys
for line in sys.stdin:
    word = line.split()[:1]
    answers = {"uci": "id name none\\nuciok", "isready": "readyok", "go": "bestmove 0000"}
    if word and word[0] in answers:
        print(answers[word[0]], flush=True)
    elif word == ["quit"]:
        break
"""
FOLDS = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    seen = json.loads(line)
    if seen["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif seen["type"] == "observation":
        print(json.dumps({"type": "action", "id": seen["id"], "kind": "fold"}), flush=True)
"""


def own_cpu_s(command: list[str], folder: Path) -> float:
    """Run a command; return the CPU seconds of its process alone, without those of the programs it starts."""
    own = 0.0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            try:
                fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                break
            own = max(own, (int(fields[11]) + int(fields[12])) / 100)
            sleep(0.01)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return own


def runners(games: int) -> None:
    """Print what a game costs each runner, beyond what it takes to play none."""
    print(f"\n{'match runners, own CPU a game':44}{'ms':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in (("gives_up.py", GIVES_UP), ("folds.py", FOLDS)):
            (folder / file).write_text(text)
            (folder / file).chmod(0o755)

        def ours(count: int) -> list[str]:
            words = [sys.executable, "-m", "molt_bench", "run", "--participants", "exec:./folds.py,callstation"]
            words += ["--hands", "1", "--seeds", str(count // 2), "--max-matches", "1", "--no-sandbox", "--quiet"]
            return [*words, "--set", "stop.adjacentConfidence=null", "--output-dir", f"runs{count}"]

        def theirs(count: int) -> list[str]:
            engine = f"cmd={folder / 'gives_up.py'}"
            words = ["fastchess", "-engine", engine, "name=a", "-engine", engine, "name=b", "-each", "tc=10+0.1"]
            return [*words, "-rounds", str(count // 2), "-games", "2", "-concurrency", "1"]

        for label, command in (("molt_bench: run, programs that fold", ours), ("fastchess", theirs)):
            if label == "fastchess" and shutil.which("fastchess") is None:
                print("skipped fastchess: it is not installed")
                continue
            few, many = (own_cpu_s(command(count), folder) for count in (2, games))
            print(f"{label:44}{1000 * (many - few) / (games - 2):>10.2f}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.15, help="CPU seconds of a slice (%(default)s)")
    parser.add_argument("--rounds", type=int, default=31, help="slices of each contender (%(default)s)")
    parser.add_argument("--games", type=int, default=200, help="games of the match runners (%(default)s)")
    options = parser.parse_args()
    print("molt_bench in pure Python" if compiled is None else "molt_bench with compiled kernels", f"at {ROOT}")
    for group in GROUPS:
        ratios = compare(group, options.seconds, options.rounds)
        if "open_spiel: fcpa" in ratios:
            goal = 2.5 if compiled is None else 5.0
            row("engine, stepped, over OpenSpiel", ratios["molt_bench: engine, stepped"], goal, digits=2, at_least=True)
            name = "molt_bench: play_game, full records"
            row("play_game with records over OpenSpiel", ratios[name], 2.0, digits=2, at_least=True)
    runners(options.games)


if __name__ == "__main__":
    main()

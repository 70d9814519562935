"""2,000 games of agents whose answers are fixed, and what the players saw, won and did wrong in them.

An answer depends on nothing but what the seat to act sees, so a change in any card, legal action or chip changes
what follows. Some answers are wrong on purpose: illegal, no action at all, or an exception.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from molt_bench import Action, GameRecord, HandResult, Observation, play_game

GAMES = 2_000
GAMES_PER_HASH = 100


def digits(*words: object) -> int:
    """Return a number that these words determine."""
    return int.from_bytes(sha256(repr(words).encode()).digest()[:8], "big")


class FixedAgent:
    """Answers by what it sees alone, and writes down all of it."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.name = name
        self._lines = lines

    def act(self, seen: Observation) -> Any:
        """Return the action, or on purpose something that is none."""
        log = " ".join(f"{done.street[0]}{done.seat}{done.kind}{done.amount}" for done in seen.log)
        again = "again" if seen.previous_error else "first"
        line = (
            f"{self.name} {again} hand {seen.hand_number} seat {seen.seat} button {seen.button} {seen.street} "
            f"{seen.cards_text} [{seen.board_text}] pot {seen.pot} stacks {seen.stacks} bets {seen.bets} "
            f"started {seen.starting_stacks} to call {seen.to_call} raise {seen.min_raise_to} {seen.max_raise_to} "
            f"can {' '.join(seen.legal.kinds)} log {log}"
        )
        self._lines.append(line)
        number = digits(line)
        choice, sub = number % 100, number // 100
        if choice < 2:
            raise RuntimeError("on purpose")
        if choice < 4:
            return "not an action"
        if choice < 6:
            return Action("raiseTo", seen.min_raise_to - 1)
        if choice < 8:
            return Action("check" if seen.to_call else "call")
        if choice < 18:
            return Action("fold" if seen.to_call or choice == 8 else "check")
        if choice < 62 or not seen.max_raise_to:
            return Action("call" if seen.to_call else "check")
        low, high = seen.min_raise_to, seen.max_raise_to
        if choice < 80:
            return Action("raiseTo", low)
        if choice < 96:
            return Action("raiseTo", low + sub % (min(high, 3 * low) - low + 1))
        return Action("raiseTo", high)

    def on_hand_complete(self, result: HandResult) -> None:
        """Write down how the hand ended for this seat."""
        self._lines.append(
            f"{self.name} ended {result.hand_number} seat {result.seat} {result.cards} {result.opponent_cards} "
            f"{result.board} {len(result.log)} {result.starting_stacks} {result.net}"
        )


def setting(number: int) -> dict[str, Any]:
    """Return the settings of a game; neighbours differ, and both seatings of a seed follow each other."""
    pair = number // 2
    big_blind = (100, 2, 7, 1_000)[pair % 4]
    ante = (0, 0, 0, big_blind // 4)[pair % 5 % 4]
    deep = (100, 20, 3, 250, 11)[pair % 5]
    return {
        "seed": f"deck {pair}" if pair % 3 else pair,
        "seating": ("AB", "BA")[number % 2],
        "hands": 5 + pair % 3,
        "small_blind": (big_blind // 2, big_blind, 0)[pair % 7 % 3],
        "big_blind": big_blind,
        "ante": ante,
        "stack": deep * big_blind + ante + pair % 2,
        "stacks": ("reset", "carry")[pair % 11 % 2],
        "raise_cap": (None, None, 4, 1)[pair % 13 % 4],
        "warmup_hands": (0, 0, 2)[pair % 17 % 3],
        "max_retries": (2, 0, 1)[pair % 19 % 3],
        "max_actions": (200, 9)[pair % 23 % 2],
    }


def written(record: GameRecord) -> str:
    """Return what a record says of the chips and the faults of a game."""
    faults = " ".join(
        f"{each.player}:{each.hand_number}:{each.kind}:{each.attempt}:{each.forced_fold:d}" for each in record.faults
    )
    return f"net {record.net} hands {record.hands} each {record.hand_nets} faults {faults} {record.both_failed}"


def hashes(games: int = GAMES) -> Iterator[str]:
    """Yield a hash of all that happened in each hundred games."""
    for start in range(0, games, GAMES_PER_HASH):
        lines: list[str] = []
        for number in range(start, start + GAMES_PER_HASH):
            record = play_game((FixedAgent("A", lines), FixedAgent("B", lines)), **setting(number))
            lines.append(written(record))
        yield sha256("\n".join(lines).encode()).hexdigest()


if __name__ == "__main__":
    for line in hashes():
        print(line)

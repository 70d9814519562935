"""The protocol of the Annual Computer Poker Competition (ACPC), version 2.0.0: we are the dealer. Pure: no I/O.

Every line describes the hand as one position sees it: `MATCHSTATE:<position>:<hand>:<betting>:<cards>`. The big blind
is position 0. There is a line before every action of both seats, and one when the hand is over. The seat to act
answers with the same line, a colon and `f`, `c` or `r<size>`, where sizes count all chips since the hand began. Hands
come, and answers go, as the messages of our own protocol have them. Answers are neither guessed at nor repaired.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import OPEN_CARDS, STREETS

#: An observation or the result of a hand, as a program gets it.
Message: TypeAlias = Mapping[str, Any]

VERSION: Final = "VERSION:2.0.0"
_VERSION: Final = re.compile(rb"VERSION:2\.0\.[0-9]{1,9}")
_STATE: Final = re.compile(r"MATCHSTATE:[01]:[0-9]{1,10}:[fcr0-9/]*:[^:]*")
_RAISE: Final = re.compile(r"r([0-9]{1,16})")
_STREETS: Final[Sequence[str]] = STREETS
_SHOWN: Final = 80


def state_lines(seen: Message, first: int = 0) -> list[str]:
    """Return the states of a hand from number `first` on, as a seat saw them; state n is the one after n actions.

    The last state of an observation is the one to answer. A hand that ended with a free fold has no last state: there
    is no such thing in the protocol, and a bot that is told of one stops with an error.
    """
    over = seen["type"] == "handResult"
    states = len(seen["log"]) if over and _is_free_fold(seen["log"]) else len(seen["log"]) + 1
    return [_state_line(seen, at) for at in range(first, states)]


def _state_line(seen: Message, at: int) -> str:
    position, log, other = int(seen["seat"] == seen["button"]), seen["log"], ""
    if at < len(log):
        street = log[at]["street"]
    elif seen["type"] == "observation":
        street = seen["street"]
    elif seen["opponentCards"] is None:
        street = log[-1]["street"]
    else:
        street, other = "river", "".join(seen["opponentCards"])
    own, board = "".join(seen["cards"]), seen["board"][: OPEN_CARDS[street]]
    holes = f"{other}|{own}" if position else f"{own}|{other}"
    ends = [(shown, then) for shown, then in ((0, 3), (3, 4), (4, 5)) if then <= len(board)]
    cards = "/".join([holes, *("".join(board[shown:then]) for shown, then in ends)])
    return f"MATCHSTATE:{position}:{seen['handNumber'] - 1}:{_betting(log[:at], street)}:{cards}"


def _betting(log: Sequence[Message], street: str) -> str:
    """Write the actions so far; `street` is the one that is open, or the river after a showdown."""
    text, before, bet, at = "", 0, 0, _STREETS[0]
    for done in log:
        if done["street"] != at:  # the seat that closed a street had put in as much as the other
            at, before = done["street"], before + bet
            text += "/"
        bet = done["amount"]
        text += f"r{before + bet}" if done["kind"] == "raiseTo" else "f" if done["kind"] == "fold" else "c"
    return text + "/" * (_STREETS.index(street) - text.count("/"))


def _is_free_fold(log: Sequence[Message]) -> bool:
    """Return whether the last action is a fold where checking was free."""
    if not log or log[-1]["kind"] != "fold":
        return False
    *earlier, fold = log
    bets = [each["amount"] for each in earlier if each["street"] == fold["street"] and each["seat"] != fold["seat"]]
    # The first to act faces nothing, but the blind before the flop.
    return bool(bets[-1] == fold["amount"] if bets else fold["street"] != "preflop")


def is_version(line: bytes) -> bool:
    """Return whether a line begins the conversation; False for a comment. Raises AgentFailed for another version."""
    said = line.rstrip()
    if said.startswith((b"#", b";")):
        return False
    if not _VERSION.fullmatch(said):
        raise AgentFailed("unparsable", f"the first line is {_quoted(said)}: expected {VERSION}")
    return True


def read_action(line: bytes, seen: Message, question: str) -> dict[str, Any] | None:
    """Return kind and amount of a bot's answer to a state; raises AgentFailed if there is none, or it is not legal.

    None for lines that do not count: comments, and answers to other states, which the competition's dealer drops, too.
    """
    said = line.rstrip()
    if not said:
        raise AgentFailed("empty", "the answer is empty")
    if said.startswith((b"#", b";")):
        return None
    state, _, word = said.decode("ascii", "replace").rpartition(":")
    if state == question:
        return _action(word, seen)
    if _STATE.fullmatch(state):
        return None
    raise AgentFailed("unparsable", f"the answer is {_quoted(said)}: expected {question}: and f, c or r with a size")


def _action(word: str, seen: Message) -> dict[str, Any]:
    if word in ("f", "c"):
        return {"kind": "fold" if word == "f" else "call" if seen["toCall"] else "check"}
    found = _RAISE.fullmatch(word)
    if not found:
        said = _quoted(word.encode())
        raise AgentFailed("unparsable", f"the action is {said}: expected f, c or r with a size, such as r300")
    seat = seen["seat"]
    before = seen["startingStacks"][seat] - seen["stacks"][seat] - seen["bets"][seat]
    amount = int(found[1]) - before
    sizes = next(((each["min"], each["max"]) for each in seen["legal"] if each["kind"] == "raiseTo"), None)
    if sizes is None or not sizes[0] <= amount <= sizes[1]:
        legal = "f, c" if sizes is None else f"f, c, r{before + sizes[0]} to r{before + sizes[1]}"
        raise AgentFailed("illegal", f"{word} is not legal; legal: {legal}")
    return {"kind": "raiseTo", "amount": amount}


def _quoted(said: bytes) -> str:
    text = said.decode("utf-8", "replace")
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")

"""The protocol of the Annual Computer Poker Competition, version 2.0.0: we are the dealer. Pure: no I/O.

Every line describes the hand as one position sees it: `MATCHSTATE:<position>:<hand>:<betting>:<cards>`. There is one
before every action, whoever is to act, and one when the hand is over. Whoever is to act answers with the same line, a
colon and `f`, `c` or `r<size>`. Answers are neither guessed at nor repaired.
"""

import re
from collections.abc import Sequence
from typing import Final

from molt_bench.errors import AgentFailed
from molt_bench.poker.acpc_text import acpc_betting, acpc_cards
from molt_bench.poker.actions import CALL, CHECK, FOLD, OPEN_CARDS, Action, LoggedAction, Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.visible_text import shown

VERSION: Final = "VERSION:2.0.0"
LINE_END: Final = b"\r\n"
_VERSION: Final = re.compile(rb"VERSION:2\.0\.[0-9]{1,9}")
_STATE: Final = re.compile(r"MATCHSTATE:[01]:([0-9]{1,10}):([fcr0-9/]*):[^:]*")
_RAISE: Final = re.compile(r"r([0-9]{1,16})")


def state_lines(seen: Observation | HandResult, first: int = 0) -> list[str]:
    """Return the states of a hand from number `first` on, as a seat saw them; state n is the one after n actions.

    The last state of an observation is the one to answer. A hand that ended with a free fold has no last state: there
    is no such thing in the protocol, and a bot that is told of one stops with an error.
    """
    over = isinstance(seen, HandResult)
    states = len(seen.log) if over and _is_free_fold(seen.log) else len(seen.log) + 1
    return [_state_line(seen, at) for at in range(first, states)]


def _state_line(seen: Observation | HandResult, at: int) -> str:
    position = int(seen.seat == seen.button)
    own, other = cards_to_text(seen.cards), ""
    if at < len(seen.log):
        street = seen.log[at].street
    elif isinstance(seen, Observation):
        street = seen.street
    else:
        street, other = _end_of(seen)
    betting = acpc_betting(seen.log[:at], street)
    cards = acpc_cards((other, own) if position else (own, other), seen.board[: OPEN_CARDS[street]])
    return f"MATCHSTATE:{position}:{seen.hand_number - 1}:{betting}:{cards}"


def _end_of(outcome: HandResult) -> tuple[Street, str]:
    """Return the street on which a hand ended, and the other seat's cards as far as they were shown."""
    if outcome.opponent_cards is None:
        return outcome.log[-1].street, ""
    return "river", cards_to_text(outcome.opponent_cards)


def _is_free_fold(log: Sequence[LoggedAction]) -> bool:
    """Return whether the last action is a fold where checking was free."""
    if not log or log[-1].kind != "fold":
        return False
    *earlier, fold = log
    facing = [done.amount for done in earlier if done.street == fold.street and done.seat != fold.seat]
    if facing:
        return facing[-1] == fold.amount
    return fold.street != "preflop"  # the first to act faces nothing, but the blind before the flop


def read_version(line: bytes) -> bool | None:
    """Check the first line of a bot; None if it is a comment. Raises AgentFailed if it is of another version."""
    said = line.rstrip()
    if _is_comment(said):
        return None
    if not _VERSION.fullmatch(said):
        raise AgentFailed("unparsable", f"the first line is {_shown(said)}: expected {VERSION}")
    return True


def read_action(line: bytes, observation: Observation, question: str) -> Action | None:
    """Return the action in a bot's answer to a state; raises AgentFailed if there is none, or it is not legal.

    None for lines that do not count: comments, and answers to an earlier state.
    """
    said = line.rstrip()
    if not said:
        raise AgentFailed("empty", "the answer is empty")
    if _is_comment(said):
        return None
    state, _, word = said.decode("ascii", "replace").rpartition(":")
    if state == question:
        return _action(word, observation)
    if _is_earlier(state, question):
        return None
    raise AgentFailed("unparsable", f"the answer is {_shown(said)}: expected {question}: and f, c or r with a size")


def _is_comment(line: bytes) -> bool:
    return line.startswith((b"#", b";"))


def _is_earlier(state: str, question: str) -> bool:
    """Return whether a state is of an earlier hand, or of earlier in this one."""
    found, asked = _STATE.fullmatch(state), _STATE.fullmatch(question)
    if not found or not asked:
        return False
    hand, betting = int(found[1]), found[2]
    if hand != int(asked[1]):
        return hand < int(asked[1])
    return betting != asked[2] and asked[2].startswith(betting)


def _action(word: str, observation: Observation) -> Action:
    legal = observation.legal
    if word == "f":
        return FOLD
    if word == "c":
        return CALL if legal.to_call else CHECK
    found = _RAISE.fullmatch(word)
    if not found:
        raise AgentFailed("unparsable", f"the action is {shown(word)}: expected f, c or r with a size, such as r300")
    seat = observation.seat
    # Sizes count all chips since the hand began, and ours those of this street.
    before = observation.starting_stacks[seat] - observation.stacks[seat] - observation.bets[seat]
    action = Action("raiseTo", int(found[1]) - before)
    if not legal.allows(action):
        raise AgentFailed("illegal", f"{word} is not legal; legal: {_legal(observation, before)}")
    return action


def _legal(observation: Observation, before: int) -> str:
    legal = observation.legal
    if not legal.max_raise_to:
        return "f, c"
    return f"f, c, r{before + legal.min_raise_to} to r{before + legal.max_raise_to}"


def _shown(line: bytes) -> str:
    return shown(line.decode("utf-8", "replace"))

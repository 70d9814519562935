"""The lines a person types at the table, parsed into actions."""

import re
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.visible_text import shown

Request: TypeAlias = Literal["help", "log", "quit"]

#: What can be typed, and what it does.
HELP: Final = (
    ("f", "fold"),
    ("c", "call, or check if there is nothing to call"),
    ("k  x", "check"),
    ("r 600  600", "bet 600, or raise to a total of 600 chips"),
    ("r 3bb", "raise to three big blinds"),
    ("r half  r pot  r 75%", "raise by a share of the pot, counted after a call"),
    ("r min", "the minimum raise"),
    ("a  all", "all-in"),
    ("l", "show the hand so far"),
    ("q", "quit and show the result (also Ctrl-D and Ctrl-C)"),
)

_WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(("f", "fold"), "fold"),
    **dict.fromkeys(("c", "call"), "call"),
    **dict.fromkeys(("k", "x", "check"), "check"),
    **dict.fromkeys(("a", "all", "allin", "all-in", "all in", "shove", "jam"), "all-in"),
}
_REQUESTS: Final[dict[str, Request]] = {
    **dict.fromkeys(("?", "h", "help"), "help"),
    **dict.fromkeys(("l", "log"), "log"),
    **dict.fromkeys(("q", "quit", "exit"), "quit"),
}
_SIZES: Final = {"half": Fraction(1, 2), "pot": Fraction(1), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}
_RAISE: Final = re.compile(r"(?:raise|bet|r|b)\s*(?:to\s+)?(?P<size>.*)")
_CHIPS: Final = re.compile(r"(?P<chips>\d{1,18}(?:[,_]\d{3})*)")
_BIG_BLINDS: Final = re.compile(r"(?P<count>\d{1,9}(?:\.\d{1,4})?)\s*bb")
_SHARE: Final = re.compile(r"(?P<share>\d{1,4}(?:\.\d{1,4})?)\s*%(?:\s*pot)?|(?P<over>\d)/(?P<under>[1-9])(?:\s*pot)?")


class NotUnderstood(Exception):  # noqa: N818 - the person simply tries again
    """A line that is not a command, or not legal now; the message tells the person why."""


def parse_line(line: str, seen: Observation) -> Action | Request:
    """Parse one line, or raise NotUnderstood if it is neither a legal action nor a request."""
    text = " ".join(line.lower().split())
    if text in _REQUESTS:
        return _REQUESTS[text]
    word = _WORDS.get(text)
    if word is not None:
        return _parse_word(word, seen)
    raised = _RAISE.fullmatch(text)
    size = raised["size"] if raised else text
    if _WORDS.get(size) == "all-in":
        return _parse_word("all-in", seen)
    if not text:
        raise NotUnderstood("Type an action, or ? for help.")
    if not size:
        raise NotUnderstood("How much? For example r 600, r 3bb, r half or r pot.")
    amount = _parse_amount(size, seen)
    if amount is None:
        raise NotUnderstood(f"{shown(line.strip())} is not a command; type ? for help.")
    return _raise_to(amount, seen)


def _parse_word(word: str, seen: Observation) -> Action:
    legal = seen.legal
    if word == "fold":
        return FOLD
    if word == "check" and legal.to_call:
        raise NotUnderstood(f"You cannot check: {legal.to_call:,} to call. c calls, f folds.")
    if word in ("call", "check"):
        return CALL if legal.to_call else CHECK
    if legal.max_raise_to:
        return Action("raiseTo", legal.max_raise_to)
    if legal.to_call and (legal.to_call == seen.stack or not seen.opponent_stack):
        return CALL  # an all-in opponent cannot be raised
    raise NotUnderstood(_no_raise(seen))


def _parse_amount(size: str, seen: Observation) -> int | None:
    """Return a size as the street's total in chips; None if it is not a size."""
    facing = max(seen.bets)
    if size == "min":
        return seen.min_raise_to
    if size in _SIZES:
        return facing + int(_SIZES[size] * (seen.pot + seen.to_call))
    if share := _SHARE.fullmatch(size):
        part = Fraction(share["share"]) / 100 if share["share"] else Fraction(int(share["over"]), int(share["under"]))
        return facing + int(part * (seen.pot + seen.to_call))
    if blinds := _BIG_BLINDS.fullmatch(size):
        return int(Fraction(blinds["count"]) * seen.big_blind)
    if chips := _CHIPS.fullmatch(size):
        return int(re.sub("[,_]", "", chips["chips"]))
    return None


def _raise_to(amount: int, seen: Observation) -> Action:
    least, most = seen.min_raise_to, seen.max_raise_to
    if not most:
        raise NotUnderstood(_no_raise(seen))
    if amount > most:
        raise NotUnderstood(f"{amount:,} is more than you have: all-in (a) is {most:,}.")
    if amount < least:
        minimum = "the minimum raise is to" if max(seen.bets) else "the minimum bet is"
        raise NotUnderstood(f"{amount:,} is too small: {'all-in (a) is' if least == most else minimum} {least:,}.")
    return Action("raiseTo", amount)


def _no_raise(seen: Observation) -> str:
    passive = f"c calls {seen.to_call:,}" if seen.to_call else "c checks"
    why = "your opponent is all-in" if not seen.opponent_stack else "raising is closed"
    return f"You cannot raise: {why}. {passive}, f folds."

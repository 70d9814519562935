"""What a person types at the table, read as what they mean."""

import re
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from molt_bench.errors import shown
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation

Request: TypeAlias = Literal["help", "log", "quit"]

#: What can be typed, for people.
HELP: Final = (
    ("f", "fold"),
    ("c", "call, or check where nothing is to be called"),
    ("k  x", "check"),
    ("r 600  600", "bet 600, or raise to 600 chips in all on this street"),
    ("r 3bb", "raise to three big blinds"),
    ("r half  r pot  r 75%", "raise by so much of the pot as it is after your call"),
    ("r min", "the smallest raise"),
    ("a  all", "all-in"),
    ("l", "what has happened in this hand"),
    ("q", "quit and see the result; so do Ctrl-D and Ctrl-C"),
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


class Misheard(Exception):  # noqa: N818 - nobody's error
    """A line that is not understood, or that cannot be done now; its text says so in a friendly way."""


def understood(line: str, seen: Observation) -> Action | Request:
    """Read one line.

    Raises:
        Misheard: It is no legal action.
    """
    text = " ".join(line.lower().split())
    if text in _REQUESTS:
        return _REQUESTS[text]
    word = _WORDS.get(text)
    if word is not None:
        return _worded(word, seen)
    raised = _RAISE.fullmatch(text)
    size = raised["size"] if raised else text
    if _WORDS.get(size) == "all-in":
        return _worded("all-in", seen)
    if not text:
        raise Misheard("Type what to do, or ? for help.")
    if not size:
        raise Misheard("How much? Such as r 600, r 3bb, r half or r pot.")
    amount = _amount(size, seen)
    if amount is None:
        raise Misheard(f"{shown(line.strip())} is not understood; ? shows what is.")
    return _checked(amount, seen)


def _worded(word: str, seen: Observation) -> Action:
    legal = seen.legal
    if word == "fold":
        return FOLD
    if word == "check" and legal.to_call:
        raise Misheard(f"You cannot check: {legal.to_call:,} to call. c calls, f folds.")
    if word in ("call", "check"):
        return CALL if legal.to_call else CHECK
    if legal.max_raise_to:
        return Action("raiseTo", legal.max_raise_to)
    if legal.to_call and (legal.to_call == seen.stack or not seen.opponent_stack):
        return CALL  # whoever is all-in already cannot be raised
    raise Misheard(_no_raise(seen))


def _amount(size: str, seen: Observation) -> int | None:
    """Return the chips that a size means, as a total on this street; None where it means nothing."""
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


def _checked(amount: int, seen: Observation) -> Action:
    least, most = seen.min_raise_to, seen.max_raise_to
    if not most:
        raise Misheard(_no_raise(seen))
    if amount > most:
        raise Misheard(f"{amount:,} is more than you have: all-in is {most:,} (a).")
    if amount < least:
        smallest = "the smallest raise is to" if max(seen.bets) else "the smallest bet is"
        raise Misheard(f"{amount:,} is too little: {'all-in (a) is' if least == most else smallest} {least:,}.")
    return Action("raiseTo", amount)


def _no_raise(seen: Observation) -> str:
    passive = f"c calls {seen.to_call:,}" if seen.to_call else "c checks"
    why = "the other seat is all-in" if not seen.opponent_stack else "raising is over"
    return f"You cannot raise, {why}: {passive}, f folds."

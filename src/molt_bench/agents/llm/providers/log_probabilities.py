"""The odds of a model's action: what the first token of `kind` could have been, with the provider's log-probabilities.

Given everything the model wrote before it, this token is one draw with known probabilities. What follows from it is not
part of the draw: the rest of the word, the amount of a raise, a fault, the answer to a second question. So the luck of
the draw is taken out by the token alone, and the mean of what is taken out is 0 whatever comes after it.

Whether and how a token is corrected may depend only on what was known before it was drawn: the text so far, the list
of likely tokens, and the legal actions. It never depends on which token it was. Hence the rules here:

- A token counts wherever the text so far ends where the value of `kind` begins. A token that only opens the quotes is
  no draw of an action: the next one is looked at.
- The odds are those of the tokens on the list that begin one legal kind, scaled to add up to 1. Every other token (an
  illegal kind, no kind at all, one that is not on the list) is worth what these are worth on average, so that drawing
  it changes nothing. This makes the odds right also where the server bars tokens after computing its list.
- Some servers add the drawn token to their list where it is not among the likeliest. So a full list counts without its
  last place, which is the same list whether or not one was added. A shorter one has to be nearly complete.
- A list that does not add up is not used, whichever token was drawn.

One thing is assumed: a reply that never arrived was not lost because of its action.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import exp, fsum, isfinite
from typing import Final, TypeAlias

import msgspec

from molt_bench.poker.actions import KINDS, Action, Kind
from molt_bench.poker.observation import Observation

#: A token and its log-probability.
Listed: TypeAlias = tuple[str, float]
#: The tokens of a reply, each with the list of those that were likely in its place.
ReplyTokens: TypeAlias = Sequence[tuple[str, Sequence[Listed]]]

#: A text that ends where the value of `kind` begins, or just after its opening quote.
_AT_THE_KIND: Final = re.compile(r'(?<!\\)"kind"\s*:\s*("?)\Z')
#: How far such a text reaches back; white space may be long, but not that long.
_LOOK_BACK: Final = 200
#: Characters that are kept of a token.
_LONGEST_TOKEN: Final = 20
#: Tokens that are asked for.
MOST_LISTED: Final = 20
#: By how much the probabilities of a list may exceed 1, since providers round them.
_ROUNDING: Final = 1e-3
#: Most probability that may be missing on a list that is not full, relative to that of the legal kinds.
_MISSING: Final = 0.01


class Choice(msgspec.Struct, frozen=True, gc=False):
    """The token with which a model began its action, and what else was likely there.

    Attributes:
        token: The token; "" if it begins no kind of action.
        odds: The listed tokens that begin a kind of action, with their log-probabilities, likeliest first.
        other: The probability of all other listed tokens together.
        quoted: Whether the opening quote had been written before.
        full: Whether the list had as many tokens as were asked for.
    """

    token: str
    odds: tuple[Listed, ...]
    other: float
    quoted: bool
    full: bool = False


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """A draw at one decision: the policy it was drawn from, and the action that was drawn.

    Where the odds are those of the kind alone, a raise has the same nominal size in both, whatever it was to.

    Attributes:
        action: What was drawn; None if that is what was done.
    """

    policy: tuple[tuple[Action, float], ...]
    action: Action | None


def choice_of(tokens: ReplyTokens, reply: str) -> Choice | None:
    """Return the choice of a kind in a reply; None if there is none, or the list in its place cannot be right.

    >>> likely = [("call", -0.25), ("fold", -1.9), ('"', -3.9), ("x", -5.3)]
    >>> found = choice_of([('{"kind":', []), (' "', []), ("call", likely), ('"}', [])], '{"kind": "call"}')
    >>> found.token, found.odds, round(found.other, 4), found.quoted
    ('call', (('call', -0.25), ('fold', -1.9)), 0.0252, True)
    """
    written = "".join([token for token, _ in tokens])
    start = max(written.rfind(reply), 0)  # a server may list the tokens of hidden thoughts as well
    at = 0
    for token, likely in tokens:
        found = _AT_THE_KIND.search(written, max(start, at - _LOOK_BACK), at) if at >= start else None
        if found is not None:
            quoted = bool(found[1])
            if _said(token, quoted=quoted) != "":
                return _checked(token, likely, quoted=quoted)
        at += len(token)
    return None


def _checked(token: str, likely: Sequence[Listed], *, quoted: bool) -> Choice | None:
    if not likely or not all(isfinite(chance) and chance <= _ROUNDING for _, chance in likely):
        return None
    full = len(likely) >= MOST_LISTED
    ranked = sorted([(_cut(name, quoted=quoted), chance) for name, chance in likely], key=lambda each: -each[1])
    listed = ranked[: MOST_LISTED - 1] if full else ranked
    if fsum(exp(chance) for _, chance in listed) > 1 + _ROUNDING:
        return None
    odds = tuple(each for each in listed if _begun(each[0], KINDS, quoted=quoted))
    other = fsum(exp(chance) for name, chance in listed if not _begun(name, KINDS, quoted=quoted))
    drawn = _cut(token, quoted=quoted)
    return Choice(drawn if _begun(drawn, KINDS, quoted=quoted) else "", odds, other, quoted, full)


def _cut(token: str, *, quoted: bool) -> str:
    """Return a token without what comes after the word, and without any end if it is too long for a word."""
    opening, quote, rest = ("", "", token) if quoted else token.partition('"')
    word, closing, _ = rest.partition('"')
    return f"{opening}{quote}{word}{closing}"[:_LONGEST_TOKEN]


def _said(token: str, *, quoted: bool) -> str | None:
    """Return what a token says of the kind; "" if it only opens the quotes, None if it cannot be a value of it."""
    if quoted:
        return token
    text = token.lstrip()
    if not text:
        return ""
    return text[1:] if text.startswith('"') else None


def _begun(token: str, kinds: Iterable[Kind], *, quoted: bool) -> tuple[Kind, ...]:
    """Return the kinds that a token may begin; it may also hold all of one, and what comes after."""
    said = _said(token, quoted=quoted)
    if not said:
        return ()
    word, closing, _ = said.partition('"')
    return tuple(kind for kind in kinds if (kind == word if closing else kind.startswith(word)))


class RecordedDraws:
    """The draws of one model in one game, by hand and by the number of actions before the decision.

    Attributes:
        used: What was drawn at each decision that was looked up; None where that is not known.
    """

    def __init__(self, choices: Mapping[tuple[int, int], Choice]) -> None:
        self._choices = choices
        self.used: dict[tuple[int, int], Drawn | None] = {}

    def at(self, seen: Observation) -> Drawn | None:
        """Return what was drawn at a decision; None if it is not known, or was no legal kind."""
        place = seen.hand_number, len(seen.log)
        if place not in self.used:
            choice = self._choices.get(place)
            self.used[place] = drawn_at(choice, seen) if choice is not None else None
        return self.used[place]


def drawn_at(choice: Choice, seen: Observation) -> Drawn | None:
    """Return a choice as a draw from the legal kinds; None if the odds do not say enough, or it was none of these."""
    legal = seen.legal.kinds
    chances = dict.fromkeys(legal, 0.0)
    drawn = None
    for token, chance in choice.odds:
        # No two legal kinds begin with the same letter, so there is at most one.
        for kind in _begun(token, legal, quoted=choice.quoted):
            chances[kind] += exp(chance)
            drawn = kind if token == choice.token else drawn
    known = fsum(chances.values())
    missing = 1 - choice.other - fsum(exp(chance) for _, chance in choice.odds)
    if drawn is None or (missing > _MISSING * known and not choice.full):
        return None
    policy = tuple((_nominal(kind, seen), chance / known) for kind, chance in chances.items() if chance > 0)
    return Drawn(policy, _nominal(drawn, seen))


def _nominal(kind: Kind, seen: Observation) -> Action:
    """Return an action of a kind; a raise is one of the size of the pot, as far as that is legal."""
    if kind != "raiseTo":
        return Action(kind)
    pot_sized = seen.bets[seen.seat] + 2 * seen.to_call + seen.pot
    return Action(kind, min(max(pot_sized, seen.min_raise_to), seen.max_raise_to))

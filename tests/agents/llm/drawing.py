"""Models at the test provider that draw their action from stated odds, and report log-probabilities on the wire."""

import re
from collections.abc import Callable
from math import log

from molt_bench.seeds import derive
from tests.agents.llm.wire import Spoken

#: How the value of `kind` is cut into tokens.
STYLES = ("plain", "glued", "split", "closed")
RANKS = "23456789TJQKA"


def unit(*labels):
    """Return a number from 0 to 1 that looks random and is the same in every run."""
    return derive("unit", *labels) / 2**256


def by_strength(prompt):
    """Return odds that bet more with high cards and pairs, for whatever is legal."""
    cards = re.findall(r"^Your cards: (\S)\S (\S)\S", prompt, re.MULTILINE)[-1]
    first, second = (RANKS.index(card) for card in cards)
    strength = min(1.0, (first + second) / 24 + 0.4 * (first == second))
    legal = legal_in(prompt)
    passive = "call" if "call" in legal else "check"
    odds = {"fold": 0.35 * (1 - strength) if passive == "call" else 0.01, "raiseTo": 0.1 + 0.5 * strength}
    if "raiseTo" not in legal:
        odds["raiseTo"] = 0.0
    odds[passive] = 1 - sum(odds.values())
    return {kind: chance for kind, chance in odds.items() if chance > 0}


def legal_in(prompt):
    return re.findall(r"^Legal actions: (.*)$", prompt, re.MULTILINE)[-1]


def pick(odds, roll):
    """Return the kind that a number from 0 to 1 draws."""
    for kind, chance in odds.items():
        roll -= chance
        if roll < 0:
            return kind
    return max(odds, key=odds.get)


def tempered(odds, temperature):
    """Return odds at another temperature."""
    powers = {kind: chance ** (1 / temperature) for kind, chance in odds.items()}
    return {kind: power / sum(powers.values()) for kind, power in powers.items()}


class Drawer:
    """A model that draws.

    Args:
        odds: From a prompt to the odds that it reports.
        draws: From those to the odds that it draws with; the same for an honest model.
        style: How tokens are cut.
        salt: Another one draws otherwise.
        spoil: From the list of the drawn token to the one that is reported.
        faults: How often a raise has an illegal amount.
    """

    def __init__(
        self,
        *,
        odds: Callable = by_strength,
        draws: Callable = lambda odds: odds,
        style: str = "plain",
        salt: str = "",
        spoil: Callable = lambda likely: likely,
        faults: float = 0.0,
    ):
        self.odds, self.draws, self.style, self.salt, self.spoil, self.faults = odds, draws, style, salt, spoil, faults
        self.drawn = []

    def __call__(self, prompt, body):
        odds = self.odds(prompt)
        kind = pick(self.draws(odds), unit("kind", self.salt, prompt))
        self.drawn.append((kind, odds))
        amount = "null"
        legal = re.search(r"raiseTo (\d+)(?:\.\.(\d+))?", legal_in(prompt))
        if kind == "raiseTo":
            low, high = int(legal[1]), int(legal[2] or legal[1])
            amount = str(low + int(unit("amount", self.salt, prompt) * (min(high, 5 * low) - low + 1)))
            if unit("fault", self.salt, prompt) < self.faults and "not taken" not in prompt:
                amount = "1"
        tail = [(f', "amount": {amount}, "reasoning": "', []), ("So it goes.", []), ('"}', [])]
        return Spoken([('{"', []), ("kind", []), ('":', []), *self._value(kind, odds), *tail])

    def _value(self, kind, odds):
        """Return the tokens of the value."""
        chances = {name: log(chance) for name, chance in odds.items()}
        if self.style == "plain":
            return [(' "', [(' "', -0.01)]), (kind, self.spoil([*chances.items()])), ('"', [])]
        if self.style == "glued":
            return [(f' "{kind}', self.spoil([(f' "{name}', each) for name, each in chances.items()])), ('"', [])]
        if self.style == "closed":
            return [(f'"{kind}"', self.spoil([(f'"{name}"', each) for name, each in chances.items()]))]
        first = [(name[0], each) for name, each in chances.items()]
        return [(' "', []), (kind[0], self.spoil(first)), (kind[1:], [(kind[1:], 0.0)]), ('"', [])]

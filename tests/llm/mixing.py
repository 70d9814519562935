"""Models at the test provider that state a strategy, by their cards, and leave the draw to the bench."""

import json
import re

from tests.llm.wire import legal_in

RANKS = "23456789TJQKA"


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


def strategy_for(prompt):
    """Return a mix of folding, calling or checking, and two sizes of raises, for whatever is legal."""
    odds = by_strength(prompt)
    legal = re.search(r"raiseTo (\d+)(?:\.\.(\d+))?", legal_in(prompt))
    percents = {kind: round(100 * chance) for kind, chance in odds.items() if kind != "raiseTo"}
    listed = [{"kind": kind, "amount": None, "percent": percent} for kind, percent in percents.items()]
    left = 100 - sum(percents.values())
    if legal is None:
        listed[-1]["percent"] += left
        return listed
    low, high = int(legal[1]), int(legal[2] or legal[1])
    sizes = {low: left // 3}
    large = min(high, 4 * low)
    sizes[large] = sizes.get(large, 0) + left - left // 3 if large != low else left
    return [*listed, *({"kind": "raiseTo", "amount": size, "percent": share} for size, share in sizes.items())]


def mixing(prompt, _body=None):
    """Reply with a strategy."""
    return {"reasoning": "Who knows?", "strategy": strategy_for(prompt)}


def stated(*shares, **more):
    """Return a reply as text: each share is a kind, an amount or None, and a percentage."""
    listed = [dict(zip(("kind", "amount", "percent"), share, strict=True)) for share in shares]
    return json.dumps({"reasoning": "r", "strategy": listed, **more})

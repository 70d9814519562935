"""Models at the test provider that state a strategy, by their cards, and leave the draw to the bench."""

import json
import re

from tests.agents.llm.drawing import by_strength, legal_in


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

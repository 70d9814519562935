"""`blueprint` and `resolver` of earlier bench versions have the probabilities that they had then, to the last bit."""

from hashlib import sha256

import pytest

from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.earlier import LAST, EarlierBlueprint, EarlierResolver, as_played, of_version
from molt_bench.agents.blueprint.resolver import ResolverAgent
from molt_bench.agents.kinds import make_agent
from tests.agents.blueprint.odd_hands import decisions, observations

#: Of bench version 14, as its own tests had them.
BLUEPRINT, RESOLVER = "ec36e2ac6a3d30c8", "d06919f80bf0c1ee"


def digest(bot, spots):
    lines = [f"{action.kind} {action.amount} {chance.hex()}" for seen in spots for action, chance in bot.policy(seen)]
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def test_the_blueprint_plays_as_it_did():
    bot = EarlierBlueprint(seed="tests")
    assert digest(bot, observations(300, bot, start=10_000)) == BLUEPRINT


@pytest.mark.slow
def test_the_resolver_plays_as_it_did():
    bot, found, number = EarlierResolver(seed="tests"), [], 0
    while sum(seen.street == "river" for seen in found) < 12:
        found += [seen for seen, _ in decisions(number, bot)]
        number += 1
    assert digest(bot, [seen for seen in found if seen.street == "river"]) == RESOLVER


@pytest.mark.parametrize(("now", "then"), [(BlueprintAgent, EarlierBlueprint), (ResolverAgent, EarlierResolver)])
def test_policies_of_a_run_are_those_of_its_version(now, then):
    policies = {"a": now().policy, "b": make_agent("tag").policy}
    assert type(of_version(policies, LAST)["a"].__self__) is type(as_played(now(), LAST)) is then
    assert type(as_played(now(), LAST + 1)) is now
    assert of_version(policies, LAST)["b"] == policies["b"]
    assert of_version(policies, LAST + 1) == policies

"""What a game was worth with and without the odds that its players state, and the evidence against these odds.

Whether stated odds are used is decided for a whole run (`bench.refused_policies`). So every game is estimated in
each way that may be needed.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from msgspec.structs import replace

from molt_bench.agents.llm.strategy import StatedDraws
from molt_bench.luck.dice.draws import Policies
from molt_bench.luck.dice.stated_policy import PATIENCE_S, Stalled, StatedPolicy, patiently
from molt_bench.luck.dice.stated_policy_check import Evidence
from molt_bench.luck.dice.stated_policy_evidence import GameEvidence
from molt_bench.luck.estimators import Estimates, game_estimates
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import GameRecord


def all_estimates(
    record: GameRecord,
    policies: Policies,
    *,
    hands: Sequence[PlayedHand] = (),
    averaged: bool = False,
) -> Estimates:
    """Return what player A won with all policies; and with fewer of those that are an agent's own word.

    For `hands` and `averaged` see `game_estimates`.
    """
    words = [at for at, policy in enumerate(policies) if isinstance(policy, StatedPolicy | StatedDraws)]
    stated = [policy for policy in policies if isinstance(policy, StatedPolicy)]
    if not words:
        return game_estimates(record, policies, hands=hands, averaged=averaged)
    for policy in stated:
        policy.begin(record.spec)
    compute = partial(_in_all_ways, record, policies, tuple(words), hands=hands, averaged=averaged)
    if not stated:
        return compute()
    try:
        if any(policy.stalled for policy in stated):
            raise Stalled
        found = patiently(compute, policies)
        first, second = (policy.unanswered if isinstance(policy, StatedPolicy) else 0 for policy in policies)
        return replace(found, unanswered=(first, second))
    except Stalled:
        return _without_stalled(record, policies, averaged=averaged)
    finally:
        for policy in stated:
            if averaged:
                policy.keep(record.spec)  # the match is looked at again, by stand-ins
            else:
                policy.forget()


def _in_all_ways(
    record: GameRecord,
    policies: Policies,
    words: tuple[int, ...],
    *,
    hands: Sequence[PlayedHand],
    averaged: bool,
) -> Estimates:
    evidence = GameEvidence(record, policies)
    found: dict[frozenset[int], Estimates] = {}
    for count in range(len(words), -1, -1):  # with all of them first: what is asked first counts
        for used in combinations(words, count):
            first, second = (policy if at in used or at not in words else None for at, policy in enumerate(policies))
            found[frozenset(used)] = game_estimates(
                record,
                (first, second),
                hands=hands,
                averaged=averaged,
                evidence=evidence if count == len(words) else None,
            )
    return replace(found[frozenset(words)], without=found, evidence=evidence.found())


def _without_stalled(record: GameRecord, policies: Policies, *, averaged: bool) -> Estimates:
    """Return the same without policies that gave no answer in time."""
    gone = {at for at, policy in enumerate(policies) if isinstance(policy, StatedPolicy) and policy.stalled}
    words = {at for at, policy in enumerate(policies) if isinstance(policy, StatedPolicy | StatedDraws)}
    first, second = (None if at in gone else policy for at, policy in enumerate(policies))
    rest = all_estimates(record, (first, second), averaged=averaged)
    ways = [frozenset(used) for count in range(len(words) + 1) for used in combinations(sorted(words), count)]
    evidence = [
        Evidence(refuted=f"its policy gave no answer within {PATIENCE_S:g} seconds") if at in gone else each
        for at, each in enumerate(rest.evidence)
    ]
    return replace(rest, without={used: rest.using(used - gone) for used in ways}, evidence=(evidence[0], evidence[1]))

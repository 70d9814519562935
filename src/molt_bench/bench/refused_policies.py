"""Policies that are refused for a whole run: the odds that participants state, tested match by match."""

from collections.abc import Collection, Mapping
from itertools import combinations

import msgspec

from molt_bench.luck.dice.stated_policy_check import Evidence
from molt_bench.records import Margins, possible_margins


class MatchVariant(msgspec.Struct, frozen=True, rename="camel"):
    """The margins of a match with the odds of some participants.

    Attributes:
        used: Whose odds are used, among those whose odds are their own word.
        margins_mbb: The margins of its seed pairs, by estimator.
    """

    used: tuple[str, ...]
    margins_mbb: Margins


class UnusedPolicy(msgspec.Struct, frozen=True, rename="camel"):
    """In how many games of a match the policy of a bot was not used, and why not in the first of them."""

    games: int
    why: str


class MatchAccount(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What was worked out about a match when it was rated, so that nobody has to work it out again.

    Attributes:
        variants: Its margins in every way that a later refusal may ask for.
        evidence: The evidence of this match against the odds that participants state.
        unused: The bots whose policy was not used in some of its games.
        unanswered: How often looking ahead got no answer that can be right, by bot whose policy was asked.
    """

    variants: tuple[MatchVariant, ...]
    evidence: Mapping[str, Evidence] = {}
    unused: Mapping[str, UnusedPolicy] = {}
    unanswered: Mapping[str, int] = {}

    def by_used(self) -> dict[frozenset[str], Margins]:
        """Return the margins by whose odds are used."""
        return {frozenset(each.used): each.margins_mbb for each in self.variants}

    def fits(self, words: Collection[str], seeds: int) -> bool:
        """Return whether it can be that of a match over so many seeds, with the odds of these participants."""
        found = self.by_used()
        ways = [frozenset(used) for count in range(len(words) + 1) for used in combinations(sorted(words), count)]
        return (
            len(self.variants) == len(found)
            and found.keys() == set(ways)
            and all(possible_margins(each, seeds) for each in found.values())
            and self.evidence.keys() <= {*words}
            and all(each.possible for each in self.evidence.values())
            and all(count > 0 for count in self.unanswered.values())
        )


class StatedOdds:
    """Adds up the evidence against stated odds, and refuses those that fail the test for the whole run.

    Attributes:
        refused: Participants whose odds are not used, with what was found.
    """

    def __init__(self) -> None:
        self._evidence: dict[str, Evidence] = {}
        self.refused: dict[str, str] = {}

    def judge(self, match: Mapping[str, Evidence]) -> None:
        """Add the evidence of a match that is being rated."""
        for name, evidence in match.items():
            self._evidence[name] = found = self._evidence.get(name, Evidence()).plus(evidence)
            if found.fails:
                self.refused.setdefault(name, found.worst())

    def warnings(self) -> list[str]:
        """Return a warning for each participant whose odds are not used, or not everywhere."""
        found = [
            f"{name}: it does not play by its published probabilities, so they are not used in this run: {why}"
            for name, why in self.refused.items()
        ]
        for name, evidence in self._evidence.items():
            if evidence.left_out and name not in self.refused:
                count = evidence.left_out
                found.append(
                    f"{name}: its published probabilities could not be used at {count:,} "
                    f"{'decision' if count == 1 else 'decisions'}; the first time: {evidence.why}"
                )
        return found

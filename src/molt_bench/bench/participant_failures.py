"""How often participants failed to answer, who failed so often that it did not really play, and who has left."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from molt_bench.records import MatchResult
from molt_bench.specs import MOST_FORFEITS

#: A participant without a usable answer in more than this share of its hands did not really play.
_HELPLESS: Final = 0.5


class Failures(msgspec.Struct, frozen=True):
    """How often one participant failed.

    Attributes:
        hands: Hands it was dealt, warm-up included.
        faulty: Hands in which it made a fault.
        unanswered: Hands without a usable answer: folded after its last retry, or in a game in which both failed.
        forfeited: Games that it forfeited, since it stayed away.
    """

    hands: int = 0
    faulty: int = 0
    unanswered: int = 0
    forfeited: int = 0

    @property
    def share(self) -> float:
        """Share of its hands in which it made a fault."""
        return self.faulty / self.hands if self.hands else 0.0

    @property
    def helpless(self) -> bool:
        """Whether it failed to answer so often that it did not really play."""
        return self.unanswered > _HELPLESS * self.hands


def failures_of(matches: Iterable[MatchResult]) -> dict[str, Failures]:
    """Return the failures of each participant that has played, in order of their first games."""
    found: dict[str, Failures] = {}
    for match in matches:
        add_failures(found, match)
    return found


def add_failures(found: dict[str, Failures], match: MatchResult) -> None:
    """Add the failures of both participants in a match."""
    games = match.games
    hands = sum([game.dealt for game in games])
    failed = [game for game in games if game.faults or game.both_failed]
    for player, name in enumerate(match.participants):
        before = found.get(name, Failures())
        faulty, unanswered, forfeited = before.faulty, before.unanswered, before.forfeited
        for game in failed:
            own = [each for each in game.faults if each.player == player]
            lost = game.hands if game.both_failed else 0
            # A failure before the first hand counts as a fault in that hand.
            faulty += len({max(1, fault.hand_number) for fault in own})
            unanswered += max(sum(fault.forced_fold for fault in own), lost)
            forfeited += any(fault.kind == "forfeit" for fault in own)
        found[name] = Failures(before.hands + hands, faulty, unanswered, forfeited)


def left_the_run(failures: Mapping[str, Failures]) -> frozenset[str]:
    """Return who has forfeited so many games that the run goes on without it."""
    return frozenset(name for name, found in failures.items() if found.forfeited >= MOST_FORFEITS)

"""The margins of each match: worked out when it is rated, and recorded, so that nobody has to work them out again."""

from collections.abc import MutableMapping

from molt_bench.errors import JournalError
from molt_bench.luck.estimators import Estimates, game_estimates, margins_of
from molt_bench.records import GameRecord, Margins, MatchResult, possible_margins
from molt_bench.specs import GameSpec


class MatchMargins:
    """Works out the margins of the matches of a run.

    Attributes:
        differing: Numbers of matches whose recorded margins are not what was found.

    Args:
        big_blind: In chips.
        recount: Whether margins that were recorded are worked out as well, and compared.
    """

    def __init__(self, *, big_blind: int, recount: bool = False) -> None:
        self._big_blind = big_blind
        self._recount = recount
        self.differing: list[int] = []

    def of(
        self,
        number: int,
        result: MatchResult,
        estimates: MutableMapping[GameSpec, Estimates],
        recorded: Margins | None = None,
    ) -> Margins:
        """Return the margins of a match.

        `estimates` has what was won in some of its games, which are taken out of it; `recorded` is what was found when
        it was rated: that counts. Raises JournalError if it cannot be that of this match.
        """

        def estimated(game: GameRecord) -> Estimates:
            return estimates.pop(game.spec, None) or game_estimates(game)

        if recorded is None:
            return margins_of(result, big_blind=self._big_blind, estimated=estimated)
        chips = margins_of(result, big_blind=self._big_blind, estimated=_chips)["raw"]
        if not possible_margins(recorded, len(result.seed_results)) or recorded["raw"] != chips:
            raise JournalError(f"the recorded margins of match {number} are not what its games give")
        if self._recount and recorded != margins_of(result, big_blind=self._big_blind, estimated=estimated):
            self.differing.append(number)
        return recorded


def _chips(game: GameRecord) -> Estimates:
    return Estimates(game.net[0], 0.0, 0.0)

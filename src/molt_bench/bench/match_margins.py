"""The margins of each match: worked out when it is rated, and recorded, so that they are worked out once.

Where a run has plug-ins that take out luck, the first one that has a term for a match speaks alone, and the core where
none has. The term of a match is fixed before it is played.
"""

from collections import deque
from collections.abc import Mapping, MutableMapping, Sequence
from math import isfinite

from msgspec.structs import replace

from molt_bench.errors import JournalError
from molt_bench.luck.estimators import Estimates, game_estimates, margins_of
from molt_bench.plugin import ComingMatch, CoreResult, Luck, Term
from molt_bench.records import GameRecord, Margins, MatchResult, Registered, possible_margins
from molt_bench.specs import GameSpec


class MatchMargins:
    """Works out the margins of the matches of a run.

    Attributes:
        differing: Numbers of matches whose recorded margins are not what was found.
        problems: What plug-ins did wrong; such a plug-in has no say any more.

    Args:
        big_blind: In chips.
        luck: Plug-ins in the order in which they are asked.
        recount: Whether margins that were recorded are worked out as well, and compared.
    """

    def __init__(self, *, big_blind: int, luck: Mapping[Registered, Luck] | None = None, recount: bool = False) -> None:
        self._big_blind = big_blind
        self._luck = dict(luck or {})
        self._recount = recount
        self._terms: dict[int, tuple[Registered, Term] | None] = {}
        self.differing: list[int] = []
        self.problems: list[str] = []

    def of(
        self,
        match: ComingMatch,
        result: MatchResult,
        estimates: MutableMapping[GameSpec, Estimates],
        recorded: Margins | None = None,
    ) -> Margins:
        """Return the margins of a match.

        `estimates` has what `estimated` found in some of its games, which are taken out of it; `recorded` is what was
        found when it was rated: that counts. Raises JournalError if it cannot be that of this match.
        """

        def found(game: GameRecord) -> Estimates:
            known = estimates.pop(game.spec, None)
            if known is None:
                if not self._recount:  # then it was just played
                    deque(game.replay(), maxlen=0)  # a hand that cannot have happened is an error
                known = self.estimated(match, game, game_estimates(game))
            return known

        margins = recorded
        if margins is None:
            margins = margins_of(result, big_blind=self._big_blind, estimated=found)
        else:
            chips = margins_of(result, big_blind=self._big_blind, estimated=_chips)["raw"]
            if not possible_margins(margins, len(result.seed_results)) or margins["raw"] != chips:
                raise JournalError(f"the recorded margins of match {match.number} are not what its games give")
            if self._recount and margins != margins_of(result, big_blind=self._big_blind, estimated=found):
                self.differing.append(match.number)
        self._tell(match, result.games)
        return margins

    def estimated(self, match: ComingMatch, game: GameRecord, core: Estimates) -> Estimates:
        """Return what player A won in a game of a match: by the term of the match, or else by the core."""
        spoken = self._term(match)
        if spoken is None:
            return core
        try:
            value = float(spoken[1].value(game, CoreResult(core.raw, core.without_cards, core.adjusted)))
            if not isfinite(value):
                raise ValueError(f"its value of a game is {value}")
        except Exception as error:  # foreign code: it may raise anything
            self._drop(spoken[0], error)
            return core
        return replace(core, adjusted=value)

    def term_of(self, number: int) -> Registered | None:
        """Return which plug-in's term was used in a match, once, if any was."""
        spoken = self._terms.pop(number, None)
        return None if spoken is None else spoken[0]

    def _term(self, match: ComingMatch) -> tuple[Registered, Term] | None:
        if match.number not in self._terms:
            self._terms[match.number] = self._asked(match)
        spoken = self._terms[match.number]
        return spoken if spoken is not None and spoken[0] in self._luck else None

    def _asked(self, match: ComingMatch) -> tuple[Registered, Term] | None:
        for registered, luck in [*self._luck.items()]:
            try:
                term = luck.before(match)
            except Exception as error:  # as above
                self._drop(registered, error)
                continue
            if term is not None:
                return registered, term
        return None

    def _tell(self, match: ComingMatch, games: Sequence[GameRecord]) -> None:
        for registered, luck in [*self._luck.items()]:
            try:
                luck.rated(match, games)
            except Exception as error:  # as above
                self._drop(registered, error)

    def _drop(self, registered: Registered, error: Exception) -> None:
        del self._luck[registered]
        said = " ".join(f"{type(error).__name__}: {error}".split())
        self.problems.append(f"the plug-in {registered} failed, and was not used from then on: {said}")


def _chips(game: GameRecord) -> Estimates:
    return Estimates(game.net[0], 0.0, 0.0)

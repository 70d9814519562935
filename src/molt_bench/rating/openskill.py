"""OpenSkill ratings by the Plackett-Luce model (Weng and Lin 2011, as implemented by the package `openskill`).

A rating is a belief: the skill is Normal(mu, sigma). Every match moves both players' beliefs by who won, nothing else.

Two probabilities must not be confused. `superiority` is the probability that A's skill is above B's, and nears 1 as
matches allow. `predict_win_prob` is the probability that A wins the *next match*: it includes the luck of a match
(beta), so for close agents it never reaches 95%, however well their skills are known.
"""

from collections.abc import Iterable, Mapping
from math import erf, sqrt
from typing import Any, Final

from openskill import models as openskill_models

from molt_bench.errors import ConfigError
from molt_bench.records import Rating, RatingChange, Winner

DEFAULT_MU: Final = 25.0
DEFAULT_SIGMA: Final = 25.0 / 3.0
#: Beyond so many sigmas from 0, exponentials of mu would overflow.
_FARTHEST: Final = 200


class Ratings:
    """The ratings of all participants; updates apply in the order they arrive.

    Args:
        participants: All participants, in the order that breaks ties.
        mu: Mean of the belief before the first match.
        sigma: Its standard deviation.
        initial: Initial beliefs that differ, by participant.

    Examples:
        >>> ratings = Ratings(["tight", "random"])
        >>> change = ratings.update("tight", "random", "A")
        >>> [(rating.id, round(rating.mu, 2), rating.wins) for rating in ratings.leaderboard()]
        [('tight', 27.64, 1), ('random', 22.36, 0)]
        >>> round(ratings.predict_win_prob("tight", "random"), 2)
        0.66
    """

    def __init__(
        self,
        participants: Iterable[str],
        *,
        mu: float = DEFAULT_MU,
        sigma: float = DEFAULT_SIGMA,
        initial: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        # tau would add doubt before every match, so no belief could become certain. beta and kappa keep their default
        # proportion to sigma and mu.
        self._model: Any = openskill_models.PlackettLuce(mu=mu, sigma=sigma, beta=sigma / 2, tau=0.0)
        starts = initial or {}
        self._ratings = {name: Rating(name, *starts.get(name, (mu, sigma))) for name in participants}
        for rating in self._ratings.values():
            if abs(rating.mu) > _FARTHEST * sigma:
                field = f"{rating.id}: initialRating.mu" if rating.id in starts else "rating.mu0"
                expected = f"at most {_FARTHEST} times rating.sigma0 ({sigma:g}) away from 0"
                raise ConfigError(field, rating.mu, expected)

    def __getitem__(self, participant: str) -> Rating:
        return self._ratings[participant]

    def update(self, first: str, second: str, winner: Winner) -> RatingChange:
        """Update the ratings by one match."""
        before = self._ratings[first], self._ratings[second]
        ranks = {"A": [1, 2], "B": [2, 1], "draw": [1, 1]}[winner]
        rated = self._model.rate(self._teams(*before), ranks=ranks)
        after = []
        for side, rating in enumerate(before):
            won = winner == "AB"[side]
            drawn = winner == "draw"
            new = Rating(
                rating.id,
                rated[side][0].mu,
                rated[side][0].sigma,
                rating.matches + 1,
                rating.wins + won,
                rating.losses + (not won and not drawn),
                rating.draws + drawn,
            )
            self._ratings[rating.id] = new
            after.append(new)
        return RatingChange(before, (after[0], after[1]))

    def leaderboard(self) -> list[Rating]:
        """Return all ratings, highest mu first; ties keep the order of the participants."""
        return sorted(self._ratings.values(), key=lambda rating: -rating.mu)

    def predict_win_prob(self, first: str, second: str) -> float:
        """Return the probability that `first` wins the next match, luck included."""
        return float(self._model.predict_win(self._teams(self._ratings[first], self._ratings[second]))[0])

    def superiority(self, first: str, second: str) -> float:
        """Return the probability that the skill of `first` is above that of `second`."""
        one, two = self._ratings[first], self._ratings[second]
        return normal_cdf((one.mu - two.mu) / sqrt(one.sigma**2 + two.sigma**2))

    def _teams(self, one: Rating, two: Rating) -> list[list[Any]]:
        return [[self._model.rating(mu=rating.mu, sigma=rating.sigma)] for rating in (one, two)]


def normal_cdf(value: float) -> float:
    """Return the cumulative standard normal distribution at `value`."""
    return (1 + erf(value / sqrt(2))) / 2

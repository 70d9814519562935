"""A reference whose values can be worked out by hand, for tests of grades."""

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action


class StandIn:
    """Considers a fold, a call or check and some raises; `worth` says what each is worth in chips.

    Attributes:
        asked: The observations it was asked about.
    """

    def __init__(self, worth=lambda done, seat: 0.0, sizes=(300, 600)):
        self.asked = []
        self._worth = worth
        self._sizes = sizes

    def covers(self, seen):
        """Return that it has values for everything."""
        return True

    def raises(self, seen):
        """Return that it knows raises everywhere."""
        return True

    def odds(self, seen):
        """Return every action, the first raise or the call for certain."""
        self.asked.append(seen)
        sizes = [size for size in self._sizes if seen.min_raise_to <= size <= seen.max_raise_to]
        actions = [FOLD, CALL if seen.to_call else CHECK, *[Action("raiseTo", size) for size in sizes]]
        return [(action, float(at == 1)) for at, action in enumerate(actions)]

    def hand_value(self, state, seat, hole):
        """Return the same value for every hole."""
        return float(self._worth(state.log[-1], seat))

"""Players that state mixes."""

from molt_bench import Mix
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import Action


class Stater:
    """Mixes by the ranks held and paired: the stronger and the bolder, the more is raised."""

    def __init__(self, name="stater", boldness=1.0):
        self.name, self._boldness = name, boldness

    def act(self, seen):
        """State a mix."""
        ranks = [card >> 2 for card in seen.cards]
        paired = ranks[0] == ranks[1] or any(rank in [card >> 2 for card in seen.board] for rank in ranks)
        strength = min(sum(ranks) / 24 * 0.6 + 0.4 * paired, 1.0)
        raised = round(self._boldness * 60 * strength) if seen.max_raise_to else 0
        folded = min(round(70 * (1 - strength)), 100 - raised) if seen.to_call else 0
        parts = {Action("fold"): folded, Action("call" if seen.to_call else "check"): 100 - raised - folded}
        for size, share in ((0.5, raised // 2), (1.0, raised - raised // 2)):
            amount = seen.bets[seen.seat] + seen.to_call + round(size * (seen.pot + seen.to_call))
            action = Action("raiseTo", min(max(amount, seen.min_raise_to), seen.max_raise_to))
            parts[action] = parts.get(action, 0) + share
        return Mix([(action, weight) for action, weight in parts.items() if weight])


class Silent(Stater):
    """Does what a stater most likely does, and states nothing."""

    def act(self, seen):
        """Do the likeliest."""
        return max(super().act(seen).entries, key=lambda entry: entry[1])[0]


def stated_game(boldness, *, seed, hands=10, **mode):
    """Play a game of two staters."""
    players = tuple(Stater(name, bold) for name, bold in zip(("one", "two"), boldness, strict=True))
    return play_game(players, seed=seed, hands=hands, **mode)


def games_of(count, label, **mode):
    """Play games in both seatings of each deck."""
    return [
        stated_game((1.4, 0.6), seed=f"{label} {number // 2}", seating=("AB", "BA")[number % 2], **mode)
        for number in range(count)
    ]

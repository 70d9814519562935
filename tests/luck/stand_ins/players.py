"""Players whose odds the bench knows: they state it, as by `harness: mixed`."""

from molt_bench.agents.llm.strategy import Share, StatedDraws, drawn, weights_of
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import Action


def strategy_of(seen, boldness):
    """Return a strategy by the ranks held and paired: the stronger and the bolder, the more is raised."""
    ranks = [card >> 2 for card in seen.cards]
    paired = ranks[0] == ranks[1] or any(rank in [card >> 2 for card in seen.board] for rank in ranks)
    strength = min(sum(ranks) / 24 * 0.6 + 0.4 * paired, 1.0)
    raised = round(boldness * 60 * strength) if seen.max_raise_to else 0
    folded = round(70 * (1 - strength)) if seen.to_call else 0
    parts = {Action("fold"): min(folded, 100 - raised)} if folded else {}
    for size, share in ((0.5, raised // 2), (1.0, raised - raised // 2)):
        amount = seen.bets[seen.seat] + seen.to_call + round(size * (seen.pot + seen.to_call))
        amount = min(max(amount, seen.min_raise_to), seen.max_raise_to)
        if share:
            action = Action("raiseTo", amount)
            parts[action] = parts.get(action, 0) + share
    left = 100 - sum(parts.values())
    if left:
        parts[Action("call" if seen.to_call else "check")] = left
    return tuple(Share(each.kind, each.amount, percent) for each, percent in parts.items() if percent)


class Stater:
    """Draws from its strategies by the noise of the table, and keeps them as the exchanges of a run would."""

    def __init__(self, name, boldness=1.0, salt=0):
        self.name, self._boldness, self._salt = name, boldness, salt
        self.strategies = {}

    def act(self, seen):
        """State, and draw."""
        stated = strategy_of(seen, self._boldness)
        self.strategies[seen.hand_number, len(seen.log)] = stated
        return drawn(weights_of(stated), seen.noise)

    def policy(self, seen):
        """Return the odds anywhere."""
        stated = strategy_of(seen, self._boldness)
        return [(share.action, share.percent / 100) for share in stated]


def stated_game(boldness, *, seed, hands=10, names=("one", "two"), **mode):
    """Play a game; return its record, and the draws of players A and B."""
    players = [Stater(name, bold) for name, bold in zip(names, boldness, strict=True)]
    record = play_game(tuple(players), seed=seed, hands=hands, **mode)
    return record, tuple(StatedDraws(player.strategies) for player in players)

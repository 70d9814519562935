"""A small agent: calls when it is cheap."""

from molt_bench import Action, Observation


class Cautious:
    """Checks when that is free, calls at a good price, folds otherwise."""

    name = "cautious"

    def act(self, observation: Observation) -> Action:
        """Decide by pot odds alone."""
        if not observation.to_call:
            return Action("check")
        return Action("call") if observation.pot_odds < 0.25 else Action("fold")

"""An agent with a policy of its own: what a version 11 run was played with."""

from molt_bench import Action, Sizes


class Mixer:
    name = "mixer"

    def policy(self, observation):
        legal = observation.legal
        passive = Action("call") if legal.to_call else Action("check")
        if "raiseTo" not in legal.kinds:
            return [(passive, 1.0)]
        return [(passive, 0.75), (Sizes(legal.min_raise_to, legal.max_raise_to), 0.25)]

    def act(self, observation):
        share = observation.noise / 2**32
        (passive, chance), *raises = self.policy(observation)
        if share < chance or not raises:
            return passive
        low, high = raises[0][0].low, raises[0][0].high
        return Action("raiseTo", low + int((share - chance) / (1 - chance) * (high - low + 1)))

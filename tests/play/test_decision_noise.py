"""The noise of decisions: the same whoever asks for it, and different at every decision."""

from molt_bench import Action, play_game
from tests.play.agents import Caller


def test_dice_and_noise_belong_to_the_decision_alone():
    """The same in both seatings and on a retry, different from decision to decision, also in long hands."""

    class MinRaiser(Caller):
        def act(self, observation):
            super().act(observation)
            return Action("raiseTo", observation.min_raise_to) if observation.max_raise_to else Action("call")

    agent = MinRaiser()
    play_game((agent, MinRaiser()), seed=1, hands=20)
    noises = [seen.noise for seen in agent.seen]
    assert len({*noises}) == len(noises)
    assert {seen.dice for seen in agent.seen} == {*range(100)}
    assert max(len(seen.log) for seen in agent.seen) > 16

"""Taking out the draws from stated strategies favours nobody, sizes included, and saves variance."""

import json
from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.strategy import Share, StatedDraws
from molt_bench.agents.llm.talk.conversation import Conversation
from molt_bench.agents.llm.talk.reply import read_reply
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from molt_bench.poker.actions import Action
from tests.agents.llm.mixing import mixing
from tests.agents.llm.test_conversation import exchange, seen

MIXED = LLMSettings(model="openai:model", harness="mixed")


class Model:
    """A model in this process: it is told, replies, is read and drawn for as every other, but for the wire.

    Args:
        faults: Every so many-th decision is first answered with a bad sum.
        timid: Whether it folds whenever it might, instead of what is drawn.
    """

    name = "model"

    def __init__(self, *, faults=0, timid=False):
        self.faults, self.timid = faults, timid
        self.talk = Conversation(MIXED)
        self.strategies = {}

    def act(self, observation):
        said = mixing(self.talk.message(observation))
        if self.faults and len(self.strategies) % self.faults == 0 and observation.previous_error is None:
            said["strategy"][0]["percent"] += 1
        text = json.dumps(said)
        action = self.talk.take_reply(observation, exchange(text))
        stated = read_reply(text, "stop", mixed=True).strategy
        self.strategies[observation.hand_number, len(observation.log)] = stated
        return Action("fold") if self.timid and any(share.kind == "fold" for share in stated) else action


def games_of(count, *, hands=10, other="callstation", **ways):
    """Return what a model won in games against a bot by every estimator, and the records."""
    found = []
    for number in range(count):
        model = Model(**ways)
        record = play_game((model, BUILTIN_AGENTS[other](seed=number)), seed=f"stated {number}", hands=hands)
        found.append((game_estimates(record, (StatedDraws(model.strategies), None)), record))
    return found


def standard_errors(values):
    return fmean(values) / (stdev(values) / len(values) ** 0.5)


def changes(games):
    return [won.corrected - won.adjusted for won, _ in games]


@pytest.mark.parametrize("other", ["maniac", "tag"])
@pytest.mark.slow
def test_the_correction_has_mean_zero_and_the_variance_is_lower(other):
    games = games_of(80, other=other)
    assert abs(standard_errors(changes(games))) < 3
    won = [(each.raw, each.adjusted, each.corrected) for each, _ in games]
    assert abs(standard_errors([corrected - raw for raw, _, corrected in won])) < 3
    assert variance([each[2] for each in won]) < variance([each[1] for each in won])


@pytest.mark.slow
def test_strategies_of_second_attempts_are_no_bias():
    games = games_of(40, hands=6, faults=2)
    assert any(record.faults for _, record in games)
    assert any(changes(games))
    assert abs(standard_errors(changes(games))) < 3


def test_playing_something_else_than_what_is_drawn_would_be_one():
    """The mutant: a fold instead of a draw. The tests above would notice."""
    assert abs(standard_errors(changes(games_of(40, hands=20, other="tag", timid=True)))) > 5


def test_sizes_are_part_of_the_draw():
    """Between two sizes of a raise, all luck is that of the size, which odds of kinds alone would leave in."""
    shares = (Share("raiseTo", 200, 50), Share("raiseTo", 5000, 50))

    class Raiser:
        name = "raiser"

        def act(self, observation):
            return Action("raiseTo", 5000 if observation.noise % 2 else 200) if not observation.log else Action("call")

    record = play_game((Raiser(), BUILTIN_AGENTS["callstation"]()), seed="sizes", hands=1)
    won = game_estimates(record, (StatedDraws({(1, 0): shares}), None))
    assert won.corrected != won.adjusted


def test_where_no_strategy_was_taken_nothing_is_corrected():
    illegal = (Share("raiseTo", 150, 50), Share("call", 0, 50))
    assert StatedDraws({(1, 0): illegal}).at(seen()) is None
    assert StatedDraws({}).at(seen()) is None
    known = StatedDraws({(1, 0): (Share("call", 0, 75), Share("fold", 0, 25))}).at(seen())
    assert known == ((Action("fold"), 0.25), (Action("call"), 0.75))

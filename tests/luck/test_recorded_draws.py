"""Taking out a model's draws by its log-probabilities favours nobody, whatever comes after them, and saves variance."""

from statistics import fmean, stdev, variance

import pytest

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.agents.llm.providers.log_probabilities import RecordedDraws, choice_of
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.prompt import decision_prompt
from molt_bench.agents.llm.talk.reply import read_reply
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game
from tests.agents.llm.drawing import STYLES, Drawer, by_strength, tempered

SETTINGS = LLMSettings(model="openai:model")


class Model:
    """A model in this process: it is told, replies and is read as every other, but for the wire."""

    name = "model"

    def __init__(self, drawer):
        self.drawer = drawer
        self.choices = {}
        self.faulted = set()

    def act(self, observation):
        if observation.previous_error is not None:
            self.faulted.add((observation.hand_number, len(observation.log)))
        spoken = self.drawer(decision_prompt(observation, SETTINGS), {})
        found = choice_of(spoken.tokens, spoken.text)
        if found is not None and observation.previous_error is None:
            self.choices[observation.hand_number, len(observation.log)] = found
        return read_reply(spoken.text, "stop", "native").action


def games_of(count, *, hands=10, other="callstation", **drawing):
    """Return a model's games against a bot, by every estimator."""
    found = []
    for number in range(count):
        model = Model(Drawer(salt=f"{number}", **drawing))
        record = play_game((model, BUILTIN_AGENTS[other](seed=number)), seed=f"recorded {number}", hands=hands)
        found.append((game_estimates(record, (RecordedDraws(model.choices), None)), record))
    return found


def standard_errors(values):
    return fmean(values) / (stdev(values) / len(values) ** 0.5)


@pytest.mark.parametrize("other", ["maniac", "tag"])
@pytest.mark.slow
def test_the_mean_is_that_of_the_adjusted_result_and_the_variance_is_lower(other):
    games = [won for won, _ in games_of(80, other=other)]
    changes = [won.corrected - won.adjusted for won in games]
    assert abs(standard_errors(changes)) < 3
    assert variance(won.corrected for won in games) < variance(won.adjusted for won in games)


@pytest.mark.slow
def test_faults_after_the_draw_are_no_bias():
    """Half of all raises have an illegal amount, and what comes of the second question is anything."""
    games = games_of(80, faults=0.5)
    assert any(record.faults for _, record in games)
    changes = [won.corrected - won.adjusted for won, _ in games]
    assert abs(standard_errors(changes)) < 3
    assert all(won.refused == ("", "") for won, _ in games)


@pytest.mark.slow
def test_leaving_out_draws_that_led_to_faults_would_be_one():
    """The mutant: where a raise was not legal, its draw is forgotten. The test above would notice."""
    changes = []
    for number in range(300):
        model = Model(Drawer(salt=f"{number}", faults=0.9))
        record = play_game((model, BUILTIN_AGENTS["tag"]()), seed=f"recorded {number}", hands=20)
        kept = {place: choice for place, choice in model.choices.items() if place not in model.faulted}
        won = game_estimates(record, (RecordedDraws(kept), None))
        changes.append(won.corrected - won.adjusted)
    assert abs(standard_errors(changes)) > 3


@pytest.mark.slow
def test_odds_that_are_not_those_of_the_draws_are_a_bias():
    """This is what the test of draws is for."""
    games = games_of(60, other="maniac", draws=lambda odds: tempered(odds, 0.1))
    assert abs(standard_errors([won.corrected - won.adjusted for won, _ in games])) > 5


def test_how_the_tokens_are_cut_changes_nothing():
    found = [[won for won, _ in games_of(3, style=style)] for style in STYLES]
    assert found[0][0].corrected != found[0][0].adjusted
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            assert one.corrected == pytest.approx(two.corrected, abs=1e-6)


def test_the_amount_of_a_raise_does_not_matter():
    """The same game with the first raise of another size gets the same correction for it."""
    corrections = []
    for size in (250, 900):
        choices = {}
        model = Model(Drawer(odds=lambda prompt: {"raiseTo": 0.3, "fold": 0.7}, draws=lambda odds: {"raiseTo": 1.0}))
        act = model.act
        model.act = lambda seen, act=act, size=size: act(seen) and type(act(seen))("raiseTo", size)
        record = play_game((model, BUILTIN_AGENTS["folder"]()), seed="sizes", hands=1)
        choices.update(model.choices)
        won = game_estimates(record, (RecordedDraws(choices), None))
        corrections.append(won.corrected - won.adjusted)
    assert corrections[0] == corrections[1] != 0


def test_without_a_list_nothing_is_corrected():
    for won, _ in games_of(2, spoil=lambda likely: []):
        assert won.corrected == won.adjusted


def test_a_list_cut_to_its_first_token_is_not_used_where_others_are_likely():
    for won, _ in games_of(2, spoil=lambda likely: likely[:1]):
        assert won.corrected == won.adjusted


def test_strength_moves_the_odds():
    strong, weak = (
        f"Your cards: {cards}\nLegal actions: fold, call (50), raiseTo 200..900" for cards in ("Ah Ad", "2h 3d")
    )
    assert by_strength(strong)["raiseTo"] > by_strength(weak)["raiseTo"]

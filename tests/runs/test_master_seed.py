"""Secrecy: what the cards come from, who is told, and that nothing that an agent sees leads there."""

import pytest
from msgspec import UNSET

from molt_bench import Action, make_agent, play_game, run_benchmark
from molt_bench.config.loader import load_config
from molt_bench.play.play_games import drive
from molt_bench.runs.master_seed import DEFAULT_MASTER_SEED, guessable, only_built_in, seed_hash, settled
from molt_bench.specs import GameSpec

pytestmark = pytest.mark.draws
CONFIG = {"seeds": {"perMatch": 2}, "game": {"handsPerGame": 5}, "stop": {"budget": {"maxMatches": 2}}}


class Caller:
    """Calls."""

    name = "mine"

    def act(self, observation):
        return Action("call") if observation.to_call else Action("check")


def config_of(*participants, **seeds):
    return load_config({**CONFIG, "participants": list(participants), "seeds": {"perMatch": 2, **seeds}})


def games_of(result):
    return [game for match in result.matches for game in match.games]


def test_a_seed_is_drawn_as_soon_as_somebody_is_not_built_in():
    config, sealed = settled(config_of("tight", "random"))
    assert (config.seeds.master_seed, sealed) == (DEFAULT_MASTER_SEED, False)
    drawn = [settled(config_of("tight", "exec:./bot")) for _ in range(5)]
    assert len({config.seeds.master_seed for config, _ in drawn}) == 5
    assert all(sealed for _, sealed in drawn)
    assert settled(config_of("tight", "random"), {"tight"})[1]
    assert not only_built_in(config_of("tight", "random"), {"tight"})


def test_a_named_seed_is_not_sealed_and_a_secret_one_is():
    named = config_of("tight", "exec:./bot", masterSeed="a named one")
    for secret, seed in ((None, "a named one"), ("another", "another")):
        config, sealed = settled(named, secret=secret)
        assert (config.seeds.master_seed, sealed) == (seed, secret is not None)


@pytest.mark.parametrize("seed", [7, -7, 2**40, "7", "molt-bench", "my-paper", "0" * 40, "abababababababababababab"])
def test_a_seed_that_can_be_guessed_is_told_apart(seed):
    assert "can be guessed" in guessable(config_of("tight", "exec:./bot", masterSeed=seed))
    assert guessable(config_of("tight", "random", masterSeed=seed)) is None


@pytest.mark.parametrize(
    "seed", ["5f0c8a1e9b7d4c3f2a6e8d0b1c9f7e5a", 2**127 + 12345678901234567890, "correct horse battery"]
)
def test_one_that_cannot_is_not_warned_of(seed):
    assert guessable(config_of("tight", "exec:./bot", masterSeed=seed)) is None


def test_a_secret_seed_is_never_shown():
    said = guessable(config_of("tight", "exec:./bot", masterSeed="hunter2"), sealed=True)
    assert "can be guessed" in said
    assert "hunter2" not in said


def test_the_hash_is_that_of_the_text():
    assert seed_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_deck_seed_names_the_cards_in_place_of_the_seed():
    players = (make_agent("callstation"), make_agent("callstation"))
    other = drive(GameSpec(seed="s", hands=20, deck_seed="d"), players)
    assert other.hand_texts == play_game(players, seed="d", hands=20).hand_texts
    assert other.seed == "s"


def test_games_of_the_callers_own_agents_share_decks_in_both_seatings():
    result = run_benchmark({**CONFIG, "participants": ["mine", "tight"]}, agents={"mine": Caller})
    assert all(game.spec.deck_seed is UNSET for game in games_of(result))


def test_whoever_may_remember_never_sees_a_deck_twice():
    """Not in the other seating, and not against another opponent."""
    participants = [{"id": "mine", "type": "http://127.0.0.1:9/act"}, "tight", "callstation", "random"]
    config = {
        **CONFIG,
        "participants": participants,
        "seeds": {"perMatch": 2},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 12}},
    }
    result = run_benchmark(config, agents={"http://127.0.0.1:9/act": lambda url, api_key_env: Caller()})
    own = [game for game in games_of(result) if "mine" in game.players]
    others = [game for game in games_of(result) if "mine" not in game.players]
    assert len({game.spec.deck_seed for game in own}) == len(own) > 8
    deals = [tuple(text.split(":")[4] for text in game.hand_texts) for game in own]
    assert len({*deals}) == len(deals)
    assert all(game.spec.deck_seed is UNSET for game in others)


def test_a_result_tells_the_drawn_seed_once_it_is_over():
    result = run_benchmark({**CONFIG, "participants": ["mine", "tight"]}, agents={"mine": Caller})
    seed = result.config.seeds.master_seed
    again = run_benchmark(
        {**CONFIG, "participants": ["mine", "tight"], "seeds": {"perMatch": 2, "masterSeed": seed}},
        agents={"mine": Caller},
    )
    assert again.matches == result.matches

"""FR-1: who plays."""

from collections import Counter

import pytest

import molt_bench
from tests.prd.conftest import Caller, model, small


def test_fr1_1_a_participant_has_an_id_a_name_and_an_initial_rating(played):
    """1: ParticipantConfig associates id, displayName, type and optional initial rating."""
    known = {"id": "known", "type": "tight", "displayName": "The Rock", "initialRating": {"mu": 31.5, "sigma": 2.5}}
    run = played(small(known, "random", matches=1))
    match, row = run.matches[0], run.board["known"]
    assert row["name"] == "The Rock"
    assert row["mu"] - match["ratingDelta"]["known"]["mu"] == pytest.approx(31.5)
    assert row["sigma"] - match["ratingDelta"]["known"]["sigma"] == pytest.approx(2.5)
    other = run.board["random"]
    assert other["name"] == "random"
    assert other["mu"] - match["ratingDelta"]["random"]["mu"] == pytest.approx(25)


@pytest.mark.parametrize("kind", ["random", "tight", "callstation"])
def test_fr1_2_a_built_in_bot_plays_by_its_name(kind):
    """2: built-in types random, tight and callstation (llm: see 4)."""
    caller = Caller()
    game = molt_bench.play_game((molt_bench.make_agent(kind), caller), seed="fr1", hands=60)
    assert game.faults == ()
    did = Counter(entry.kind for result in caller.results for entry in result.log if entry.seat != result.seat)
    assert did["fold"] + did["check"] + did["call"] + did["raiseTo"] > 60
    if kind == "callstation":
        assert did["fold"] == did["raiseTo"] == 0
    elif kind == "tight":
        assert did["fold"] > did["raiseTo"] > 0
    else:
        assert min(did["fold"], did["raiseTo"], did["check"] + did["call"]) > 5


def test_fr1_3_a_custom_agent_comes_from_a_factory(played):
    """3: custom agents by a factory `() => PokerAgent`, called for every game."""
    made = []

    def factory():
        made.append(Caller("mine"))
        return made[-1]

    run = played(small({"id": "mine", "type": "my-kind"}, "random"), agents={"my-kind": factory})
    assert run.board["mine"]["matches"] == 3
    assert sum(bool(each.seen) for each in made) == run.summary["totals"]["games"] == 12


def test_fr1_4_a_model_has_a_specifier_a_temperature_and_a_skill_document(played, provider, tmp_path):
    """4: llm agents accept a model specifier and optional config: temperature, path of a skill document."""
    skill = tmp_path / "skill.md"
    skill.write_text("Play like nobody is watching.")
    player = model(provider, temperature=0.25, skillDoc=str(skill))
    run = played(small(player, "callstation", matches=1, seeds=1, hands=2))
    asked = [body for body, _ in provider.requests if "nobody is watching" in str(body["messages"])]
    assert len(asked) >= 4
    assert {body["model"] for body in asked} == {"gpt-4.1"}
    assert {body["temperature"] for body in asked} == {0.25}
    assert {body["messages"][0]["content"] for body in asked} == {"Play like nobody is watching."}
    assert run.board["model"]["losses"] == 1  # it folds every hand
    assert run.summary["errors"] == {"callstation": {}, "model": {}}


def test_fr1_4_a_model_without_a_provider_is_refused():
    """4: the specifier names provider and model."""
    with pytest.raises(molt_bench.ConfigError, match="model"):
        molt_bench.run_benchmark(small({"id": "m", "type": "llm", "model": "gpt-4.1"}, "random"))

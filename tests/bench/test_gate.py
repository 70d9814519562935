"""A gate: which pairings it plays on which decks, and when it has its answer."""

from math import inf

import numpy as np
import pytest
from msgspec import UNSET

from molt_bench import run_benchmark
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.gate import Gate
from molt_bench.bench.participant_failures import Failures
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigError, ConfigErrors
from tests.cases import one_in

ENDS = {"maxMatches": None, "maxHands": 20_000}


def stop(**rule):
    return {"adjacentConfidence": {"tieMarginMbb": 500, **rule}, "budget": ENDS}


def config_of(new="callstation", old="callstation", *, opponents=("tag", "maniac"), hands=20, **more):
    return load_config(
        {
            "participants": [{"id": "new", "type": new}, {"id": "old", "type": old}, *opponents],
            "seeds": {"perMatch": 5, "masterSeed": "gate"},
            "game": {"handsPerGame": hands},
            "scheduler": {"policy": "gate", "minSeedPairs": 10},
            "stop": stop(),
            **more,
        }
    )


def fed(config, changes, *, seed_pairs=40, failures=None, noise=0.0):
    """Return a gate whose changes are these by opponent, after one round."""
    gate, dice = Gate(config), np.random.default_rng(3)
    for name, change in changes.items():
        for version, won in (("new", change), ("old", 0.0)):
            if version != name:
                margins = won + dice.normal(0, noise, seed_pairs) * (version == "new")
                gate.add((version, name), {str(at): float(each) for at, each in enumerate(margins)})
    gate.look(failures or {})
    return gate


def test_both_versions_play_every_opponent_and_each_other_and_opponents_do_not_meet():
    found = {frozenset(pair) for pair in config_of().pairings()}
    wanted = [("new", "old"), ("new", "tag"), ("new", "maniac"), ("old", "tag"), ("old", "maniac")]
    assert found == {frozenset(pair) for pair in wanted}


def test_both_versions_have_the_same_decks_and_dice_against_an_opponent():
    config = config_of()
    games = Dealer(config, SeedBlocks(config)).games(config.pairings(), dict.fromkeys(config.pairings(), 0), 1, {})
    specs = {}
    for spec in games.values():
        specs.setdefault(spec.players, []).append(spec)
    assert [each.seed for each in specs["new", "tag"]] == [each.seed for each in specs["old", "tag"]]
    assert {each.dice_names for each in specs["old", "tag"]} == {("new", "tag")}
    assert {each.dice_names for each in specs["new", "old"]} == {("new", "new")}
    assert specs["new", "tag"][0].seed != specs["new", "maniac"][0].seed


def test_a_run_that_is_no_gate_has_the_dice_of_its_players():
    config = load_config({"participants": ["tag", "maniac"]})
    games = Dealer(config, SeedBlocks(config)).games(config.pairings(), dict.fromkeys(config.pairings(), 0), 1, {})
    assert {spec.dice_names for spec in games.values()} == {UNSET}


@pytest.mark.parametrize("bot", one_in(3, ["maniac", "random", "callstation"]))
def test_the_same_agent_twice_differs_by_nothing_in_every_seed_pair(bot):
    result = run_benchmark(config_of(bot, bot, opponents=("tag",), hands=10), keep_hands=False)
    won = {match.participants: match.margins["adjusted"] for match in result.matches if match.round == 1}
    assert won["new", "tag"] == won["old", "tag"]
    assert set(won["new", "old"]) == {0.0}
    assert result.stop_reason == "the new version is not worse by more than 50 bb/100"
    assert result.converged


def test_a_version_that_lost_much_is_worse_after_the_first_looks():
    result = run_benchmark(config_of("folder", "tag"), keep_hands=False)
    assert result.stop_reason.startswith("the new version is worse: it surely lost more than 50 bb/100")
    assert max(match.round for match in result.matches) <= 4


def test_a_version_that_raises_is_worse_by_its_faults_even_if_it_loses_nothing():
    class Broken:
        name = "broken"

        def act(self, observation):
            raise ValueError("broken")

    config = config_of("broken", "folder", opponents=("callstation",), hands=10)
    result = run_benchmark(config, agents={"broken": Broken}, keep_hands=False)
    assert "it made faults in 75.0% of its hands, and the old version in 0.0%" in result.stop_reason
    assert max(match.round for match in result.matches) == 1


@pytest.mark.parametrize(("new", "old", "fails"), [(5, 0, False), (40, 0, True), (40, 38, False), (400, 400, False)])
def test_faults_fail_where_there_are_surely_more_of_them_than_before(new, old, fails):
    failures = {name: Failures(hands=1000, faulty=count) for name, count in (("new", new), ("old", old))}
    gate = fed(config_of(), {"old": 0, "tag": 0, "maniac": 0}, failures=failures)
    assert (gate.finding(1).verdict == "worse") == fails


def test_nothing_is_said_before_the_first_look():
    gate = fed(config_of(), {"old": -9000, "tag": -9000, "maniac": -9000}, seed_pairs=5)
    found = gate.finding(1)
    assert (found.verdict, found.half_width, found.more_play, found.decided) == ("open", inf, inf, None)


def test_a_seed_pair_counts_once_both_versions_have_played_it():
    gate = Gate(config_of())
    gate.add(("new", "tag"), dict.fromkeys("abc", 100.0))
    gate.add(("old", "tag"), {"c": 50.0, "b": 20.0})
    gate.look({})
    (against,) = [each for each in gate.finding(1).against if each.opponent == "tag"]
    assert (against.seed_pairs, against.old, against.new, against.change) == (2, 35, 100, 65)


def test_once_the_mean_is_kept_only_those_under_suspicion_play_on():
    config = config_of()
    gate = fed(config, {"old": 2500, "tag": 2000, "maniac": -400}, seed_pairs=60, noise=3000)
    assert gate.finding(1).verdict == "open"
    assert {*gate.wanted()} == {("new", "maniac"), ("old", "maniac")}
    gate = fed(config, {"old": -600, "tag": 2500, "maniac": 2000}, seed_pairs=60, noise=3000)
    assert gate.wanted() == [("new", "old")]


def test_what_was_lost_to_one_opponent_is_named_even_if_it_was_won_elsewhere():
    gate = fed(config_of(), {"old": 0, "tag": 3000, "maniac": -3000}, seed_pairs=60, noise=300)
    assert gate.finding(1).reasons == ("it surely lost more than 50 bb/100 to maniac",)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"stop": stop(tieMarginMbb=0)}, "stop.adjacentConfidence.tieMarginMbb = 0"),
        ({"stop": stop(threshold=0.9)}, "stop.adjacentConfidence"),
        ({"stop": stop(familywise=True)}, "stop.adjacentConfidence"),
        ({"stop": {"adjacentConfidence": None, "budget": ENDS}}, "stop.adjacentConfidence"),
        ({"stop": {**stop(), "topkStable": {"k": 1, "rounds": 3}}}, "stop.topkStable"),
    ],
)
def test_a_gate_that_cannot_work_is_refused(more, field):
    with pytest.raises((ConfigError, ConfigErrors)) as refused:
        config_of(**more)
    assert field in str(refused.value)

"""The acceptance criteria, user stories and success metrics of the requirements, each by its name."""

import shutil
import time
from importlib.metadata import version
from pathlib import Path

import pytest

import molt_bench
from tests.prd.conftest import Caller, run_command, small


def test_acceptance_tight_is_ranked_above_random(default_run):
    """`molt-bench --participants random,tight` produces a leaderboard with tight above random: that is the default."""
    assert default_run.run.ranking == ["tight", "random"]
    board = default_run.run.board
    assert board["tight"]["mu"] > board["random"]["mu"]
    assert default_run.out.index("tight") < default_run.out.index("random")


@pytest.mark.parametrize("master_seed", range(6))
def test_kpi_stronger_agents_are_ranked_higher_consistently(played, master_seed):
    """Ranking accuracy, end-to-end: with callstation in the field, tight is above random, whatever the seed."""
    config = small("random", "tight", "callstation", matches=6, seeds=5, hands=50)
    config["seeds"]["masterSeed"] = master_seed
    ranking = played(config).ranking
    assert ranking.index("tight") < ranking.index("random")


def test_acceptance_the_same_config_and_master_seed_give_the_same_results(played):
    """Same config and same master seed: identical match results and final ratings; another seed: others."""
    config = small("random", "tight", "callstation", matches=4)
    first, again = played(config, name="first"), played(config, name="again")
    other = played({**config, "seeds": {"perMatch": 2, "masterSeed": "other"}}, name="other")
    for name in ("leaderboard.json", "matches.json", "seeds.json", "log.jsonl", "config.json"):
        assert (first.folder / name).read_bytes() == (again.folder / name).read_bytes(), name
    assert [each["result"] for each in first.matches] != [each["result"] for each in other.matches]


def test_acceptance_the_stop_condition_fires_by_itself_with_its_reason(default_run):
    """The stop condition fires automatically with reason logged."""
    run = default_run.run
    assert len(run.matches) < 20
    assert "95% confidence" in run.summary["stopReason"]
    assert run.summary["stopReason"] in " ".join(default_run.out.split())
    assert run.log[-1] == {"event": "stop", "reason": run.summary["stopReason"]}


def test_acceptance_all_results_are_valid_json(default_run):
    """All results are written to the output directory as valid JSON."""
    run = default_run.run
    names = {path.name for path in run.folder.iterdir()}
    assert {"config.json", "seeds.json", "leaderboard.json", "matches.json", "summary.json", "log.jsonl"} <= names
    for name in names:
        if name.endswith(".json"):
            assert run.read(name)
        elif name.endswith(".jsonl"):
            assert run.lines(name)


def test_acceptance_a_run_changes_nothing_but_its_folder(default_run):
    """Benchmark completes without modifying any existing package."""
    assert [path.name for path in default_run.home.iterdir()] == ["benchmark-results"]
    package = Path(molt_bench.__file__).parent
    sources = [path for path in package.rglob("*.py") if "__pycache__" not in path.parts]
    before = {path: path.stat().st_mtime_ns for path in sources}
    molt_bench.run_benchmark(small("random", "tight"))
    assert {path: path.stat().st_mtime_ns for path in sources} == before


def test_acceptance_the_package_is_installed_and_its_face_is_complete():
    """`pnpm build` succeeds: the package is installed, and every name that it promises can be used."""
    assert version("molt-bench")
    for name in molt_bench.__all__:
        assert getattr(molt_bench, name) is not None


def test_acceptance_what_was_played_can_be_checked(default_run, tmp_path):
    """Deterministic replay: `verify` plays every game again and checks every file."""
    folder = shutil.copytree(default_run.run.folder, tmp_path / "run")
    done = run_command(tmp_path, "verify", folder)
    assert done.status == 0, done.err
    board = folder / "leaderboard.json"
    board.write_text(board.read_text().replace('"wins": 0', '"wins": 1', 1))
    assert board.read_bytes() != (default_run.run.folder / "leaderboard.json").read_bytes()
    assert run_command(tmp_path, "verify", folder).status != 0


def test_story_an_author_sees_where_a_new_agent_ranks(played):
    """Agent author: add a custom agent and see where it ranks against the built-in baselines."""
    people = [{"id": "mine", "type": "mine"}, *("random", "tight", "callstation")]
    run = played(small(*people, matches=12, seeds=4, hands=20), agents={"mine": Caller})
    assert set(run.ranking) == {"mine", "random", "tight", "callstation"}
    mine, twin = run.board["mine"], run.board["callstation"]
    assert mine["matches"] > 0
    # It plays like the calling station, so whatever separates them is no more than the noise.
    assert abs(mine["mu"] - twin["mu"]) < mine["sigma"] + twin["sigma"]
    assert run.ranking[-1] == "random"


def test_story_ratings_are_numbers_that_can_be_published(quick_run):
    """Researcher: reproducible (mu, sigma) ratings from a fixed seed pool."""
    for row in quick_run.run.board.values():
        assert 0 < row["sigma"] < 25 / 3
        assert row["mu"] != 25


def test_guardrail_chips_are_conserved_in_every_hand():
    """Chip conservation: across all hands, with stacks that carry over and with those that are reset."""
    for stacks in ("carry", "reset"):
        caller = Caller()
        players = (molt_bench.make_agent("random"), caller)
        record = molt_bench.play_game(players, seed="chips", hands=60, stacks=stacks)
        for result in caller.results:
            assert sum(result.net) == 0
            assert sum(result.starting_stacks) == 20_000
        for seen in caller.seen:
            # The pot counts no more of a bet than the seat can win; what is beyond it goes back.
            assert seen.pot + sum(seen.stacks) <= 20_000
        ours, theirs = record.stack_trajectory
        assert {one + other for one, other in zip(ours, theirs, strict=True)} == {20_000}


def test_guardrail_sigma_decreases_on_average(played):
    """Rating convergence: sigma decreases for each participant."""
    run = played(small("random", "tight", "callstation", matches=12))
    for name, row in run.board.items():
        changes = [match["ratingDelta"][name]["sigma"] for match in run.matches if name in match["ratingDelta"]]
        assert sum(changes) < 0 < row["sigma"]
    assert run.summary["guardrails"]["sigmaDecreased"] == 1


def test_performance_a_match_of_1000_hands_takes_less_than_a_second():
    """Scripted agents: 10 seeds x 50 hands x 2 seatings in less than 1 second (of this process)."""
    makers = (lambda: molt_bench.make_agent("random"), lambda: molt_bench.make_agent("tight"))
    molt_bench.play_match(makers, seeds=["warm"], hands=1)
    began = time.process_time()
    match = molt_bench.play_match(makers, seeds=range(10), hands=50)
    assert match.hands == 1000
    assert time.process_time() - began < 1


def test_open_question_warm_up_hands_do_not_count():
    """Open questions: hands that let an agent calibrate, and do not count toward the result."""
    caller = Caller()
    record = molt_bench.play_game((molt_bench.make_agent("random"), caller), seed="warm", hands=10, warmup_hands=5)
    assert (record.hands, len(caller.results)) == (10, 15)
    assert record.net[1] == sum(result.net[result.seat] for result in caller.results[5:])

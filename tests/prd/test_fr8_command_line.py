"""FR-8: the command."""

import json

from tests.prd.conftest import run_command


def test_fr8_31_the_command_runs_without_any_argument(default_run):
    """31: the binary `molt-bench`."""
    assert default_run.status == 0
    assert default_run.run.ranking


def test_fr8_32_the_defaults(default_run):
    """32: random and tight, 10 seeds per match, 50 hands per game, 20 matches or 95% adjacent confidence."""
    config = default_run.run.config
    assert [(each["id"], each["type"]) for each in config["participants"]] == [("random", "random"), ("tight", "tight")]
    assert config["seeds"]["perMatch"] == 10
    assert config["game"]["handsPerGame"] == 50
    assert config["stop"]["adjacentConfidence"]["threshold"] == 0.95
    assert config["stop"]["budget"]["maxMatches"] == 20
    limits = {name: limit for name, limit in config["stop"]["budget"].items() if limit is not None}
    assert limits == {"maxMatches": 20}
    assert config["stop"]["topkStable"] is None


def test_fr8_33_a_yaml_file_is_a_full_config(command, tmp_path):
    """33: --config <path>, YAML. And 31, 30: the same file as an argument by itself, in another folder."""
    (tmp_path / "bench.yaml").write_text(
        "participants:\n  - {id: a, type: tight}\n  - {id: b, type: callstation, displayName: Bee}\n"
        "seeds: {perMatch: 2, masterSeed: yaml}\ngame: {handsPerGame: 3, bigBlind: 20, smallBlind: 10, stack: 500}\n"
        "stop: {adjacentConfidence: null, budget: {maxMatches: 2}}\noutputDir: benchmark-results\n"
    )
    done = command("--config", "bench.yaml")
    assert done.status == 0, done.err
    run = done.run
    assert run.board["b"]["name"] == "Bee"
    assert run.summary["totals"] | {"actions": 0} == {"matches": 2, "games": 8, "hands": 24, "actions": 0}
    assert run.config["game"]["stack"] == 500
    again = command("run", "bench.yaml", "--output-dir", "again", "--json")
    assert again.status == 0, again.err
    assert again.out.count("\n") == 1
    rows = json.loads(again.out)["participants"]
    assert {row["id"]: row["mu"] for row in rows} == {name: row["mu"] for name, row in run.board.items()}


def test_fr8_34_participants_by_their_types(quick_run):
    """34: --participants random,tight,callstation."""
    people = quick_run.run.config["participants"]
    assert [each["type"] for each in people] == ["random", "tight", "callstation"]


def test_fr8_35_seeds_and_hands(quick_run):
    """35: --seeds <count> and --hands <count>."""
    config, totals = quick_run.run.config, quick_run.run.summary["totals"]
    assert (config["seeds"]["perMatch"], config["game"]["handsPerGame"]) == (4, 20)
    assert totals["games"] == totals["matches"] * 8
    assert totals["hands"] == totals["games"] * 20


def test_flow_quick_benchmark(quick_run, tmp_path):
    """UX, quick benchmark: runs, prints the leaderboard, writes JSON to ./benchmark-results/."""
    assert [path.name for path in quick_run.home.iterdir()] == ["benchmark-results"]
    assert "callstation" in quick_run.out
    assert str(quick_run.run.folder.relative_to(quick_run.home)) in quick_run.out


def test_flow_reproducible_rerun(quick_run, tmp_path):
    """UX, re-run: --config benchmark-results/<run>/config.json plays exactly the same benchmark."""
    again = run_command(tmp_path, "--config", quick_run.run.folder / "config.json", "--quiet")
    assert again.status == 0, again.err
    for name in ("leaderboard.json", "matches.json", "seeds.json", "log.jsonl"):
        assert (again.run.folder / name).read_bytes() == (quick_run.run.folder / name).read_bytes(), name

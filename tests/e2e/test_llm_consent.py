"""A run that costs money begins only under a limit, or with the flag that wants none."""

import json
import re

import pytest

from tests.e2e.llm import config_for, played, prepared
from tests.e2e.shell import one_clear_line, quick, read, run_of


def begun(folder, config, *flags):
    """Run a config as somebody does who does not think of money."""
    command, file, _ = prepared(folder, config)
    return quick(command, file, *flags, cwd=folder)


def test_a_priced_run_without_a_limit_is_refused(tmp_path, server):
    before = server.preflights
    done = begun(tmp_path, config_for(server.url))
    one_clear_line(done, "stop.budget.maxCostUsd", "--no-cost-limit", "about $")
    assert not (tmp_path / "out").exists()
    assert server.preflights == before


@pytest.mark.parametrize("limit", ["maxCostUsd=50", "maxTokens=1000000"])
def test_a_limit_is_enough(tmp_path, server, limit):
    config = config_for(server.url)
    config["stop"]["budget"]["maxMatches"] = 1
    done = begun(tmp_path, config, "--set", f"stop.budget.{limit}")
    assert done.returncode == 0, done.stderr
    assert ("a first ranking takes about " in done.stderr) == limit.startswith("maxCostUsd")


def test_a_local_model_without_a_price_needs_no_limit(tmp_path, server):
    config = config_for(server.url, llm={"prices": {}})
    config["stop"]["budget"]["maxMatches"] = 1
    assert begun(tmp_path, config).returncode == 0


def test_a_limit_that_buys_no_match_says_so_and_has_a_status_of_its_own(tmp_path, server):
    config = config_for(server.url)
    config["stop"]["budget"] = {"maxMatches": 1, "maxCostUsd": 1.2}
    done = begun(tmp_path, config, "--no-cost-limit")
    assert done.returncode == 5
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("molt-bench: no match was rated: $")
    assert "no seed pair is complete" in last
    assert "--set stop.budget.maxCostUsd=" in last, "the same limit would buy nothing more"
    folder = run_of(tmp_path / "out")
    again = quick("resume", folder, "--run-agents")
    assert again.returncode == 5, "nor does going on without one"
    assert again.stderr.strip().splitlines()[-1].startswith("molt-bench: no match was rated: $")


@pytest.mark.parametrize(("limit", "takes"), [("maxCostUsd=0.5", r"\$\d+"), ("maxTokens=3000", r"\d,\d00 tokens")])
def test_a_run_that_cannot_afford_one_seed_pair_says_so_before_it_starts(tmp_path, server, limit, takes):
    (tmp_path / "bench.json").write_text(json.dumps(config_for(server.url)))
    before = server.received
    done = quick("run", "--config", "bench.json", "--set", f"stop.budget.{limit}", cwd=tmp_path)
    assert done.returncode == 5
    assert re.search(f"does not buy one seed pair, which takes at least about {takes}", done.stderr)
    assert not (tmp_path / "out").exists()
    assert server.received == before


def test_a_limit_ends_on_whole_seed_pairs(tmp_path, server):
    """Of many games at once, those are finished that the money reaches for, in the order of their seeds."""
    config = config_for(server.url, maxTokens=100)
    config["participants"] = config["participants"][:2]
    config["seeds"]["perMatch"] = 20
    config["stop"]["budget"] = {"maxMatches": 1, "maxCostUsd": 8.0}
    run = played(tmp_path, config)
    lines = map(json.loads, (run / "journal.jsonl").read_text().splitlines())
    seeds = [line["record"]["spec"]["seed"] for line in lines if line["line"] == "game"]
    whole = {seed for seed in seeds if seeds.count(seed) == 2}
    assert len(whole) >= 3
    assert len(seeds) - 2 * len(whole) <= 1
    assert read(run, "summary.json")["stopReason"].startswith("the budget of $8 ")

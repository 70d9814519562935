"""FR-9: seeds."""

import json

import pytest

import molt_bench
from tests.prd.conftest import small


def test_fr9_36_the_pool_follows_from_the_master_seed():
    """36: a deterministic seed pool from a master seed."""
    pool = molt_bench.seed_pool("master", 50)
    assert pool == molt_bench.seed_pool("master", 50)
    assert len({*pool}) == 50
    assert pool[:2] == ["8e51ea89bb572ac7", "2e29450efc4daed9"]  # on every machine and in every release
    assert molt_bench.seed_pool("master", 10) == pool[:10]
    assert not {*pool} & {*molt_bench.seed_pool("other", 50)}


def test_fr9_36_a_run_plays_the_seeds_of_its_pool(played):
    """36: seeds.masterSeed."""
    run = played(small("random", "tight", "callstation", matches=3, seeds=4))
    assert run.seeds == molt_bench.seed_pool("requirements", 12)


@pytest.mark.parametrize("form", ["lines", "json"])
def test_fr9_37_seeds_may_come_from_a_file(played, tmp_path, form):
    """37: loads seeds from a file, for exact reproducibility; security: the file is only read."""
    seeds = ["first", 2, "third", 4]
    path = tmp_path / "seeds.txt"
    path.write_text(json.dumps(seeds) if form == "json" else "\n".join(map(str, seeds)))
    before = path.read_bytes()
    config = small("random", "tight", matches=2)
    config["seeds"] = {"perMatch": 2, "file": str(path)}
    run, again = played(config, name="first"), played(config, name="again")
    assert [seed for match in run.matches for seed in match["seeds"]] == seeds == run.seeds
    assert run.matches == again.matches
    assert path.read_bytes() == before


def test_fr9_38_the_seeds_used_are_saved_and_can_be_played_again(played):
    """38: saves the used seed list; playing it again gives the same matches."""
    config = small("random", "tight", "callstation", matches=3)
    run = played(config, name="first")
    assert {seed for match in run.matches for seed in match["seeds"]} == {*run.seeds}
    config["seeds"] = {"perMatch": 2, "file": str(run.folder / "seeds.json")}
    assert played(config, name="again").matches == run.matches


def test_fr9_37_a_file_that_cannot_be_read_is_an_error(tmp_path):
    """37: that names it."""
    config = small("random", "tight")
    config["seeds"] = {"perMatch": 2, "file": str(tmp_path / "missing.txt")}
    with pytest.raises(molt_bench.ConfigError, match=r"missing\.txt"):
        molt_bench.run_benchmark(config)

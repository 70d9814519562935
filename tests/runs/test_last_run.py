"""`--resume` finds the unfinished run of a config."""

import pytest

from molt_bench.config.loader import load_config
from molt_bench.runs.folder import last_run
from molt_bench.runs.header import header_of
from molt_bench.runs.journal import Journal
from molt_bench.runs.master_seed import settled


@pytest.mark.parametrize(
    ("said", "per_match", "most", "found"),
    [
        ({}, 4, 50, True),
        ({}, 10, 20, False),
        ({"seeds": {"perMatch": 4}}, 4, 20, True),
        ({"seeds": {"perMatch": 4}}, 10, 20, False),
        ({"stop": {"budget": {"maxMatches": 30}}}, 10, 30, True),
        ({"stop": {"budget": {"maxMatches": 30}}}, 10, 20, False),
    ],
)
def test_a_config_of_models_finds_its_run(said, per_match, most, found, tmp_path):
    fixed = {"participants": ["llm:openai:gpt-4.1", "tag"], "outputDir": str(tmp_path)}
    seed = {"masterSeed": "0123456789abcdef0123456789abcdef"}
    begun = load_config(
        {**fixed, "seeds": {**seed, "perMatch": per_match}, "stop": {"budget": {"maxMatches": most}}},
    )
    config, _ = settled(begun)
    (tmp_path / "run").mkdir()
    journal = Journal(str(tmp_path / "run" / "journal.jsonl"))
    journal.write(header_of(config, {}))
    journal.close()
    wanted = load_config({**fixed, **said, "seeds": {**seed, **said.get("seeds", {})}})
    assert last_run(wanted) == (tmp_path / "run" if found else None)

"""`--resume` finds the unfinished run of a config, also one that the last bench version began by other defaults."""

import pytest
from msgspec import structs

from molt_bench.config.loader import load_config
from molt_bench.runs.folder import last_run
from molt_bench.runs.header import header_of
from molt_bench.runs.journal import Journal
from molt_bench.runs.master_seed import settled


@pytest.mark.parametrize(
    ("said", "version", "per_match", "most", "found"),
    [
        ({}, 15, 10, 20, True),
        ({}, 16, 4, 50, True),
        ({}, 16, 10, 20, False),
        ({}, 15, 4, 50, False),
        ({"stop": {"budget": {"maxMatches": None}}}, 15, 10, None, True),
        ({"seeds": {"perMatch": 4}}, 15, 10, 20, False),
        ({"seeds": {"perMatch": 4}}, 15, 4, 20, True),
        ({"stop": {"budget": {"maxMatches": 30}}}, 15, 10, 30, True),
    ],
)
def test_a_config_of_models_finds_its_run(said, version, per_match, most, found, tmp_path):
    fixed = {"participants": ["llm:openai:gpt-4.1", "tag"], "outputDir": str(tmp_path)}
    seed = {"masterSeed": "0123456789abcdef0123456789abcdef"}
    begun = load_config(
        {**fixed, "seeds": {**seed, "perMatch": per_match}, "stop": {"budget": {"maxMatches": most}}},
    )
    config, master = settled(begun)
    (tmp_path / "run").mkdir()
    journal = Journal(str(tmp_path / "run" / "journal.jsonl"))
    journal.write(structs.replace(header_of(config, master), bench_version=version))
    journal.close()
    wanted = load_config({**fixed, **said, "seeds": {**seed, **said.get("seeds", {})}})
    assert last_run(wanted) == (tmp_path / "run" if found else None)

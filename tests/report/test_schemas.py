"""Every file of a run follows its published schema, and the schema leaves nothing out."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from schemas import FOLDER, as_text, config_schema, file_name, schemas
from tests.e2e.cheats import Honest
from tests.e2e.shell import BOTS, SMALL, quick, quick_run
from tests.llm.provider import Provider

from molt_bench.config.sections import BenchmarkConfig

ROOT = Path(__file__).parents[2]
SCHEMAS = {name: json.loads((FOLDER / file_name(name)).read_text("utf-8")) for name in schemas()}
CONFIG = BenchmarkConfig.model_json_schema(by_alias=True)


def bots(folder):
    return quick_run("results", "--participants", "tag,tight,callstation", *SMALL, cwd=folder)


def extended_and_graded(folder):
    run = quick_run(
        "results", "--participants", "tight,maniac", *SMALL, "--set", "game.stacks=carry",
        cwd=folder,
    )  # fmt: skip
    assert quick("resume", run, "--max-matches", "4", cwd=folder).returncode == 0
    assert quick("grade", run, cwd=folder).returncode == 0
    return run


def gauntlet_with_a_file_of_seeds(folder):
    (folder / "seeds.json").write_text('["one", 2, "three", 4]')
    more = ("--scheduler", "gauntlet", "--seeds-file", "seeds.json")
    return quick_run("results", "--participants", "blueprint,tight,random", *SMALL, *more, cwd=folder)


def failing_and_own(folder):
    (folder / "bots.py").write_text(BOTS)
    return quick_run("results", "--participants", "bots.py:make_thrower,bots.py:make_caller,tight", *SMALL, cwd=folder)


def server_that_may_remember(folder):
    with Honest() as server:
        return quick_run("results", "--participants", f"{server.url},tight", *SMALL, "--seeds", "4", cwd=folder)


def model(folder):
    with Provider() as provider:
        config = {
            "participants": [
                {"id": "m", "type": "llm", "model": "openai:test", "baseUrl": provider.url},
                "tight",
            ],
            "llm": {"prices": {"openai:test": {"input": 1.0, "output": 2.0}}},
        }
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        return quick_run(
            "results", "--config", "config.yaml", "--no-cost-limit", *SMALL, cwd=folder, env={"OPENAI_API_KEY": "a-key"}
        )


#: Kinds of runs, and fields of files that not every run has.
KINDS = {
    bots: [("summary.json", "journal")],
    extended_and_graded: [("summary.json", "extensions"), ("grades.json", "reference")],
    gauntlet_with_a_file_of_seeds: [
        ("leaderboard.json", "reference"),
    ],
    failing_and_own: [
        ("leaderboard.json", "ranked"),
        ("log.jsonl", "forcedFold"),
        ("journal.jsonl", "masterSeedHash"),
        ("journal.jsonl", "masterSeed"),
    ],
    server_that_may_remember: [
        ("matches.json", "ownDecks"),
        ("log.jsonl", "ownDecks"),
        ("replies.jsonl", "action"),
        ("journal.jsonl", "deck_seed"),
    ],
    model: [("leaderboard.json", "usage"), ("summary.json", "latency"), ("replies.jsonl", "key")],
}


def contents(path):
    """Return what is to follow the schema: the file, or each of its lines."""
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return [yaml.safe_load(text) if path.suffix == ".yaml" else json.loads(text)]


def strict(schema):
    """Return a schema that allows none but its own fields."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    own = {name: strict(each) for name, each in schema.items()}
    return {**own, "additionalProperties": own.get("additionalProperties", False)} if "properties" in own else own


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_file_of_a_run_follows_its_schema_which_has_every_field(kind, tmp_path):
    run = kind(tmp_path)
    files = {path.name: path for path in run.iterdir() if path.is_file()}
    assert files.keys() <= {*SCHEMAS, "config.json"}
    for name, path in files.items():
        validator = Draft202012Validator(CONFIG if name == "config.json" else strict(SCHEMAS[name]))
        for content in contents(path):
            validator.validate(content)  # add fields to scripts/schemas.py
    assert [(name, field) for name, field in KINDS[kind] if f'"{field}":' not in files[name].read_text("utf-8")] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_stored_schema_is_that_of_the_code(name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    stored = (FOLDER / file_name(name)).read_text("utf-8")
    assert stored == as_text(schemas()[name]), "run: python scripts/schemas.py"


def test_the_stored_schema_of_the_config_is_that_of_the_code_and_takes_no_other_field():
    Draft202012Validator.check_schema(config_schema())
    stored = (FOLDER / file_name("config.json")).read_text("utf-8")
    assert stored == as_text(config_schema()), "run: python scripts/schemas.py"
    assert "handsPerGame" in stored
    assert config_schema()["additionalProperties"] is False


def test_a_file_that_does_not_follow_its_schema_is_noticed():
    validator = Draft202012Validator(SCHEMAS["leaderboard.json"])
    assert not validator.is_valid({"estimator": "auto", "participants": [{"name": "a"}]})
    assert not validator.is_valid({"participants": []})
    empty: dict[str, list] = {key: [] for key in ("participants", "leads", "pairs", "cycles")}
    assert validator.is_valid({"estimator": "raw", "luck": "3:a", **empty, "later": True})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("leaderboard.json", {"estimator": "raw", "luck": "3:a", "later": 1}),
        ("log.jsonl", {"event": "stop", "reason": "it is over", "later": 1}),
    ],
)
def test_a_field_that_is_not_in_a_schema_is_noticed(name, content):
    lists = {key: [] for key in ("participants", "leads", "pairs", "cycles") if name == "leaderboard.json"}
    assert Draft202012Validator(SCHEMAS[name]).is_valid({**content, **lists})
    assert not Draft202012Validator(strict(SCHEMAS[name])).is_valid({**content, **lists})

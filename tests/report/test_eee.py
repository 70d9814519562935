"""Records of Every Eval Ever: accepted by its schemas (copied from there), and with the numbers of the run."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator
from tests.e2e.shell import one_clear_line, quick
from tests.e2e.two_runs import EVIL

from molt_bench.records import MBB_PER_BB100

SCHEMAS = Path(__file__).parent / "every_eval_ever"


def schema(name):
    return Draft7Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_bytes()))


@pytest.fixture(scope="module", params=["bots_id", "models_id"])
def exported(request, runs, tmp_path_factory):
    """Return the folder of a run and that of its records."""
    run, target = runs / request.getfixturevalue(request.param), tmp_path_factory.mktemp("eee")
    done = quick("export", run, "--format", "eee", "--output", target)
    assert (done.returncode, done.stderr) == (0, f"molt-bench: wrote 3 records to {target}\n")
    return run, target


def records(target):
    return {path: json.loads(path.read_bytes()) for path in target.rglob("data/**/*.json")}


def samples(path):
    return [json.loads(line) for line in path.with_name(f"{path.stem}_samples.jsonl").read_text("utf-8").splitlines()]


def test_the_schemas_accept_every_record_and_every_row(exported):
    accepted, of_rows = schema("eval"), schema("instance_level_eval")
    for path, record in records(exported[1]).items():
        accepted.validate(record)
        for row in samples(path):
            of_rows.validate(row)


def test_a_record_has_the_result_and_the_interval_of_the_leaderboard(exported):
    run, target = exported
    rows = {row["id"]: row for row in json.loads((run / "leaderboard.json").read_bytes())["participants"]}
    for record in records(target).values():
        row = rows.pop(record["model_info"]["additional_details"]["participant"])
        details = record["evaluation_results"][0]["score_details"]
        assert details["score"] == row["bbPer100"]
        assert details["details"]["hands"] == str(row["hands"])
        interval = details["uncertainty"]["confidence_interval"]
        assert interval["upper"] - details["score"] == pytest.approx(row["bbPer100HalfWidth"], abs=0.051)
        assert interval["confidence_level"] == pytest.approx(0.95)
    assert not rows


def test_a_row_has_what_was_won_in_a_seed_pair_and_a_hash_that_the_opponent_does_not_share(exported):
    run, target = exported
    won = {}
    for match in json.loads((run / "matches.json").read_bytes())["matches"]:
        for seed in match["result"]["perSeed"]:
            for sign, who in ((1, "participantA"), (-1, "participantB")):
                key = match[who], f"{match['id']} {seed['seed']}"
                won[key] = sign * seed["marginsMbb"]["adjusted"] / MBB_PER_BB100
    hashes = {}
    for path, record in records(target).items():
        who = record["model_info"]["additional_details"]["participant"]
        for row in samples(path):
            assert row["evaluation"]["score"] == pytest.approx(won.pop((who, row["sample_id"])), abs=1e-4)
            assert row["evaluation_id"] == record["evaluation_id"]
            assert len(row["messages"]) == 2
            assert row["sample_hash"] == sha256(row["input"]["raw"].encode()).hexdigest()
            assert hashes.setdefault(row["sample_hash"], who) == who
    assert not won


def test_a_record_names_the_file_of_its_rows_and_their_hash(exported):
    _, target = exported
    for path, record in records(target).items():
        detailed = record["detailed_evaluation_results"]
        file = target / detailed["file_path"]
        assert file == path.with_name(f"{path.stem}_samples.jsonl")
        assert detailed["checksum"] == sha256(file.read_bytes()).hexdigest()
        assert detailed["total_rows"] == len(samples(path))


def test_a_model_has_its_settings_its_prompt_and_what_it_cost(exported):
    models = [one for one in records(exported[1]).values() if one["model_info"]["developer"] == "openai"]
    assert len(models) == (2 if "models" in exported[0].name else 0)
    for record in models:
        result = record["evaluation_results"][0]
        said = result["generation_config"]["additional_details"]
        assert said["model"] in ("openai:test", "openai:other")
        assert len(said["prompt_sha256"]) == 64
        assert float(result["score_details"]["details"]["costUsd"]) > 0


def test_the_data_card_has_front_matter_the_disclosure_and_the_citation(exported):
    run, target = exported
    _, front, body = (target / "README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(front)["configs"][0]["data_files"] == "data/**/*_samples.jsonl"
    last = json.loads((run / "summary.json").read_bytes())["journal"]["sha256"]
    cited = (target / "CITATION.bib").read_text("utf-8")
    assert f"SHA-256 of the last {last}" in cited
    assert cited in body
    assert "## Contamination" in body
    assert EVIL not in body


def test_another_export_replaces_the_records_and_adds_none(exported):
    run, target = exported
    before = sorted(target.rglob("*"))
    assert quick("export", run, "--format", "eee", "--output", target).returncode == 0
    assert sorted(target.rglob("*")) == before


def test_records_do_not_go_to_standard_output(runs, bots_id):
    done = quick("export", runs / bots_id, "--format", "eee", "--output", "-")
    assert done.returncode == 2
    assert "--output -" in done.stderr
    one_clear_line(quick("export", runs / bots_id, "--format", "eee", "--output", "/dev/null/x"), "--output")

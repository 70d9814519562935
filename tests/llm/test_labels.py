"""How models are told apart: by a short label, and by all that decides their replies in leaderboard.json."""

import json
from itertools import combinations

import pytest

from molt_bench import run_benchmark, write_artifacts
from molt_bench.llm.settings import LLMSettings
from molt_bench.report.run_rows import Rows
from tests.llm import wire
from tests.llm.playing import config, passive
from tests.llm.provider import Provider

WAYS = [
    {},
    {"reasoning_effort": "high"},
    {"reasoning_effort": "low"},
    {"thinking_tokens": 3000},
    {"temperature": 0.5},
    {"top_p": 0.5},
    {"seed": 7},
    {"max_tokens": 7},
    {"extra_body": {"top_k": 7}},
    {"extra_body": {"top_k": 8}},
    {"base_url": "http://127.0.0.1:8000/v1"},
]


def test_two_models_that_are_asked_in_other_ways_never_share_a_label():
    models = [LLMSettings(model="openai:gpt-5", **way) for way in WAYS]
    assert all(one.label != two.label for one, two in combinations(models, 2))
    assert models[1].label == "gpt-5 high"


@pytest.fixture(scope="module", name="found")
def two_of_one_model(tmp_path_factory):
    whole = wire.openai_answer

    def answer(*args):
        return {**whole(*args), "system_fingerprint": "fp_1"}

    folder = tmp_path_factory.mktemp("labels")
    with pytest.MonkeyPatch.context() as patch, Provider(policy=passive) as provider:
        patch.setattr(wire, "openai_answer", answer)
        where = {"type": "llm", "model": "openai:gpt-4.1", "baseUrl": provider.url}
        cold = {"id": "gpt-4.1", **where, "temperature": 0, "seed": 7}
        hot = {"id": "hot", **where, "temperature": 1.5}
        result = run_benchmark(config(cold, hot, game={"handsPerGame": 1}))
        write_artifacts(result, folder)
    return result, json.loads((folder / "leaderboard.json").read_text())


def test_a_model_without_a_name_of_its_own_is_shown_by_its_label(found):
    shown = Rows(found[0]).names
    assert shown["gpt-4.1"].startswith("gpt-4.1 t 0 seed 7 at 127.0.0.1:")
    assert shown["hot"] == "hot"


def test_the_leaderboard_has_how_each_was_asked_and_what_answered(found):
    rows = {row["id"]: row for row in found[1]["participants"]}
    cold, hot = (rows[name] for name in ("gpt-4.1", "hot"))
    assert {name: cold["asked"][name] for name in ("model", "temperature", "seed")} == {
        "model": "openai:gpt-4.1",
        "temperature": 0,
        "seed": 7,
    }
    assert hot["asked"]["label"].startswith("gpt-4.1 t 1.5 at ")
    assert cold["usage"]["reportedAs"] == ["gpt-4.1-2026"]
    assert cold["usage"]["fingerprints"] == ["fp_1"]

"""Which names of a model mean the one that was asked for, and what is said about others."""

import pytest

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.llm.reported_model import other_models, same_model
from tests.llm import wire
from tests.llm.playing import config, model
from tests.llm.provider import Provider


@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        ("gpt-4.1", "gpt-4.1"),
        ("gpt-4.1", "gpt-4.1-2025-04-14"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("gemini-2.0-flash", "models/gemini-2.0-flash-001"),
        ("gemini-2.5-flash", "gemini-2.5-flash-preview-05-20"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("gpt-3.5-turbo", "gpt-3.5-turbo-0125"),
        ("meta-llama/llama-3.1-8b-instruct:free", "meta-llama/llama-3.1-8b-instruct"),
        ("Qwen3-8B", "/models/qwen3-8b.gguf"),
        ("llama3", "llama3:latest"),
    ],
)
def test_a_state_of_the_same_model_is_the_same(asked, reported):
    assert same_model(asked, reported)


@pytest.mark.parametrize(
    ("asked", "reported"),
    [
        ("gpt-4.1", "gpt-4.1-mini"),
        ("gpt-4.1-mini", "gpt-4.1"),
        ("gpt-4", "gpt-4.1"),
        ("gpt-4", "gpt-4-32k"),
        ("gpt-4-0613", "gpt-4-1106"),
        ("claude-opus-4", "claude-opus-4-1-20250805"),
        ("o3", "o3-mini"),
        ("qwen3", "qwen3-235b-a22b"),
        ("gpt-4.1", ""),
        ("gpt-4.1", "gpt-4.1-2025-04-14-distilled"),
    ],
)
def test_another_model_is_another(asked, reported):
    assert not same_model(asked, reported)


def test_names_without_end_are_told_with_an_end():
    said = other_models("m", "openai:gpt-4.1", [f"made-up {at}\n" for at in range(50)])
    assert len(said) == 6
    assert not any("\n" in warning for warning in said)


def test_another_model_is_a_warning_for_each_name_while_the_run_goes_on_and_in_its_result(monkeypatch):
    whole = wire.openai_answer
    monkeypatch.setattr(wire, "openai_answer", lambda _, *rest: whole(next(names), *rest))
    names = iter(["gpt-4.1-2025-04-14", *["gpt-3.5", "cheap", "gpt-4.1"] * 50])
    warned = []
    with Provider() as provider:
        observer = Observer(on_warning=warned.append)
        result = run_benchmark(config(model(provider)), observer=observer, games_at_once=1)
    told = [f"model was to be openai:gpt-4.1, but {name} has answered" for name in ("cheap", "gpt-3.5")]
    assert sorted(warned) == told
    assert [warning for warning in result.warnings if "has answered" in warning] == told

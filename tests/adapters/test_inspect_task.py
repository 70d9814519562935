"""The task of inspect_ai: its model plays our games, and its log has the score and every hand."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from molt_bench import ConfigError, make_agent, play_match
from molt_bench.seeds import seed_pool
from tests.agents.llm.provider import Provider

pytestmark = [
    pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed: make slow SUITE=adapters"),
    pytest.mark.filterwarnings("ignore"),
]


def caller(messages, tools, choice, config):
    """Check or call, whatever comes; the mock would count tokens with a file from the network."""
    return said('{"reasoning": "I call.", "kind": "%s"}' % ("check" if '"check"' in messages[-1].text else "call"))


def said(text):
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content("mockllm", text)
    output.usage = ModelUsage(input_tokens=100, output_tokens=1, total_tokens=101)
    return output


@pytest.fixture
def played(tmp_path):
    def play(answer=caller, *, limits=None, **task):
        from inspect_ai import eval as evaluate
        from inspect_ai.log import read_eval_log
        from inspect_ai.model import get_model

        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        arguments = {"opponent": "tight", "pairs": 2, "hands": 3, **task}
        (log,) = evaluate(
            "molt_bench/holdem",
            model=model,
            task_args=arguments,
            display="none",
            log_dir=str(tmp_path),
            **(limits or {}),
        )
        return read_eval_log(log.location, resolve_attachments=True)

    return play


def test_the_log_has_a_sample_for_each_seed_pair_with_its_score_and_their_standard_error(played):
    log = played()
    assert log.status == "success"
    values = [sample.scores["mbb_per_hand"].value for sample in log.samples]
    assert {sample.id for sample in log.samples} == {*seed_pool("inspect", 2)}
    metrics = log.results.scores[0].metrics
    assert metrics["mean"].value == pytest.approx(sum(values) / 2)
    assert metrics["stderr"].value == pytest.approx(abs(values[0] - values[1]) / 2)


def test_the_games_are_those_that_play_match_plays(played):
    log = played()
    agents = (lambda: make_agent("callstation"), lambda: make_agent("tight", seed="tight"))
    match = play_match(agents, seeds=seed_pool("inspect", 2), hands=3)
    raw = {sample.id: sample.scores["mbb_per_hand"].metadata["mbb"]["raw"] for sample in log.samples}
    assert raw == {pair.seed: pytest.approx(1000 * pair.net / 100 / 6) for pair in match.seed_results}


def test_the_transcript_has_every_hand_and_every_question(played):
    sample = played().samples[0]
    hands = [event.data for event in sample.events if event.event == "info"]
    assert [hand["hand"] for hand in hands] == [1, 2, 3, 1, 2, 3]
    questions = [event for event in sample.events if event.event == "model"]
    assert "Legal actions:" in questions[0].input[-1].text
    assert len(questions) >= 1


def test_a_reply_that_cannot_be_read_is_a_fault_and_the_hand_is_folded(played):
    (sample,) = played(lambda *_: said("I would rather not."), pairs=1).samples
    found = sample.scores["mbb_per_hand"].metadata
    assert found["forced_folds"] > 0
    assert found["faults"] == 3 * found["forced_folds"]


def test_a_sample_that_met_a_limit_of_inspect_has_no_score(played):
    log = played(limits={"token_limit": 300}, pairs=1)
    assert log.samples[0].limit.type == "token"
    assert not log.samples[0].scores
    assert log.status == "success"


def test_an_error_of_the_provider_is_an_error_of_the_sample(played):
    def gone(*_):
        raise RuntimeError("the provider is gone")

    log = played(gone, pairs=1)
    assert log.status == "error"
    assert "the provider is gone" in log.samples[0].error.message


@pytest.mark.parametrize(("field", "value"), [("opponent", "nobody"), ("memory", "all"), ("hands", 0), ("pairs", 0)])
def test_a_setting_that_cannot_work_is_named(field, value):
    from molt_bench.adapters.inspect_task import holdem

    with pytest.raises(ConfigError, match=f"{field.replace('pairs', 'seeds')} = "):
        holdem(**{"opponent": "tight", field: value})


def test_the_command_plays_a_model_of_a_provider_over_http(tmp_path):
    command = [Path(sys.executable).parent / "inspect", "eval", "molt_bench/holdem", "--model", "openai/gpt-4.1"]
    settings = ["-T", "opponent=tag", "-T", "pairs=2", "-T", "hands=3", "--display", "plain"]
    with Provider() as provider:
        done = subprocess.run(
            [*command, *settings],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env={**os.environ, "OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url},
        )
    assert done.returncode == 0, done.stderr
    assert "mbb_per_hand" in done.stdout
    assert provider.answered > 5


def test_the_command_plays_the_mock_without_a_network(tmp_path):
    """The mock counts tokens by a file from the network; with proxies that nobody answers, it could not have it."""
    command = [Path(sys.executable).parent / "inspect", "eval", "molt_bench/holdem", "--model", "mockllm/model"]
    settings = ["-T", "opponent=tight", "-T", "pairs=1", "-T", "hands=2", "--display", "plain"]
    nobody = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    done = subprocess.run(
        [*command, *settings],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, **nobody, "TIKTOKEN_CACHE_DIR": str(tmp_path / "empty")},
    )
    assert done.returncode == 0, done.stderr
    assert "mbb_per_hand" in done.stdout
    assert "Log:" in done.stdout

"""The task of inspect_ai: its model plays our games, and its log has the score and every question."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from molt_bench import ConfigError, make_agent, play_match
from molt_bench.seeds import seed_pool
from tests.llm.provider import Provider

pytestmark = [
    pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed: make slow SUITE=adapters"),
    pytest.mark.filterwarnings("ignore"),
]


#: The name of a score in a log.
SCORE = "molt_bench/mbb_per_hand"
#: Proxies that no one answers: nothing is fetched from the network.
NOBODY = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")


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
    values = [sample.scores[SCORE].value for sample in log.samples]
    assert {sample.id for sample in log.samples} == {*seed_pool("inspect", 2)}
    assert [each.name for each in log.results.scores] == ["raw", "adjusted"]
    for each in log.results.scores:
        one, two = (value[each.name] for value in values)
        assert each.metrics["mean"].value == pytest.approx((one + two) / 2)
        assert each.metrics["stderr"].value == pytest.approx(abs(one - two) / 2)


def test_the_games_are_those_that_play_match_plays(played):
    log = played()
    agents = (lambda: make_agent("callstation"), lambda: make_agent("tight"))
    match = play_match(agents, seeds=seed_pool("inspect", 2), hands=3)
    raw = {sample.id: sample.scores[SCORE].value["raw"] for sample in log.samples}
    assert raw == {pair.seed: pytest.approx(1000 * pair.net / 100 / 6) for pair in match.seed_results}


def test_the_transcript_has_every_question(played):
    sample = played().samples[0]
    questions = [event for event in sample.events if event.event == "model"]
    assert "Legal actions:" in questions[0].input[-1].text
    assert len(questions) >= 1


def test_a_reply_that_cannot_be_read_is_a_fault_and_the_hand_is_folded(played):
    (sample,) = played(lambda *_: said("I would rather not."), pairs=1).samples
    found = sample.scores[SCORE].metadata
    assert found["forced_folds"] > 0
    assert found["faults"] == 3 * found["forced_folds"]


def test_a_sample_that_met_a_limit_of_inspect_has_no_score(played):
    log = played(limits={"token_limit": 300}, pairs=1)
    assert log.samples[0].limit.type == "token"
    assert not log.samples[0].scores
    assert log.status == "success"


@pytest.mark.parametrize("most", [5, 8])
def test_messages_are_those_of_the_whole_sample_and_their_limit_ends_it(played, most):
    whole = played(pairs=1).samples[0]
    assert whole.limit is None
    questions = [event for event in whole.events if event.event == "model"]
    said = [message.role for message in whole.messages if message.role != "system"]
    assert said[1:] == ["user", "assistant"] * len(questions)  # after the input of the sample
    assert len(said) > 8
    log = played(limits={"message_limit": most}, pairs=1)
    assert log.samples[0].limit.type == "message"
    assert len(log.samples[0].messages) <= most
    assert not log.samples[0].scores
    assert log.status == "success"


def inspect(*arguments, cwd, **variables):
    """Run a command of inspect, without a network, and return what it prints."""
    done = subprocess.run(
        [Path(sys.executable).parent / "inspect", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=cwd,
        env={**os.environ, **NOBODY, "TIKTOKEN_CACHE_DIR": str(cwd / "empty"), **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def played_over_http(folder, *settings):
    """Play a model of a provider by the command; return what it prints."""
    flags = ("-T", "opponent=tag", "-T", "pairs=2", "-T", "hands=3", "--display", "plain")
    with Provider() as provider:
        key = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url, "NO_PROXY": "127.0.0.1"}
        said = inspect("eval", "molt_bench/holdem", "--model", "openai/gpt-4.1", *flags, *settings, cwd=folder, **key)
    assert provider.answered > 5
    return said


@pytest.mark.parametrize("scorer", [(), ("--scorer", "molt_bench/mbb_per_hand")], ids=["as before", "by name"])
def test_the_command_plays_a_model_of_a_provider_and_scores_its_log_again(tmp_path, scorer):
    from inspect_ai.log import read_eval_log

    assert "adjusted" in played_over_http(tmp_path)
    (path,) = (tmp_path / "logs").iterdir()
    again = tmp_path / "again.eval"
    flags = ("--action", "overwrite", "--overwrite", "--output-file", again, "--display", "plain")
    said = inspect("score", path, *scorer, *flags, cwd=tmp_path, OPENAI_API_KEY="a-key")
    assert "raw" in said
    assert "adjusted" in said
    before, after = read_eval_log(str(path)), read_eval_log(str(again))
    for one, two in zip(before.samples, after.samples, strict=True):
        (found,) = two.scores.values()
        assert found.value == one.scores[SCORE].value
    assert [each.metrics["mean"].value for each in before.results.scores] == [
        each.metrics["mean"].value for each in after.results.scores
    ]


def test_an_error_of_the_provider_is_an_error_of_the_sample(played):
    def gone(*_):
        raise RuntimeError("the provider is gone")

    log = played(gone, pairs=1)
    assert log.status == "error"
    assert "the provider is gone" in log.samples[0].error.message


@pytest.mark.parametrize(("field", "value"), [("opponent", "nobody"), ("memory", "all"), ("hands", 0), ("pairs", 0)])
def test_a_setting_that_cannot_work_is_named(field, value):
    from molt_bench.plugins.adapters.inspect_task import holdem

    with pytest.raises(ConfigError, match=f"{field.replace('pairs', 'seeds')} = "):
        holdem(**{"opponent": "tight", field: value})

"""A run in batches that was killed finds what it had submitted, and pays for nothing twice."""

import json
import os
import shutil
import signal
from collections import Counter

import pytest

from molt_bench.agents.llm.providers import anthropic
from molt_bench.agents.llm.sending import batches as batch
from tests.e2e.llm import config_for, exchanges_in, forked, played, same_files, until
from tests.e2e.shell import Fork, quick, run_of

MODELS = {"openai": "openai:test", "anthropic": "anthropic:claude-sonnet-4-5"}


@pytest.fixture(scope="module", autouse=True)
def _quickly():
    """Wait for as little as a test needs; runs are forks of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "QUIET_S", 0.2)
        patch.setattr(batch, "POLL_S", 0.02)
        patch.setattr(batch, "_TRY_AGAIN_S", 0.05)
        patch.setattr(anthropic, "_LOOK_AGAIN_S", 0.02)
        yield


def config(server, api):
    url = server.url if api == "openai" else server.url.removesuffix("/v1")
    made = config_for(url, model=MODELS[api], batch=True, maxTokens=500)
    made["participants"][0]["type"] = "llm"
    made["llm"]["prices"] = {MODELS[api]: {"input": 100, "output": 1000}}
    return {**made, "game": {"handsPerGame": 2}, "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}}}


@pytest.fixture(scope="module", params=MODELS)
def whole(request, one_server, tmp_path_factory):
    """Return the API and the folder of a run that nobody has disturbed."""
    one_server.calm()
    one_server.desk.calm()
    return request.param, played(tmp_path_factory.mktemp("batch"), config(one_server, request.param))


@pytest.fixture(autouse=True)
def _calm_desk(one_server):
    one_server.desk.calm()


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.slow
def test_verify_and_report_ask_nobody(whole, server, tmp_path, command):
    _, run = whole
    folder, before = shutil.copytree(run, tmp_path / "run"), len(server.desk.batches)
    done = quick(command, folder)
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(run)
    assert len(server.desk.batches) == before


@pytest.mark.slow
@pytest.mark.parametrize("steps", [("submitted",), ("poll",), ("results",), ("submit", "submitted", "poll", "results")])
def test_killed_at_any_step_it_goes_on_with_the_same_batch(whole, server, tmp_path, steps):
    """Before the batch is there, before its id is known, while it is under way, before its answers have come."""
    api, run = whole
    before = Counter(server.desk.submitted)
    for sitting, step in enumerate(steps):
        current = [None, False]

        def kill(at, step=step, current=current):
            if at == step and not current[1]:
                current[1] = True
                until(lambda: current[0])
                current[0].kill()
                current[0].wait()

        server.desk.hook = kill
        if sitting:
            current[0] = Fork("resume", "--run-agents", run_of(tmp_path / "out"), "--quiet")
        else:
            current[0] = forked(tmp_path, config(server, api))
        current[0].communicate()
        assert current[0].returncode == -signal.SIGKILL
    server.desk.calm()
    folder = run_of(tmp_path / "out")
    done = quick("resume", "--run-agents", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(run)
    assert server.desk.submitted - before == Counter(each["key"] for each in exchanges_in(folder))
    assert len({each["key"] for each in exchanges_in(folder)}) == len(exchanges_in(run)) > 5


@pytest.mark.slow
def test_a_damaged_file_of_batches_is_named(whole, tmp_path):
    _, run = whole
    folder = shutil.copytree(run, tmp_path / "run")
    journal = folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    (folder / "summary.json").unlink(missing_ok=True)
    (folder / "batches.jsonl").write_text(json.dumps({"name": 7}) + "\n")
    done = quick("resume", "--run-agents", folder, "--quiet")
    assert done.returncode == 1
    assert "batches.jsonl line 1 is damaged" in done.stderr


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_a_batch_and_resume_does(whole, server, tmp_path):
    api, run = whole
    before, polled = Counter(server.desk.submitted), []
    server.desk.polls = 10**9
    server.desk.hook = lambda at: polled.append(at) if at == "poll" else None
    process = forked(tmp_path, config(server, api))
    until(lambda: len(polled) > 2)
    os.kill(process.pid, signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    server.desk.calm()
    folder = run_of(tmp_path / "out")
    done = quick("resume", "--run-agents", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(run)
    assert server.desk.submitted - before == Counter(each["key"] for each in exchanges_in(folder))

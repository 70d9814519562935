"""A Python agent that asks a model, killed in the middle: it goes on from the record, and pays nothing twice."""

import signal

import pytest
import yaml

from tests.e2e.llm import PRICE, exchanges_in, killing, same_files
from tests.e2e.shell import quick, run_of, start
from tests.llm.test_asking import EXAMPLE, with_tools

MODEL = "openai:test"


def config_of(server, folder):
    asked = {"model": MODEL, "baseUrl": server.url}
    player = {"id": "harness", "type": f"{EXAMPLE}:ModelWithTools", "params": {"model": MODEL}, "models": [asked]}
    config = {
        "participants": [player, "callstation"],
        "seeds": {"perMatch": 2, "masterSeed": "the master seed of these tests"},
        "game": {"handsPerGame": 3},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1, "maxCostUsd": 100}},
        "llm": {"backoffS": 0.01, "prices": {MODEL: PRICE}},
        "outputDir": str(folder / "out"),
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


@pytest.mark.slow
def test_a_harness_that_is_killed_goes_on_and_pays_nothing_twice(tmp_path, server):
    with server.saying(with_tools):
        whole = tmp_path / "whole"
        whole.mkdir()
        assert quick("--config", config_of(server, whole), "--quiet").returncode == 0
        folder = tmp_path / "killed"
        folder.mkdir()
        path, before = config_of(server, folder), server.received
        alone = ("--games-at-once", "1")  # nothing else is under way when it is killed
        current = killing(server)
        for sitting, place in enumerate((7, 19)):
            current[:] = [None, server.received + place]
            current[0] = start("--config", path, "--quiet", *alone, *(["--resume"] if sitting else []))
            current[0].communicate()
            assert current[0].returncode == -signal.SIGKILL
        server.hook = None
        done = quick("--config", path, "--resume", "--quiet", *alone)
        assert done.returncode == 0, done.stderr
        answered = [request for request in server.since(before) if request.answered]
    exchanges = exchanges_in(run_of(folder / "out"))
    assert len(answered) == len(exchanges) == len({each["key"] for each in exchanges})
    assert same_files(run_of(folder / "out"), ["matches.json"]) == same_files(run_of(whole / "out"), ["matches.json"])

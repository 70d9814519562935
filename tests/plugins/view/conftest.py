"""Real runs, and a real server that shows them."""

import http.client
import json
import re
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from molt_bench.plugins.view.library import Library
from tests.e2e.llm import PRICE
from tests.e2e.shell import quick_run, start
from tests.llm import wire
from tests.llm.provider import Provider

#: What a hostile name, reply or error may hold.
EVIL = "</script><script>alert(1)</script><!--\u2028&\u202egnp.exe\u202c\x07"
MODELS = ("openai:test", "openai:other")


def hostile_policy(prompt, body):
    """Answer as a model that means harm would: now and then with text in place of an answer."""
    reply = wire.default_policy(prompt, body)
    roll = int(re.search(r"\d+", reply["reasoning"])[0])
    if roll % 9 == 4:
        return f"I refuse. {EVIL}"
    return {**reply, "reasoning": f"{EVIL} {roll}"}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Return a folder with two runs: four bots, and two models with a bot."""
    folder = tmp_path_factory.mktemp("view")
    fast = ("--quiet", "--executor", "inline", "--set", "stop.adjacentConfidence=null")
    bots = ("--participants", "tag,callstation,random", "--seeds", "3", "--hands", "12", "--max-matches", "4")
    quick_run(folder / "bots", *bots, *fast)
    with Provider(policy=hostile_policy) as provider:
        models = [
            {"id": f"model-{at}", "type": f"llm:{model}", "baseUrl": provider.url, "memory": memory}
            for at, (model, memory) in enumerate(zip(MODELS, ("session", "none"), strict=True))
        ]
        models[0]["displayName"] = EVIL
        config = {
            "participants": [*models, {"id": "tight", "type": "tight", "anchor": True}],
            "seeds": {"perMatch": 2, "masterSeed": "models"},  # by which a model fails at some decisions
            "game": {"handsPerGame": 5, "warmupHands": 1, "ante": 10},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
            "llm": {"backoffS": 0.01, "prices": dict.fromkeys(MODELS, PRICE)},
        }
        path = folder / "config.json"
        path.write_text(json.dumps(config))
        quick_run(folder / "models", "--config", path, "--quiet", "--no-cost-limit", env={"OPENAI_API_KEY": "key"})
    both = folder / "both"
    both.mkdir()
    for name in ("bots", "models"):
        (made,) = (folder / name).iterdir()
        shutil.move(made, both / f"2026-01-0{1 + (name == 'models')}T10-00-00-{name}")
    return both


@pytest.fixture(scope="session")
def bots_id():
    return "2026-01-01T10-00-00-bots"


@pytest.fixture(scope="session")
def models_id():
    return "2026-01-02T10-00-00-models"


@pytest.fixture(scope="session")
def library(runs):
    return Library(runs)


class Viewer:
    """`molt-bench view` as a user starts it.

    Attributes:
        port: Where it answers.
    """

    def __init__(self, folder, *flags):
        self.process = start("view", folder, "--port", 0, "--no-browser", *flags)
        self.said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", self.said)[1])

    def ask(self, path, *, method="GET", host=None, headers=None, raw_host=True, body=None):
        """Send a request as it is written, and return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if raw_host:
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return SimpleNamespace(status=answer.status, headers=told, body=body)

    def json(self, path):
        answer = self.ask(path)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def end(self):
        """End it as Ctrl-C does, and return its status and what it said last."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out + err


@pytest.fixture(scope="session")
def viewer(runs, tmp_path_factory):
    """Serve the runs, with a secret beside them and links that lead to it."""
    secret = tmp_path_factory.mktemp("secret")
    shutil.copytree(runs / "2026-01-01T10-00-00-bots", secret / "hidden")
    served = tmp_path_factory.mktemp("served")
    for run in runs.iterdir():
        shutil.copytree(run, served / run.name)
    (served / "link").symlink_to(secret / "hidden")
    (served / "inner").mkdir()
    (served / "inner" / "journal.jsonl").symlink_to(secret / "hidden" / "journal.jsonl")
    (served / "damaged").mkdir()
    (served / "damaged" / "journal.jsonl").write_text('{"line": "header", "format": 1}\n')
    viewer = Viewer(served)
    viewer.secret = Path(secret)
    yield viewer
    status, said = viewer.end()
    assert (status, said) == (0, "")

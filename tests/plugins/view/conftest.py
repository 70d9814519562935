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
from tests.e2e.shell import start
from tests.e2e.two_runs import bots_id, models_id, runs

__all__ = ["bots_id", "models_id", "runs"]


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

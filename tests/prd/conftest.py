"""What these tests share: the command, runs that several tests read, and a provider of models on loopback."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import molt_bench

MOLT_BENCH = Path(sys.executable).with_name("molt-bench")
#: Variables that would decide what a run does.
_NOT_PASSED_ON = ("MOLT_BENCH_", "OPENAI_", "ANTHROPIC_", "GOOGLE_", "GEMINI_")


@dataclass
class Run:
    """The files of a run."""

    folder: Path

    def read(self, name):
        """Return what a JSON file says; NaN and infinities are not JSON."""
        return json.loads((self.folder / name).read_text("utf-8"), parse_constant=_not_json)

    def lines(self, name):
        """Return what each line of a JSONL file says."""
        return [json.loads(line, parse_constant=_not_json) for line in (self.folder / name).read_text().splitlines()]

    @cached_property
    def config(self):
        return self.read("config.json")

    @cached_property
    def seeds(self):
        return self.read("seeds.json")

    @cached_property
    def summary(self):
        return self.read("summary.json")

    @cached_property
    def matches(self):
        return self.read("matches.json")["matches"]

    @cached_property
    def log(self):
        return self.lines("log.jsonl")

    @cached_property
    def board(self):
        """The rows of the leaderboard by participant, best first."""
        return {row["id"]: row for row in self.read("leaderboard.json")["participants"]}

    @property
    def ranking(self):
        return list(self.board)

    @property
    def pairs(self):
        """Who played whom, match by match."""
        return [frozenset((match["participantA"], match["participantB"])) for match in self.matches]

    @property
    def steps(self):
        """The convergence data, match by match."""
        return self.summary["convergence"]

    def ratings_before(self):
        """Return the ratings before each match, by participant: the initial ones and all changes so far."""
        now = {}
        for participant in self.config["participants"]:
            start = participant["initialRating"] or {
                "mu": self.config["rating"]["mu0"],
                "sigma": self.config["rating"]["sigma0"],
            }
            now[participant["id"]] = dict(start)
        found = []
        for match in self.matches:
            found.append({name: dict(rating) for name, rating in now.items()})
            for name, change in match["ratingDelta"].items():
                now[name] = {field: now[name][field] + change[field] for field in ("mu", "sigma")}
        return found


def _not_json(constant):
    raise ValueError(f"{constant} is not JSON")


@dataclass
class Done:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str
    home: Path

    @property
    def run(self):
        """The only run in the folder for runs."""
        (folder,) = (self.home / "benchmark-results").iterdir()
        return Run(folder)


def run_command(home, *arguments, variables=None, before=None):
    """Run `molt-bench` in a folder, as a user does."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)}
    done = subprocess.run(
        [MOLT_BENCH, *map(str, arguments)],
        cwd=home,
        env={**inherited, "NO_COLOR": "1", "COLUMNS": "120", **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=before,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr, home)


@pytest.fixture
def command(tmp_path):
    """Run `molt-bench` in an empty folder: `command("--seeds", 2)`."""
    return lambda *arguments, **options: run_command(tmp_path, *arguments, **options)


def run_config(folder, config, agents=None):
    """Play a config in memory and write its files."""
    folder.mkdir(parents=True, exist_ok=True)
    result = molt_bench.run_benchmark(config, agents=agents)
    assert molt_bench.write_artifacts(result, folder) == []
    return Run(folder)


@pytest.fixture
def played(tmp_path):
    """Play a config, and return its files: `played({...}, agents={...})`."""
    return lambda config, agents=None, name="run": run_config(tmp_path / name, config, agents)


def small(*participants, matches=3, seeds=2, hands=10, **sections):
    """Return a small config that stops after some matches and not before."""
    people = [each if isinstance(each, dict) else {"id": each, "type": each} for each in participants]
    return {
        "participants": people,
        "seeds": {"perMatch": seeds, "masterSeed": "requirements"},
        "game": {"handsPerGame": hands},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}},
        **sections,
    }


@pytest.fixture(scope="session")
def default_run(tmp_path_factory):
    """`molt-bench` without any argument."""
    done = run_command(tmp_path_factory.mktemp("default"))
    assert done.status == 0, done.err
    return done


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory):
    """The quick benchmark of the requirements, somewhat smaller."""
    arguments = ("--participants", "random,tight,callstation", "--seeds", 4, "--hands", 20, "--master-seed", "quick")
    done = run_command(tmp_path_factory.mktemp("quick"), *arguments)
    assert done.status == 0, done.err
    return done


class Caller:
    """Checks or calls, and keeps what it saw."""

    def __init__(self, name="caller"):
        self.name = name
        self.seen = []
        self.results = []

    def act(self, observation):
        self.seen.append(observation)
        return molt_bench.Action("call") if observation.to_call else molt_bench.Action("check")

    def on_hand_complete(self, result):
        self.results.append(result)


class Thrower:
    """Always raises an exception."""

    name = "thrower"

    def act(self, observation):
        raise RuntimeError("this agent always throws")


class Provider:
    """A server on loopback that speaks OpenAI's protocol; its model always folds, which is always legal.

    Attributes:
        requests: The body and the headers of every request.
        healthy: How many requests are answered before all others fail with status 500; None for all.
    """

    def __init__(self):
        self.requests = []
        self.healthy = None
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                provider.requests.append((body, dict(self.headers)))
                fails = provider.healthy is not None and len(provider.requests) > provider.healthy
                self._answer(500, {"error": {"message": "out of order"}}) if fails else self._answer(200, _reply(body))

            def _answer(self, status, content):
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def begin(self, healthy=None):
        """Forget all requests, and fail after so many."""
        self.requests.clear()
        self.healthy = healthy
        return self

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def _reply(body):
    decision = json.dumps({"reasoning": "It is safe.", "kind": "fold", "amount": None})
    return {
        "id": "1",
        "object": "chat.completion",
        "created": int(time.monotonic()),
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": decision}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


@pytest.fixture(scope="session")
def _provider():
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def provider(_provider):
    """The server, as if nothing had been asked yet."""
    return _provider.begin()


def model(provider, **settings):
    """Return a participant that is a model of this provider."""
    return {"id": "model", "type": "llm", "model": "openai:gpt-4.1", "baseUrl": provider.url, **settings}

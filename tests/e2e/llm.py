"""What the end-to-end tests of language models share: a provider whose mood can change, and runs that ask it."""

import json
import signal
import time
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from molt_bench.seeds import derive
from tests.e2e.shell import Fork, quick, run_of, start
from tests.llm import wire
from tests.llm.provider import Provider

#: Every file of a run that holds neither times nor latencies: the same bytes whenever the replies are the same.
SAME = ("config.json", "seeds.json", "leaderboard.json", "matches.json", "log.jsonl")
#: Dollars for a million tokens, such that sums are easy to check and calls are not cheap.
PRICE = {"input": 100.0, "output": 1000.0, "cachedInput": 10.0}
MODEL = "openai:test"
REPLY = "action/1"
#: What the first request to a model imports.
LIBRARIES = ("openai", "pydantic_ai.models.openai", "pydantic_ai.providers.openai", "genai_prices")


class Server(Provider):
    """A provider whose ways can be changed from test to test; its address stays.

    Attributes:
        hook: Is called with every request.
        fault: Every request's fault.
        delay: Seconds before each answer, or a function of the request's number.
        say: What the model answers, as a policy.
    """

    def __init__(self):
        self.calm()
        super().__init__(
            policy=lambda prompt, body: self.say(prompt, body),
            latency_s=lambda number: self.delay(number) if callable(self.delay) else self.delay,
            fault=lambda request: self.fault,
            on_request=lambda request: self.hook and self.hook(request),
        )

    def calm(self):
        """Be as in the beginning."""
        self.hook = self.fault = self.preflight_fault = None
        self.delay = 0.0
        self.say = wire.default_policy

    @contextmanager
    def saying(self, say):
        """Answer by a policy for a while, and be calm before and after."""
        self.calm()
        self.say = say
        yield self
        self.calm()

    def since(self, received):
        """Return the requests after the first so many."""
        return self.requests[received:]


def config_for(url, *, llm=None, **model):
    """Return the config of a small run: a model with a memory against two bots."""
    player = {"id": "model", "type": f"llm:{MODEL}", "baseUrl": url, "memory": "session", **model}
    return {
        "participants": [player, "tight", "random"],
        "seeds": {"perMatch": 2, "masterSeed": "the master seed of these tests"},
        "game": {"handsPerGame": 6},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 3}},
        "llm": {"backoffS": 0.03, "prices": {MODEL: PRICE}, **(llm or {})},
        "outputDir": "out",
    }


def prepared(folder, config):
    """Write a config into a folder of its own and return the flags that run it there, whatever it costs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(config))
    return ("--config", "bench.json", "--no-cost-limit")


def played(folder, config, *flags, env=None, status=0):
    """Run a config, which must succeed or end with another status, and return the folder of the run."""
    done = quick(*prepared(folder, config), "--quiet", *flags, cwd=folder, env=env)
    assert done.returncode == status, done.stderr
    return run_of(folder / "out")


def begun(folder, config, *flags):
    """Start a run in a folder and return the process."""
    return start(*prepared(folder, config), *flags, cwd=folder)


def killing(server):
    """Have the server kill a run in place of an answer; return a list for the run and the number of the request."""
    current = []

    def kill(request):
        if request.number == current[1]:
            until(lambda: current[0])
            current[0].kill()
            current[0].wait()

    server.hook = kill
    return current


def forked(folder, config, *flags):
    """Start a run in a folder in a fork of this process."""
    return Fork(*prepared(folder, config), "--quiet", *flags, cwd=folder)


def gone_on(folder, *flags):
    """Go on with a run, which must succeed."""
    done = quick("resume", "--run-agents", folder, "--quiet", *flags)
    assert done.returncode == 0, done.stderr
    return done


def killed_and_resumed(server, home, config, places, *flags):
    """Run a config that is killed in place of some answers, and resumed each time; return its folder."""
    current = killing(server)
    for sitting, place in enumerate(places):
        current[:] = [None, server.received + place]
        if sitting:
            current[0] = Fork("resume", "--run-agents", run_of(home / "out"), "--quiet", *flags)
        else:
            current[0] = forked(home, config, *flags)
        current[0].communicate()
        assert current[0].returncode == -signal.SIGKILL
    server.hook = None
    folder = run_of(home / "out")
    gone_on(folder, *flags)
    return folder


def same_files(folder, names=SAME):
    """Return the bytes of a run's files."""
    return {name: (Path(folder) / name).read_bytes() for name in names}


def exchanges_in(folder):
    """Return the exchanges of a run's games."""
    return [line for line in _exchanges(folder) if line["game"]["match"]]


def preflights_in(folder):
    """Return the exchanges of a run from before its first game."""
    return [line for line in _exchanges(folder) if not line["game"]["match"]]


def _exchanges(folder):
    """Return all exchanges of a run; a last line that is still being written, or torn, is none."""
    lines = (Path(folder) / "replies.jsonl").read_bytes().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    return [line for line in map(json.loads, whole) if line["line"] == "exchange"]


def recorded(folder):
    """Return how often every prompt is in a run's exchanges."""
    return Counter(line["promptHash"] for line in exchanges_in(folder))


def asked(requests):
    """Return how often every prompt is in some requests."""
    return Counter(map(prompt_hash, requests))


def prompt_hash(request):
    """Return the hash of a request's prompt, as exchanges have it."""
    system, user = (message["content"] for message in request.body["messages"])
    return sha256(f"{REPLY}\0{system}\0{user}".encode()).hexdigest()


def said_in(path):
    """Return the lines of a file of replies without what requests may cost."""
    lines = path.read_bytes().splitlines(keepends=True)
    return [line for line in lines if json.loads(line)["line"] in ("header", "skill", "exchange", "answer")]


def cut(folder, *, games, exchanges=None):
    """Cut a finished run back to its first games, and its exchanges to the first so many of games."""
    journal = folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[: 1 + games]))
    (folder / "summary.json").unlink(missing_ok=True)  # a run that was killed has none
    if exchanges is not None:
        path = folder / "replies.jsonl"
        lines = said_in(path)
        before = len(lines) - len(exchanges_in(folder))
        path.write_bytes(b"".join(lines[: before + exchanges]))


def until(condition, *, seconds=60):
    """Wait for something to come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)


def pick(most, *labels):
    """Return a whole number from 1 to `most` that looks random and is the same in every run."""
    return derive("picks", *labels) % most + 1

"""`maxSeconds` is hard: games end at their next decision, whoever plays them, and what was finished is kept."""

import http.server
import json
import re
import threading
import time
from time import monotonic

import pytest

from molt_bench.cli.run_result import UNRATED
from tests.agents.external.playing import CHAOS, PYTHON
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.llm import MODEL
from tests.e2e.shell import Fork, everything, games_in, good, quick, read, run_of, until, verified

BOT = " ".join((*PYTHON, CHAOS))
#: The limit, and what one decision, the end of processes and the rest of the program take on a slow machine.
MOST_S = 0.4
SLACK_S = 30.0
REASON = f"the budget of {MOST_S:g} seconds is spent, in the middle of a round"

SLOW = """
import time
from molt_bench import Action

class Slow:
    name = "slow"
    def act(self, observation):
        time.sleep(0.05)
        return Action("call") if observation.to_call else Action("check")

class SlowAsync(Slow):
    async def act(self, observation):
        import asyncio
        await asyncio.sleep(30)
        return Action("fold")
"""


class SlowServer(http.server.BaseHTTPRequestHandler):
    """Says hello, and answers nothing else for half a minute."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["type"] != "hello":
            time.sleep(30)
        said = json.dumps({"type": "hello", "protocol": 1}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


@pytest.fixture
def slow_server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowServer) as server:
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def config_of(player, *, pairs=500, matches=5, **game):
    """Return a config whose first match takes far longer than the limit, unless there are fewer pairs of seeds."""
    return {
        "participants": [player, {"id": "station", "type": "callstation"}],
        "seeds": {"perMatch": pairs, "masterSeed": "time"},
        "game": {"handsPerGame": 200, **game},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches, "maxSeconds": MOST_S}},
        "outputDir": "out",
    }


def cut_off(folder, config, *flags):
    """Run a config, which must end for want of time soon after it is up; return the folder of the run."""
    (folder / "bench.json").write_text(json.dumps(config))
    (folder / "bots.py").write_text(SLOW)
    began = monotonic()
    done = quick("run", "--config", "bench.json", "--quiet", *flags, cwd=folder)
    assert monotonic() - began < MOST_S + SLACK_S
    found = run_of(folder / "out")
    rated = read(found, "matches.json")["matches"]
    assert done.returncode == (0 if rated else UNRATED), done.stderr
    assert bool(re.search("no match was rated: .*no seed pair is complete", done.stderr)) == (not rated)
    summary = read(found, "summary.json")
    assert summary["stopReason"] == REASON
    assert MOST_S <= summary["seconds"] < MOST_S + SLACK_S / 2
    return found


def stays_as_it_is(folder):
    """Check that commands which read a run, or go on with it, leave all its files as they are."""
    before = everything(folder)
    unrated = not read(folder, "matches.json")["matches"]
    for command in ("report", "resume", "verify"):
        done = quick(command, folder)
        assert done.returncode == (UNRATED if unrated and command == "resume" else 0), (command, done.stderr)
        assert everything(folder) == before, command


INLINE = ("--executor", "inline")
WORKER = ("--executor", "processes", "--workers", "1")


@pytest.mark.parametrize(
    ("player", "game", "flags"),
    [
        ("tag", {}, INLINE),
        ("bots.py:SlowAsync", {}, INLINE),
        (f"exec:{BOT} hang", {}, ()),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("tag", {}, WORKER),
                ("bots.py:Slow", {}, INLINE),
                ("bots.py:Slow", {}, WORKER),
                ("bots.py:Slow", {}, ("--executor", "async", "--games-at-once", "2")),
                ("bots.py:Slow", {"actionTimeoutS": 20}, INLINE),  # whose own limit is not awaited
            )
        ),
    ],
)
def test_the_time_is_up_at_the_next_decision(tmp_path, player, game, flags):
    folder = cut_off(tmp_path, config_of({"id": "one", "type": player}, **game), *flags)
    assert len(games_in(folder)) < 1000
    rated = [len(match["result"]["perSeed"]) for match in read(folder, "matches.json")["matches"]]
    assert sum(rated) == len(games_in(folder)) // 2, "complete seed pairs are rated, and nothing else"


def test_a_web_server_is_not_awaited(tmp_path, slow_server):
    cut_off(tmp_path, config_of({"id": "one", "type": slow_server}))


@pytest.mark.slow
def test_a_run_that_ended_for_want_of_time_reads_the_same_again_and_is_extended(tmp_path):
    folder = cut_off(tmp_path, config_of("tag", pairs=2, matches=400, handsPerGame=20), *INLINE)
    games = games_in(folder)
    assert read(folder, "matches.json")["matches"]
    stays_as_it_is(folder)
    good(quick("resume", folder, "--set", f"stop.budget.maxSeconds={2 * MOST_S}", *INLINE, "--quiet"))
    assert games_in(folder)[: len(games)] == games
    assert len(games_in(folder)) > 1.2 * len(games)
    stays_as_it_is(folder)


@pytest.mark.slow
def test_replies_of_models_are_awaited_for_a_few_seconds_only(tmp_path, server):
    server.delay = lambda number: 0.0 if number <= 3 else 30.0
    folder = cut_off(tmp_path, config_of({"id": "model", "type": f"llm:{MODEL}", "baseUrl": server.url}, pairs=2))
    received = server.received
    stays_as_it_is(folder)
    assert server.received == received


@pytest.mark.slow
def test_live_agents_that_think_are_told_the_end(tmp_path):
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": 1, "maxSeconds": MOST_S}}
    served = Served(live_config(tmp_path, "guest", {"id": "bot", "type": "tight"}, stop=stop))
    release = threading.Event()

    def thinking(turn):
        release.wait(60)
        return {"kind": "fold"}

    guest = Poller(served.invitations(1)[0], thinking)
    threading.Timer(MOST_S + 3, release.set).start()
    assert served.ended() == UNRATED, served.err
    assert REASON in served.out
    release.set()
    del guest
    assert "identical" in verified(run_of(tmp_path / "runs"))


def test_the_time_of_an_interrupted_run_counts(tmp_path):
    """A run resumed after its time is up ends at once."""
    (tmp_path / "bench.json").write_text(json.dumps(config_of("tag")))
    process = Fork("run", "--config", "bench.json", "--quiet", *INLINE, cwd=tmp_path)
    until(lambda: any(b"\n" in path.read_bytes() for path in tmp_path.glob("out/*/journal.jsonl")))
    time.sleep(MOST_S / 2)
    process.kill()
    process.communicate()
    folder = run_of(tmp_path / "out")
    done = quick("resume", folder, "--quiet", *INLINE)
    assert done.returncode == (0 if len(games_in(folder)) > 1 else UNRATED), done.stderr
    summary = read(folder, "summary.json")
    assert summary["stopReason"] == REASON
    assert summary["seconds"] < MOST_S + SLACK_S / 2

"""Whoever is not there is one clear line before the first card, and nothing is left behind."""

import json
import shlex
import socket
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.agents.external.playing import left_of
from tests.agents.external.server import Server as Table
from tests.e2e.llm import SAME, config_for, cut, exchanges_in, played, preflights_in, prepared, same_files
from tests.e2e.shell import SEEDED, SMALL, games_in, gone_on, good, one_clear_line, quick, run_of, usage_in, verified
from tests.e2e.test_programs import ACPC
from tests.ports import deaf_port


def absent(tmp_path, *arguments, said):
    """Check that a run is one clear line, with nothing left behind."""
    done = quick(*arguments, *SMALL, "--output-dir", tmp_path / "out", cwd=tmp_path)
    one_clear_line(done, *said)
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


@contextmanager
def redirecting(status):
    """Return the address of a server that always sends its clients elsewhere, and the requests that it got."""
    seen = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def do_GET(self):
            self.send_response(status)
            self.send_header("Location", "/v1/again")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
        server.shutdown()


def test_a_server_that_is_not_there(tmp_path):
    url = f"http://127.0.0.1:{deaf_port()}/act"
    said = f".url = '{url}': expected a server that answers (no connection"
    absent(tmp_path, "--participants", f"{url},tight", said=[said])
    one_clear_line(quick("check", url, cwd=tmp_path), said)
    good(quick("--participants", f"{url},tight", *SMALL, "--no-preflight", "--quiet", cwd=tmp_path))


def test_a_host_that_does_not_exist(tmp_path):
    url = "http://no-such-host.invalid/act"
    absent(tmp_path, "--participants", f"{url},tight", said=["expected a server that answers"])


def test_a_server_without_tls_or_that_does_not_answer_hello_well_and_one_that_is_greeted_once(tmp_path):
    with Table() as table:
        url = table.url.replace("http:", "https:")
        said = ["expected a server that answers (no connection"]
        absent(tmp_path, "--participants", f"{url},tight", said=said)
        good(quick("--participants", f"{table.url},tight", *SMALL, "--quiet", cwd=tmp_path))
        assert [message["type"] for message in table.messages[:3]] == ["hello", "bye", "hello"]
        assert table.messages[0]["game"] == table.messages[1]["game"] != table.messages[2]["game"]
    with Table("wrong-hello") as table:
        said = ["a server that answers (the answer is not as the protocol says"]
        absent(tmp_path, "--participants", f"{table.url},tight", said=said)


def test_a_server_that_takes_the_connection_has_its_whole_time_to_answer(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/act"
        flags = ("--participants", f"{url},tight", "--set", "game.actionTimeoutS=1.5")
        absent(tmp_path, *flags, said=["expected a server that answers (no answer within 1.5 s)"])


@pytest.mark.parametrize(("status", "who"), [(301, "model"), (307, "model"), (307, "server")])
def test_a_server_that_always_redirects_is_refused_at_once(tmp_path, libraries, status, who):
    with redirecting(status) as (url, seen):
        flags = prepared(tmp_path, config_for(url)) if who == "model" else ("--participants", f"{url},tight")
        absent(tmp_path, *flags, said=[f"the server answered {status}, a redirect, which is not followed"])
        assert len(seen) == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("raise SystemExit('no licence')", ["exit status 1; its last line on standard error: no licence"]),
        (
            "import sys\nprint('hi', file=sys.stderr)\nprint('{}', flush=True)\ninput()\ninput()",
            ["missing required field", "its last line on standard error: hi"],
        ),
        (None, ["exit status 1; its last line on standard error: no licence"]),
    ],
    ids=["ends", "no hello", "of the ACPC"],
)
def test_a_program_that_cannot_play(tmp_path, source, said):
    (tmp_path / "bot.py").write_text(source or "")
    acpc = [*ACPC.split(), "ends-at-once", str(tmp_path / "log"), "1", "20000"]
    command = [sys.executable, "-S", "bot.py"] if source else acpc
    bot = {"id": "bot", "type": f"exec:{shlex.join(command)}", "sandbox": "off"}
    (tmp_path / "bench.json").write_text(json.dumps({"participants": [bot, "tight"], "game": {"stack": 20_000}}))
    absent(tmp_path, "--config", "bench.json", said=["participant 'bot' cannot play: ", *said])
    assert left_of(tmp_path / "log") == []


def test_nobody_is_paid_while_somebody_is_not_there(tmp_path, server):
    config = config_for(server.url)
    config["participants"][1] = f"http://127.0.0.1:{deaf_port()}/act"
    before = server.preflights
    one_clear_line(quick(*prepared(tmp_path, config), cwd=tmp_path), "expected a server that answers")
    assert server.preflights == before


def test_a_model_whose_server_is_not_there(tmp_path, libraries):
    config = config_for(f"http://127.0.0.1:{deaf_port()}/v1")
    absent(tmp_path, *prepared(tmp_path, config), said=["participants.model.baseUrl = 'http://127.0.0.1:"])
    model = ("llm:openai:test", "--param", f"base_url={config['participants'][0]['baseUrl']}")
    done = quick("check", *model, cwd=tmp_path)
    assert (done.returncode, "expected a server that answers (no connection" in done.stderr) == (1, True)


@pytest.mark.parametrize("fault", ["401", "404", "429-quota"])
def test_a_provider_that_refuses_for_good(tmp_path, server, fault):
    server.preflight_fault = fault
    received = server.received
    absent(tmp_path, *prepared(tmp_path, config_for(server.url)), said=["model (openai:test) cannot be asked"])
    assert server.received == received


SLOW_FAULTS = ["500", "400", "reset", "empty-reply", "cut-reply", "hang"]


@pytest.mark.parametrize(
    "fault",
    [
        "429",
        *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW_FAULTS),
    ],
)
def test_what_may_pass_is_left_to_the_games(tmp_path, server, fault):
    server.preflight_fault = fault
    config = config_for(server.url)
    config["game"]["actionTimeoutS"] = 1.0
    (asked,) = preflights_in(played(tmp_path, config))
    assert (asked["outcome"] == "reply") == (fault in ("empty-reply", "cut-reply"))


@pytest.mark.slow
def test_a_model_is_asked_once_and_its_answer_is_paid_for_and_counted_as_no_decision(tmp_path, server):
    before = server.preflights
    folder = played(tmp_path, config_for(server.url))
    assert server.preflights == before + 1
    (asked,) = preflights_in(folder)
    assert asked["game"] == {"match": 0, "seed": "preflight", "seating": "AB"}
    assert (asked["hand"], asked["attempt"], asked["text"]) == (0, 0, "Ready.")
    (model,) = usage_in(folder).values()
    exchanges = exchanges_in(folder)
    assert model["exchanges"] == model["decisions"] == len(exchanges)
    assert model["costUsd"] == pytest.approx(sum(line["costUsd"] for line in (asked, *exchanges)))
    without = played(tmp_path / "without", config_for(server.url), "--no-preflight")
    assert server.preflights == before + 1
    assert preflights_in(without) == []
    names = [name for name in SAME if name != "leaderboard.json"]  # which has what the question cost
    assert same_files(without, names) == same_files(folder, names)


@pytest.mark.slow
def test_a_run_that_goes_on_asks_nobody_twice_and_ends_with_the_same_bytes(tmp_path, server):
    folder = played(tmp_path, config_for(server.url))
    whole, before = same_files(folder), server.preflights
    cut(folder, games=0, exchanges=20)
    assert same_files(gone_on(folder)) == whole
    assert len(preflights_in(folder)) == 1
    verified(folder)
    good(quick("report", folder))
    assert same_files(folder) == whole
    assert server.preflights == before


def test_what_was_played_is_kept_if_somebody_is_gone_when_a_run_goes_on(tmp_path):
    with Table() as table:
        who = ("--participants", f"{table.url},tight", *SEEDED)
        good(quick(*who, *SMALL, "--output-dir", "out", "--quiet", cwd=tmp_path))
    folder = run_of(tmp_path / "out")
    cut(folder, games=3)
    done = quick("resume", "--run-agents", folder)
    assert done.returncode == 1
    assert "expected a server that answers" in done.stderr.splitlines()[-1]
    assert len(games_in(folder)) == 3
    good(quick("report", folder))

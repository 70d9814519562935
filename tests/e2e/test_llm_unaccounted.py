"""A kill hides no cost: what was under way counts as spent afterwards, and is shown."""

import json
import signal

import pytest

from tests.e2e.llm import PRICE, config_for, exchanges_in, forked, pick, preflights_in, until
from tests.e2e.shell import Fork, quick, run_of
from tests.llm import wire

KILLS = 10
#: Dollars of the limit: enough to go on after that many kills, and too few for all games.
LIMIT = 30.0
AT_ONCE = 8


@pytest.fixture(name="bills")
def server_side_bills(monkeypatch):
    """Return what the server bills for every request that it began to answer, in dollars."""
    whole, found = wire.openai_answer, []

    def answer(*args):
        body = whole(*args)
        read, written = body["usage"]["prompt_tokens"], body["usage"]["completion_tokens"]
        fresh = (read - wire.CACHED) * PRICE["input"] + wire.CACHED * PRICE["cachedInput"]
        found.append((fresh + written * PRICE["output"]) / 1e6)
        return body

    monkeypatch.setattr(wire, "openai_answer", answer)
    return found


def limited(server):
    """Return a config with a limit of dollars, and one of tokens."""
    config = config_for(server.url, memory="none", maxTokens=200)
    config["seeds"]["perMatch"] = 10
    config["stop"] = {"adjacentConfidence": None, "budget": {"maxMatches": 3, "maxCostUsd": LIMIT}}
    return config


def sitting(server, home, config, place):
    """Begin a run or go on with it, and kill it at this request, or not at all; return its exit status."""
    before, process = server.received, None

    def kill(request):
        if request.number == before + place:
            until(lambda: process)
            process.kill()
            process.wait()

    server.hook = kill if place else None
    flags = ("--no-preflight", "--games-at-once", str(AT_ONCE))
    if (home / "out").exists():
        process = Fork("resume", run_of(home / "out"), "--quiet", "--run-agents", *flags)
    else:
        process = forked(home, config, *flags)
    _, err = process.communicate()
    server.hook = None
    until(lambda: server.in_flight == 0)
    assert process.returncode in (0, 5, -signal.SIGKILL), err
    return process.returncode


def told(folder):
    """Return the dollars that a run reports, and those that it does not know about at most."""
    spent = sum(line["costUsd"] or 0.0 for line in [*exchanges_in(folder), *preflights_in(folder)])
    lost = json.loads(quick("report", folder, "--json").stdout)["summary"].get("unaccounted", {"usd": 0.0})
    return spent, lost["usd"]


@pytest.mark.slow
def test_after_ten_kills_nothing_is_hidden_and_the_limit_holds(tmp_path, server, bills):
    server.delay = lambda number: 0.002 * pick(10, "delay", number)
    config = limited(server)
    for number in range(KILLS):
        status = sitting(server, tmp_path, config, 5 + pick(20, "place", number))
        assert status == -signal.SIGKILL, f"it ended before kill {number}"
        spent, lost = told(run_of(tmp_path / "out"))
        assert spent + lost >= sum(bills)
    assert lost > 0
    assert sitting(server, tmp_path, config, None) in (0, 5)
    folder = run_of(tmp_path / "out")
    spent, lost = told(folder)
    really = sum(bills) - spent
    print(f"limit ${LIMIT:g}: billed ${sum(bills):.2f}, reported ${spent:.2f}, {lost:.2f} for ${really:.2f} lost")
    assert lost <= 4 * really, "most of it counts like what replies cost, not like what they may cost"
    assert sum(bills) <= spent + lost
    assert sum(bills) <= LIMIT + max(bills)
    assert spent + lost <= LIMIT + max(bills)
    assert quick("verify", folder).returncode == 0


def test_what_was_under_way_at_a_kill_is_shown_and_counts(tmp_path, server, bills):
    server.delay = 0.01
    config = limited(server)
    assert sitting(server, tmp_path, config, 9) == -signal.SIGKILL
    folder = run_of(tmp_path / "out")
    shown = quick("report", folder)
    assert shown.returncode == 0, shown.stderr
    assert "unaccounted: " in shown.stdout
    spent, lost = told(folder)
    assert spent + lost >= sum(bills) > spent


@pytest.mark.parametrize(
    "line", ["not a line", '{"line":"sent","key":"x","requests":1,"usd":-1.0,"tokens":1}', '{"line":"sent","key":"x"}']
)
def test_a_damaged_line_about_money_is_one_clear_line(tmp_path, server, line):
    assert sitting(server, tmp_path, limited(server), 5) == -signal.SIGKILL
    path = run_of(tmp_path / "out") / "replies.jsonl"
    path.write_text(path.read_text() + f"{line}\n")
    done = quick("resume", path.parent, "--run-agents")
    assert done.returncode == 1
    assert f"{path} line " in done.stderr
    assert "is damaged" in done.stderr
    assert "Traceback" not in done.stderr


def test_whoever_knows_that_nothing_was_billed_has_it_forgotten(tmp_path, server, bills):
    server.delay, config = 0.01, limited(server)
    config["seeds"]["perMatch"] = 3
    assert sitting(server, tmp_path, config, 9) == -signal.SIGKILL
    folder = run_of(tmp_path / "out")
    spent, lost = told(folder)
    assert lost > 0
    done = quick("resume", folder, "--run-agents", "--forget-unaccounted", "--quiet", "--no-preflight")
    assert done.returncode in (0, 5), done.stderr
    assert told(folder)[0] > spent
    assert told(folder)[1] == 0.0
    assert "unaccounted" not in quick("report", folder).stdout
    assert quick("verify", folder).returncode == 0

"""Every command that makes agents plays them in a sandbox: bots of every kind, which play in no other place."""

import json
import sys
from pathlib import Path

import pytest

from tests.agents.external.boxes import needs_bubblewrap
from tests.e2e.live import Poller, Served, live_config
from tests.e2e.shell import SEEDED, SMALL, cut_back, first_lines, lines_of, quick, quick_run, run_of

pytestmark = [needs_bubblewrap, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
#: Ends, with a line that says why, wherever it can see a file of the user that is not its own.
WARY = """
import os, runpy, sys

def look():
    if os.path.exists({outside!r}):
        raise RuntimeError("not in a sandbox")

if __name__ == "__main__":
    look()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
"""
FILE = """
from molt_bench import make_agent
from wary import look

def make():
    look()
    return make_agent("callstation")
"""


@pytest.fixture(params=["exec", "file"])
def bot(request, tmp_path):
    """Return a participant that plays in a sandbox alone, of each kind."""
    folder, outside = tmp_path / "bots", tmp_path / "outside"
    folder.mkdir()
    outside.write_text("of the user")
    (folder / "wary.py").write_text(WARY.format(outside=str(outside)))
    (folder / "bot.py").write_text(FILE)
    program = f"{sys.executable} {folder / 'wary.py'} {EXAMPLES / 'bots'}"
    types = {"exec": f"exec:{program}/bot.py", "file": f"{folder}/bot.py:make"}
    return types[request.param]


def boxed(bot):
    """Return the flag that is needed for it to play in a sandbox: none for a program."""
    return ["--sandbox"] if bot.endswith(":make") else []


def setting(bot):
    """Return the same as a setting of a config."""
    return ["--set", "sandbox=required"] if boxed(bot) else []


def game(bot):
    return ["--participants", f"{bot},tight"]


def no_faults(run):
    records = [line["record"] for line in lines_of(run, "journal.jsonl") if line["line"] == "game"]
    assert records
    assert not [fault for record in records for fault in record.get("faults", ())]
    return run


def test_it_is_one_that_cannot_play_without(bot):
    """So that the other tests of this file show something."""
    for command in (["run", *SMALL, *game(bot)], ["check", bot, "--hands", "1"]):
        done = quick(*command, "--no-sandbox")
        assert "not in a sandbox" in done.stdout + done.stderr, (done.stdout, done.stderr)


@pytest.mark.parametrize("workers", [1, 2])
def test_run(bot, workers, tmp_path):
    no_faults(quick_run(tmp_path / "out", "run", *SMALL, *game(bot), *boxed(bot), "--workers", workers))


def test_check(bot):
    done = quick("check", bot, "--hands", "2", *boxed(bot))
    assert done.returncode == 0, (done.stdout, done.stderr)


def test_serve_and_join(bot, tmp_path):
    """The server plays it against a live agent, and so does whoever joins another server with it."""
    ours = {"id": "bot", "type": bot, **({"sandbox": "required"} if boxed(bot) else {})}
    config = live_config(tmp_path, "live", ours, game={"handsPerGame": 2})
    served = Served(config, "--port", "0")
    (url,) = served.invitations(1)
    Poller(url).done()
    assert served.ended() == 0, served.err
    no_faults(run_of(tmp_path / "runs"))
    other = tmp_path / "other"
    other.mkdir()
    config = live_config(other, "live", "tight", game={"handsPerGame": 2})
    config.write_text(config.read_text().replace("id: tight\n  type: live", "id: tight\n  type: tight"))
    served = Served(config, "--port", "0")
    (url,) = served.invitations(1)
    joined = quick("join", url, "--agent", bot, *boxed(bot))
    assert joined.returncode == 0, joined.stderr
    assert served.ended() == 0, served.err
    no_faults(run_of(other / "runs"))


def test_the_gate(bot, tmp_path):
    """The two runs that a gate compares, whose config has the setting."""
    config = tmp_path / "bench.json"
    mine = {"id": "mine", "type": bot, **({"sandbox": "required"} if boxed(bot) else {})}
    config.write_text(json.dumps({"participants": [mine, "tight"]}))
    runs = [no_faults(quick_run(tmp_path / name, "run", config, *SMALL, *SEEDED)) for name in ("base", "head")]
    compared = quick("compare", *runs)
    assert compared.returncode == 0, compared.stderr


def test_whoever_plays_it_again(bot, tmp_path):
    """`verify` and `resume`, without any flag for the sandbox."""
    run = quick_run(tmp_path / "out", "run", *SMALL, *SEEDED, *game(bot), *boxed(bot))
    done = quick("verify", run, "--run-agents")
    assert done.returncode == 0, done.stderr
    cut_back(run, first_lines(4))
    done = quick("resume", run, "--run-agents")
    assert done.returncode == 0, done.stderr
    no_faults(run)

"""Bots of the Annual Computer Poker Competition behind their bridge, from the command line."""

import json
import sys
from pathlib import Path

from tests.agents.external.playing import PYTHON, left_of
from tests.e2e.shell import SEEDED, SMALL, cut_back, first_lines, lines_of, one_clear_line, quick, read, results
from tests.e2e.test_external import faults_in, ran

ROOT = Path(__file__).parents[2]
BRIDGE = f"{sys.executable} -m molt_bench.plugins.adapters.acpc --"
BOT = " ".join((BRIDGE, *PYTHON, str(ROOT / "tests" / "plugins" / "adapters" / "acpc_bot.py")))
EXAMPLE = f"{BRIDGE} {sys.executable} {ROOT / 'docs' / 'examples' / 'bots' / 'acpc_bot.py'}"
#: One match of four games.
QUICK = (*SMALL, "--max-matches", "1", "--set", "game.stack=20000")


def test_a_bot_takes_part_from_the_command_line_and_can_be_verified(tmp_path):
    log = tmp_path / "log"
    folder = ran(tmp_path / "out", *QUICK, "--no-sandbox", "--participants", f"exec:{BOT} well {log} 1 20000,random")
    assert {each["id"] for each in read(folder, "leaderboard.json")["participants"]} == {"acpc_bot", "random"}
    assert faults_in(folder) == []
    assert "masterSeedHash" in lines_of(folder, "journal.jsonl")[0], "the cards are secret, as for all programs"
    verified = quick("verify", folder)
    assert "identical" in verified.stdout, verified.stderr
    assert left_of(log) == []


def test_a_run_that_was_cut_off_goes_on_to_the_same_end(tmp_path):
    folder = ran(tmp_path / "out", *QUICK, *SEEDED, "--participants", f"exec:{EXAMPLE},tight")
    whole = results(folder)
    cut_back(folder, first_lines(4))
    done = quick("resume", "--run-agents", folder)
    assert done.returncode == 0, done.stderr
    assert results(folder) == whole


def test_one_that_does_not_begin_is_found_out_before_the_first_card(tmp_path):
    command = [*BOT.split(), "ends-at-once", str(tmp_path / "log"), "1", "20000"]
    bot = {"id": "bot", "type": "exec", "command": command, "sandbox": "off"}
    (tmp_path / "config.json").write_text(json.dumps({"participants": [bot, "tight"], "game": {"stack": 20_000}}))
    done = quick("--config", tmp_path / "config.json", "--output-dir", tmp_path / "out")
    one_clear_line(
        done,
        "participant 'bot' cannot play: the program ended with exit status 1",
        "its last line on standard error: no licence",
    )
    assert left_of(tmp_path / "log") == []

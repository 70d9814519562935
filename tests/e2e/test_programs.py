"""Programs of one's own, in any language, from the command line; and bots of the ACPC behind their bridge."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from tests.agents.external.playing import CHAOS, PYTHON, left_of, on_linux
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    configured_run,
    cut_back,
    faults_in,
    first_lines,
    gone_on,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    results,
    start,
    until,
    verified,
)

ROOT = Path(__file__).parents[2]
BOT = " ".join((*PYTHON, CHAOS))
BRIDGE = f"{sys.executable} -m molt_bench.plugins.adapters.acpc --"
ACPC = " ".join((BRIDGE, *PYTHON, str(ROOT / "tests" / "plugins" / "adapters" / "acpc_bot.py")))
ACPC_EXAMPLE = f"{BRIDGE} {sys.executable} {ROOT / 'docs' / 'examples' / 'bots' / 'acpc_bot.py'}"
ONE = (*SMALL, "--max-matches", "1")


@on_linux
@pytest.mark.parametrize(
    ("command", "flags"),
    [
        pytest.param(f"exec:{BOT} well LOG", (), marks=pytest.mark.slow),
        (f"exec:{ACPC} well LOG 1 20000", ("--set", "game.stack=20000")),
    ],
    ids=["a program", "a bot of the ACPC"],
)
def test_a_program_takes_part_from_the_command_line_and_is_verified_without_it(tmp_path, command, flags):
    log = tmp_path / "a,b"  # a comma inside a command is escaped
    command = command.replace("LOG", str(log).replace(",", r"\,"))
    folder = quick_run(tmp_path / "out", *ONE, *flags, "--no-sandbox", "--participants", f"{command},random")
    assert {each["id"] for each in read(folder, "leaderboard.json")["participants"]} > {"random"}
    assert faults_in(folder) == []
    assert "masterSeedHash" in lines_of(folder, "journal.jsonl")[0], "the cards are secret, as for all programs"
    assert {"bye", "done"} & {*log.read_text().split()}
    assert "identical" in verified(folder)
    assert left_of(log) == []


@pytest.mark.slow
def test_the_same_games_whether_one_after_the_other_or_at_once(tmp_path):
    flags = (*SMALL, *SEEDED, "--participants", f"exec:{BOT} well,tight", "--games-at-once")
    one, four = (results(quick_run(tmp_path / at_once, *flags, at_once)) for at_once in ("1", "4"))
    assert one == four


def test_a_run_with_a_bot_of_the_acpc_that_was_cut_off_goes_on_to_the_same_end(tmp_path):
    stack = ("--set", "game.stack=20000", "--participants", f"exec:{ACPC_EXAMPLE},tight")
    folder = quick_run(tmp_path / "out", *ONE, *stack, *SEEDED)
    whole = results(folder)
    cut_back(folder, first_lines(4))
    assert results(gone_on(folder)) == whole


def small_config(command, **game):
    players = [{"id": "bot", "type": f"exec:{command}"}, {"id": "station", "type": "callstation"}]
    stop = {"budget": {"maxMatches": 1}}
    return {"participants": players, "game": game, "seeds": {"perMatch": 2}, "stop": stop}


def test_the_limit_of_the_config_is_the_programs(tmp_path):
    config = small_config(f"{BOT} hang", handsPerGame=1, actionTimeoutS=0.3, maxRetries=5)
    faults = faults_in(configured_run(tmp_path, config))
    assert faults == [("bot", "timeout")] * 24


def test_a_changed_program_is_noticed_when_a_run_goes_on(tmp_path):
    bot = Path(shutil.copy(CHAOS, tmp_path / "bot.py"))
    who = ("--participants", f"exec:{' '.join(PYTHON)} bot.py well,tight")
    folder = quick_run("out", *ONE, *SEEDED, *who, cwd=tmp_path)
    assert [name for name, each in lines_of(folder, "journal.jsonl")[0]["agents"].items() if "code" in each] == ["bot"]
    cut_back(folder, first_lines(4))
    bot.write_text(bot.read_text() + "\n# changed\n")
    one_clear_line(quick("resume", "--run-agents", folder), "the code of 'bot' has been changed")


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    ("behaviour", "number"), [("well", signal.SIGINT), ("stubborn", signal.SIGINT), ("well", signal.SIGKILL)]
)
def test_ctrl_c_leaves_no_process_and_no_folder_behind_and_a_kill_no_process(tmp_path, behaviour, number):
    log, folders = tmp_path / "log", tmp_path / "folders"
    folders.mkdir()
    flags = ("--hands", "5000", "--output-dir", tmp_path / "out", "--no-sandbox")
    environment = {**os.environ, "TMPDIR": str(folders)}
    process = start("--participants", f"exec:{BOT} {behaviour} {log},tight", *flags, env=environment)
    until(lambda: log.exists() and "did" in log.read_text())
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert left_of(log) == []
    if number == signal.SIGINT:
        assert process.returncode == 130, said
        assert list(folders.iterdir()) == []

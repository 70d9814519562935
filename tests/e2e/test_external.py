"""Programs of one's own, in any language, from the command line."""

import os
import shutil
import signal
import time

import pytest

from tests.agents.external.playing import CHAOS, PYTHON, left_of, on_linux
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    cut_back,
    first_lines,
    lines_of,
    one_clear_line,
    quick,
    read,
    results,
    run_of,
    start,
)

BOT = " ".join((*PYTHON, CHAOS))


def ran(output_dir, *arguments, **options):
    done = quick(*arguments, "--output-dir", output_dir, **options)
    assert done.returncode == 0, done.stderr
    return run_of(output_dir)


def faults_in(folder):
    """Return player and kind of every fault in a run's journal."""
    games = [line for line in lines_of(folder, "journal.jsonl") if line["line"] == "game"]
    return [
        (game["record"]["spec"]["players"][fault["player"]], fault["kind"])
        for game in games
        for fault in game["record"].get("faults", ())
    ]


@pytest.mark.slow
@on_linux
def test_a_program_takes_part_from_the_command_line_and_can_be_verified(tmp_path):
    log = tmp_path / "log"
    folder = ran(tmp_path / "out", *SMALL, "--no-sandbox", "--participants", f"exec:{BOT} well {log},random")
    assert {each["id"] for each in read(folder, "leaderboard.json")["participants"]} == {"chaos", "random"}
    assert faults_in(folder) == []
    assert "bye" in log.read_text()
    verified = quick("verify", folder)
    assert "identical" in verified.stdout, verified.stderr
    assert left_of(log) == []


@pytest.mark.slow
def test_the_same_games_whether_one_after_the_other_or_at_once(tmp_path):
    who = ("--participants", f"exec:{BOT} well,tight")
    played = [
        results(ran(tmp_path / at_once, *SMALL, *SEEDED, *who, "--games-at-once", at_once)) for at_once in ("1", "4")
    ]
    assert played[0] == played[1]


def test_the_limit_of_the_config_is_the_programs(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(
        "participants:\n"
        f"  - {{id: slow, type: exec, command: '{BOT} hang'}}\n"
        "  - {id: station, type: callstation}\n"
        "game: {handsPerGame: 1, actionTimeoutS: 0.5, maxRetries: 5}\n"
        "seeds: {perMatch: 2}\n"
        "stop: {budget: {maxMatches: 1}}\n"
    )
    folder = ran(tmp_path / "out", "--config", config)
    assert (
        sorted(fault for fault in faults_in(folder) if fault[0] == "slow")
        == [("slow", "crash")] * 12 + [("slow", "timeout")] * 12
    )


@pytest.mark.slow
def test_a_program_that_signals_ended_is_reported_once_on_screen_and_in_every_report(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(
        "participants:\n"
        f"  - {{id: victim, type: exec, command: '{BOT} SIGKILL {tmp_path}/log 9', sandbox: 'off'}}\n"
        "  - {id: station, type: callstation}\n"
        "game: {handsPerGame: 4, maxRetries: 1}\n"
        "seeds: {perMatch: 2}\n"
        "stop: {budget: {maxMatches: 1}}\n"
    )
    done = quick("--config", config, "--output-dir", tmp_path / "out")
    folder = run_of(tmp_path / "out")
    signals = faults_in(folder).count(("victim", "signal"))
    assert {*faults_in(folder)} == {("victim", "signal"), ("victim", "crash")}, "it has lost the rest of its games"
    said = [line for line in done.stderr.splitlines() if "SIGKILL" in line and line.startswith("molt-bench: warning")]
    assert len(said) == 2, "once when it happens, and once at the end"
    assert said[0].startswith("molt-bench: warning: victim: the program was ended by SIGKILL, a signal from outside")
    assert f"victim was ended or stopped by signals ({signals} faults)" in said[1]
    assert said[1].removeprefix("molt-bench: warning: ") in read(folder, "summary.json")["warnings"]
    assert said[1] in quick("report", folder).stderr


def test_a_program_that_is_not_there_is_one_clear_line_before_the_first_card(tmp_path):
    done = quick("--participants", "exec:./nothing --fast,tight", "--output-dir", tmp_path / "out", cwd=tmp_path)
    one_clear_line(done, "participants.nothing.command = './nothing': expected a program that is there")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    (tmp_path / "config.yaml").write_text("participants: ['exec:./nothing', tight]\n")
    one_clear_line(quick("doctor", "config.yaml", cwd=tmp_path), "a program that is there")


def test_a_changed_program_is_noticed_when_a_run_goes_on(tmp_path):
    bot = tmp_path / "bot.py"
    shutil.copy(CHAOS, bot)
    command = " ".join((*PYTHON, "bot.py"))
    folder = ran(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"exec:{command} well,tight", cwd=tmp_path)
    assert lines_of(folder, "journal.jsonl")[0]["sourceHashes"].keys() == {"bot"}
    cut_back(folder, first_lines(4))
    bot.write_text(bot.read_text() + "\n# changed\n")
    one_clear_line(quick("resume", "--run-agents", folder), "the code of 'bot' has been changed")


def started(tmp_path, behaviour):
    """Start a long run, and return it once its program plays; the program's folder is below `folders`."""
    log, folders = tmp_path / "log", tmp_path / "folders"
    folders.mkdir()
    participants = f"exec:{BOT} {behaviour} {log},tight"
    environment = {**os.environ, "TMPDIR": str(folders)}
    process = start(
        *("--participants", participants, "--hands", "5000", "--output-dir", tmp_path / "out", "--no-sandbox"),
        env=environment,
    )
    until(lambda: log.exists() and "did" in log.read_text())
    return process, log, folders


def until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize("behaviour", ["well", "stubborn"])
def test_ctrl_c_leaves_no_process_and_no_folder_behind(tmp_path, behaviour):
    process, log, folders = started(tmp_path, behaviour)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert left_of(log) == []
    assert list(folders.iterdir()) == []


@pytest.mark.slow
@on_linux
def test_when_the_bench_is_killed_a_program_that_reads_its_input_ends_by_itself(tmp_path):
    process, log, _ = started(tmp_path, "well")
    process.kill()
    process.communicate()
    assert left_of(log) == []


@pytest.mark.slow
def test_a_comma_inside_a_command_reaches_the_program(tmp_path):
    log = tmp_path / "a,b"
    escaped = str(log).replace(",", r"\,")
    ran(tmp_path / "out", *SMALL, "--no-sandbox", "--participants", rf"exec:{BOT} well {escaped},random")
    assert "bye" in log.read_text()

"""A run that was cut off goes on as if it never had been."""

import json
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from molt_bench.cli.options import RunOptions
from molt_bench.cli.run_or_resume import resume_run
from tests.e2e.shell import (
    MOLT_BENCH,
    SMALL,
    cut_back,
    everything,
    first_lines,
    games_in,
    good_run,
    lines_of,
    moment,
    one_clear_line,
    quick,
    quick_run,
    read,
    rechained,
    results,
    run_of,
    start,
)

#: Long enough to be cut off in the middle, many times.
LONG = (
    *("--participants", "random,tight,callstation", "--max-matches", "50", "--hands", "5"),
    *("--set", "stop.adjacentConfidence=null"),
)

#: An agent in whose 20th decision somebody presses Ctrl-C, once.
PRESSER = """
import os, signal
from molt_bench import Action

pressed = __file__ + ".pressed"
decisions = 0


class Presser:
    name = "presser"

    def act(self, observation):
        global decisions
        decisions += 1
        if decisions == 20 and not os.path.exists(pressed):
            open(pressed, "w").close()
            os.kill(os.getpid(), signal.SIGINT)
        return Action("call") if observation.to_call else Action("check")


def make():
    return Presser()
"""


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Return the folder of a long run that nobody has disturbed."""
    return good_run(tmp_path_factory.mktemp("undisturbed") / "out", *LONG, "--quiet")


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """Return the folder of a small run."""
    return quick_run(tmp_path_factory.mktemp("small") / "out", *SMALL)


@pytest.fixture
def copied(small_run, tmp_path):
    """Return a copy of the small run, with all of its files but the journal gone."""
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(small_run / "journal.jsonl", folder)
    return folder


def begun(output_dir):
    """Return the folder of the run that has come as far as its header, if there is one."""
    journals = [path for path in Path(output_dir).glob("*/journal.jsonl") if b"\n" in path.read_bytes()]
    return journals[0].parent if journals else None


def written(output_dir):
    """Return how many bytes the journals below a folder have."""
    return sum(path.stat().st_size for path in Path(output_dir).glob("*/journal.jsonl"))


def stopped_in_the_middle(process, signum, *, after="match 5:"):
    """Send a signal once the process has told of a match, and return what it said after that."""
    for line in process.stderr:
        if line.startswith(after):
            break
    process.send_signal(signum)
    out, err = process.communicate(timeout=60)
    return out, err


@pytest.mark.slow
@pytest.mark.parametrize("run", range(4))
def test_killed_at_random_moments_and_resumed_gives_the_same_bytes(tmp_path, undisturbed, run):
    """Five kills in each of four runs; every other sitting plays eight games at a time."""
    whole = (undisturbed / "journal.jsonl").stat().st_size
    for attempt in range(5):
        folder = begun(tmp_path)
        what = ["resume", folder] if folder else [*LONG, "--output-dir", tmp_path]
        process = start(*what, "--quiet", "--games-at-once", "8" if attempt % 2 else "1")
        if attempt == run:
            time.sleep(0.4 * moment(run))  # perhaps before the first card
        else:
            aim = written(tmp_path) + whole * 0.15 * moment(run, attempt)
            while written(tmp_path) <= aim and process.poll() is None:
                time.sleep(0.001)
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL, "the run is too short for this test"
    folder = begun(tmp_path)
    done = quick("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert results(folder) == results(undisturbed)
    games = games_in(folder)
    assert len(games) == len({*games}) == 50 * 20


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at_once"), [("out", "1"), ("a space and a 'quote", "8")])
def test_ctrl_c_writes_what_there_is_and_prints_the_command_that_goes_on(tmp_path, undisturbed, name, at_once):
    process = start(*LONG, "--output-dir", tmp_path / name, "--games-at-once", at_once)
    out, err = stopped_in_the_middle(process, signal.SIGINT)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    folder = run_of(tmp_path / name)
    assert everything(folder).keys() == everything(undisturbed).keys()
    played = len(read(folder, "matches.json")["matches"])
    assert 5 <= played < 50
    assert "interrupted" in read(folder, "summary.json")["stopReason"]
    assert "interrupted" in out
    command = next(line.strip() for line in err.splitlines() if line.strip().startswith("molt-bench resume"))
    assert shlex.split(command) == ["molt-bench", "resume", str(folder)]
    done = subprocess.run(
        f"{command} --quiet",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{Path(MOLT_BENCH).parent}:/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    assert results(folder) == results(undisturbed)
    assert len(games_in(folder)) == len({*games_in(folder)}) == 50 * 20


@pytest.mark.slow
@pytest.mark.parametrize("at_once", ["1", "8"])
def test_ctrl_c_in_the_middle_of_a_decision_leaves_no_traceback(tmp_path, at_once):
    (tmp_path / "presser.py").write_text(PRESSER)
    process = start(
        *SMALL,
        *("--participants", f"{tmp_path}/presser.py:make,random", "--games-at-once", at_once),
        *("--output-dir", tmp_path / "out"),
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    folder = run_of(tmp_path / "out")
    done = quick("resume", folder, "--run-agents", "--quiet")
    assert done.returncode == 0, done.stderr
    assert len(games_in(folder)) == len({*games_in(folder)}) == 3 * 4


@pytest.mark.slow
def test_the_time_of_an_interrupted_sitting_counts(tmp_path):
    (tmp_path / "presser.py").write_text(PRESSER)
    players = ("--participants", f"{tmp_path}/presser.py:make,random")
    assert quick(*SMALL, *players, "--output-dir", tmp_path / "out").returncode == 130
    folder = run_of(tmp_path / "out")
    before = read(folder, "summary.json")["seconds"]
    assert before > 0
    assert quick("resume", folder, "--run-agents", "--quiet").returncode == 0
    assert read(folder, "summary.json")["seconds"] > before


@pytest.mark.slow
def test_ctrl_c_with_json_prints_one_object(tmp_path):
    process = start(*LONG, "--output-dir", tmp_path, "--json")
    while not (folder := begun(tmp_path)) or len((folder / "journal.jsonl").read_bytes()) < 50_000:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in json.loads(out)["summary"]["stopReason"]
    assert f"molt-bench resume {folder}" in err


def test_ctrl_c_before_the_first_card_is_no_error_of_ours(tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\n\ndef make():\n    print('making', flush=True)\n    time.sleep(30)\n"
    )
    process = start("--participants", f"{tmp_path}/slow.py:make,random", "--output-dir", tmp_path / "out")
    assert process.stdout.readline() == "making\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err


@pytest.mark.slow
def test_resume_as_a_flag_goes_on_with_the_unfinished_run_of_this_config(tmp_path, undisturbed):
    command = (*LONG, "--output-dir", tmp_path)
    process = start(*command)
    stopped_in_the_middle(process, signal.SIGKILL)
    folder = run_of(tmp_path)
    before = len(games_in(folder))
    assert before >= 100
    done = quick(*command, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    assert run_of(tmp_path) == folder
    assert results(folder) == results(undisturbed)
    assert len(games_in(folder)) == len({*games_in(folder)}) == 50 * 20


def test_resume_as_a_flag_does_not_touch_the_run_of_another_config(tmp_path):
    folder = quick_run(tmp_path, *SMALL)
    cut_back(folder, lambda data: data[:-500])
    before = everything(folder)
    done = quick(*SMALL, "--master-seed", "other", "--output-dir", tmp_path, "--resume")
    assert done.returncode == 0
    assert "no run of this config is unfinished, so a new one begins" in done.stderr
    assert len([*tmp_path.iterdir()]) == 2
    assert everything(folder) == before


def test_resume_of_a_finished_run_changes_nothing(tmp_path):
    folder = quick_run(tmp_path, *SMALL)
    before = everything(folder)
    for command in ("resume", "report", "resume"):
        done = quick(command, folder)
        assert done.returncode == 0, done.stderr
        assert "the budget of 3 matches is spent" in done.stdout
        assert everything(folder) == before


@pytest.mark.parametrize("command", ["resume", "report"])
@pytest.mark.slow
def test_a_run_that_ended_for_want_of_time_stays_as_it_is(tmp_path, command):
    limits = "stop.budget={maxMatches: null, maxSeconds: 0.5}"
    folder = quick_run(
        tmp_path, "--seeds", "2", "--hands", "5", "--set", limits, "--set", "stop.adjacentConfidence=null"
    )
    before = everything(folder)
    assert read(folder, "matches.json")["matches"]
    assert quick(command, folder).returncode == 0
    assert everything(folder) == before


def test_report_writes_all_files_anew_from_the_journal(copied, small_run):
    assert quick("report", copied).returncode == 0
    assert everything(copied) == everything(small_run)


def test_a_journal_cut_off_anywhere_is_taken_up_from_its_last_whole_line(copied, small_run, capsys):
    whole = (small_run / "journal.jsonl").read_bytes()
    first = whole.index(b"\n") + 1
    places = {first, first + 1, len(whole), len(whole) - 1, whole.rindex(b"\n", 0, -1), whole.rindex(b"\n", 0, -1) + 1}
    places |= {first + int(moment("cut", n) * (len(whole) - first)) for n in range(20)}
    for size in places:
        (copied / "journal.jsonl").write_bytes(whole[:size])
        (copied / "summary.json").unlink(missing_ok=True)
        resume_run(str(copied), RunOptions(quiet=True))
        assert results(copied) == results(small_run), size
        assert sorted(games_in(copied)) == sorted(games_in(small_run)), size
        said = capsys.readouterr().err
        assert ("the run has ended, but not all its files were written" in said) == (size == len(whole))
        assert said.count("\n") == (size == len(whole))


def test_a_torn_last_line_is_fine(copied, small_run):
    journal = copied / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-1_000])
    done = quick("resume", copied, "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert results(copied) == results(small_run)


@pytest.mark.parametrize("size", [0, 1, 200])
@pytest.mark.parametrize("command", ["resume", "report", "verify"])
def test_a_journal_without_a_whole_header_is_one_clear_line(copied, size, command):
    journal = copied / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:size])
    one_clear_line(quick(command, copied), "journal.jsonl", "header")


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[: len(line) // 2],
        lambda line: line.replace(b'"hands"', b'"hadns"'),
        lambda line: b"",
        lambda line: b"\x00" * len(line),
        lambda line: b"\xff" + line,
        lambda line: b"[]",
    ],
    ids=["cut", "misspelt", "empty", "zeros", "not UTF-8", "another shape"],
)
def test_a_damaged_line_in_the_middle_is_named_by_its_number(copied, damage):
    journal = copied / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    at = next(at for at, line in enumerate(lines) if at > 4 and b'"line":"game"' in line)
    lines[at] = damage(lines[at])
    journal.write_bytes(b"\n".join(lines))
    before = everything(copied)
    one_clear_line(quick("resume", copied), f"journal.jsonl line {at + 1}")
    assert everything(copied) == before


def changed_header(folder, change):
    """Change the header of a journal and drop its last lines, so that there is something to go on with."""
    journal = folder / "journal.jsonl"
    header, *lines = journal.read_bytes().splitlines()
    content = json.loads(header)
    change(content)
    journal.write_bytes(rechained([content, *lines[:5]]))


def test_a_config_changed_in_the_journal_is_one_clear_line(copied):
    changed_header(copied, lambda header: header["config"]["game"].update(stack=5_000))
    one_clear_line(quick("resume", copied), "the config has been changed")


def test_a_seed_file_that_has_changed_is_noticed_where_the_users_config_names_it_and_else_not_needed(tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"seed-{n}" for n in range(20)))
    flags = (*SMALL, "--seeds-file", seeds, "--output-dir", tmp_path / "out")
    folder = quick_run(tmp_path / "out", *flags)
    whole = results(folder)
    cut_back(folder, first_lines(6))
    seeds.write_text("\n".join(f"another-{n}" for n in range(20)))
    one_clear_line(quick(*flags, "--resume"), "seed file", "has been changed")
    assert quick("resume", folder, "--quiet").returncode == 0
    assert results(folder) == whole


def test_the_stop_is_in_the_journal_once(copied):
    assert quick("resume", copied).returncode == 0
    assert [line["line"] for line in lines_of(copied, "journal.jsonl")].count("sitting") == 1

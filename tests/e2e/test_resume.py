"""A run that was cut off goes on as if it never had been, at whatever moment it was, and nothing is played twice."""

import json
import shlex
import shutil
import signal
import time
from pathlib import Path

import pytest

from molt_bench.cli import run_or_resume, session
from molt_bench.cli.options import RunOptions
from molt_bench.cli.run_or_resume import resume_run
from molt_bench.config.loader import load_config
from molt_bench.report.artifacts import ARTIFACTS
from molt_bench.runs.journal import Journal
from tests.e2e.shell import (
    SMALL,
    cut_back,
    everything,
    first_lines,
    games_in,
    gone_on,
    good,
    good_run,
    in_bash,
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
    until,
    verified,
)

#: Long enough to be cut off in the middle, many times.
LONG = (
    *("--participants", "random,tight,callstation", "--max-matches", "50", "--hands", "5"),
    *("--set", "stop.adjacentConfidence=null"),
)
KILLS = 15

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
"""


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Return the folder of a long run that nobody has disturbed."""
    return good_run(tmp_path_factory.mktemp("undisturbed") / "out", *LONG, "--quiet")


@pytest.fixture
def copied(finished, tmp_path):
    """Return a copy of the small run, with all of its files but the journal gone."""
    (tmp_path / "run").mkdir()
    shutil.copy(finished / "journal.jsonl", tmp_path / "run")
    return tmp_path / "run"


def begun(output_dir):
    """Return the folder of the run that has come as far as its header, if there is one."""
    journals = [path for path in Path(output_dir).glob("*/journal.jsonl") if b"\n" in path.read_bytes()]
    return journals[0].parent if journals else None


def written(output_dir):
    """Return how many bytes the journals below a folder have."""
    return sum(path.stat().st_size for path in Path(output_dir).glob("*/journal.jsonl"))


def stopped_in_the_middle(process, signum):
    """Send a signal once the process has told of five matches, and return what it said after that."""
    for line in process.stderr:
        if line.startswith("match 5:"):
            break
    process.send_signal(signum)
    return process.communicate(timeout=60)


def interrupted(process):
    """Check that a process ended as an interrupted one does, and return what it printed."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    return out, err


def went_on_to_the_end(folder, undisturbed):
    """Check that a run has every game of an undisturbed one, none twice, and its bytes."""
    assert results(folder) == results(undisturbed)
    assert len(games_in(folder)) == len({*games_in(folder)}) == 50 * 20


# Killed, and interrupted.


@pytest.mark.slow
@pytest.mark.parametrize("run", range(4))
def test_killed_at_random_moments_and_resumed_gives_the_same_bytes(tmp_path, undisturbed, run):
    """Fifteen kills in each of four runs; half of the sessions play eight games at a time."""
    whole = (undisturbed / "journal.jsonl").stat().st_size
    for attempt in range(KILLS):
        folder = begun(tmp_path)
        what = ["resume", folder] if folder else [*LONG, "--output-dir", tmp_path]
        process = start(*what, "--quiet", "--games-at-once", "8" if attempt % 2 else "1")
        if attempt == run:
            time.sleep(0.4 * moment(run))
        else:
            aim = written(tmp_path) + whole * moment(run, attempt) / KILLS
            while written(tmp_path) <= aim and process.poll() is None:
                time.sleep(0.001)
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL, "the run is too short for this test"
    went_on_to_the_end(gone_on(begun(tmp_path)), undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at_once"), [("out", "1"), ("a space and a 'quote", "8")])
def test_ctrl_c_writes_what_there_is_and_prints_the_command_that_goes_on(tmp_path, undisturbed, name, at_once):
    process = start(*LONG, "--output-dir", tmp_path / name, "--games-at-once", at_once)
    out, err = stopped_in_the_middle(process, signal.SIGINT)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    folder = run_of(tmp_path / name)
    assert everything(folder).keys() == everything(undisturbed).keys()
    assert 5 <= len(read(folder, "matches.json")["matches"]) < 50
    assert "interrupted" in read(folder, "summary.json")["stopReason"]
    assert "interrupted" in out
    command = next(line.strip() for line in err.splitlines() if line.strip().startswith("molt-bench resume"))
    assert shlex.split(command) == ["molt-bench", "resume", str(folder)]
    good(in_bash(f"{command} --quiet"))
    went_on_to_the_end(folder, undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", ["1", "8"])
def test_ctrl_c_in_the_middle_of_a_decision_leaves_no_traceback_and_its_time_counts(tmp_path, at_once):
    (tmp_path / "presser.py").write_text(PRESSER)
    players = ("--participants", f"{tmp_path}/presser.py:Presser,random", "--games-at-once", at_once)
    interrupted(start(*SMALL, *players, "--output-dir", tmp_path / "out"))
    folder = run_of(tmp_path / "out")
    before = read(folder, "summary.json")["seconds"]
    gone_on(folder)
    assert len(games_in(folder)) == len({*games_in(folder)}) == 3 * 4
    assert read(folder, "summary.json")["seconds"] > before > 0


@pytest.mark.slow
def test_ctrl_c_with_json_prints_one_object(tmp_path):
    process = start(*LONG, "--output-dir", tmp_path, "--json")
    until(lambda: written(tmp_path) > 50_000)
    process.send_signal(signal.SIGINT)
    out, err = interrupted(process)
    assert "interrupted" in json.loads(out)["summary"]["stopReason"]
    assert f"molt-bench resume {begun(tmp_path)}" in err


def test_ctrl_c_before_the_first_card_is_no_error_of_ours(tmp_path):
    code = "import time\n\ndef make():\n    print('making', flush=True)\n    time.sleep(30)\n"
    (tmp_path / "slow.py").write_text(code)
    process = start("--participants", f"{tmp_path}/slow.py:make,random", "--output-dir", tmp_path / "out")
    assert process.stdout.readline() == "making\n"
    process.send_signal(signal.SIGINT)
    interrupted(process)


# The flag `--resume`, and runs that have ended.


@pytest.mark.parametrize("same", [True, False])
def test_resume_as_a_flag_goes_on_with_the_unfinished_run_of_this_config_and_touches_no_other(tmp_path, same):
    folder = quick_run(tmp_path, *SMALL)
    whole = results(folder)
    cut_back(folder, lambda data: data[:-500])
    before = everything(folder)
    flags = () if same else ("--master-seed", "other")
    done = good(quick(*SMALL, *flags, "--output-dir", tmp_path, "--resume"))
    assert ("no run of this config is unfinished, so a new one begins" in done.stderr) is not same
    assert len([*tmp_path.iterdir()]) == (1 if same else 2)
    assert (results(folder) == whole) if same else (everything(folder) == before)


def test_resume_and_report_of_a_finished_run_change_nothing_and_report_writes_all_files_anew(copied, finished):
    before = everything(finished)
    for command in ("resume", "report", "resume"):
        assert "the budget of 5 matches is spent" in good(quick(command, copied)).stdout
        assert everything(copied) == before


# Journals that were cut, damaged or changed.


def test_a_journal_cut_off_anywhere_is_taken_up_from_its_last_whole_line(copied, finished, capsys):
    whole = (finished / "journal.jsonl").read_bytes()
    first, last = whole.index(b"\n") + 1, whole.rindex(b"\n", 0, -1)
    places = {first, first + 1, len(whole), len(whole) - 1, last, last + 1}
    places |= {first + int(moment("cut", n) * (len(whole) - first)) for n in range(34)}
    for size in places:
        (copied / "journal.jsonl").write_bytes(whole[:size])
        (copied / "summary.json").unlink(missing_ok=True)
        resume_run(str(copied), RunOptions(quiet=True))
        assert results(copied) == results(finished), size
        assert sorted(games_in(copied)) == sorted(games_in(finished)), size
        said = capsys.readouterr().err
        assert ("the run has ended, but not all its files were written" in said) == (size == len(whole))
        assert said.count("\n") == (size == len(whole))


@pytest.mark.parametrize("command", ["resume", "report", "verify"])
def test_a_journal_without_a_whole_header_is_one_clear_line(copied, command):
    journal = copied / "journal.jsonl"
    for size in (200, 0):
        journal.write_bytes(journal.read_bytes()[:size])
        one_clear_line(quick(command, copied), "journal.jsonl", "header")


def changed_config(lines):
    header = json.loads(lines[0])
    header["config"]["game"].update(stack=5_000)
    lines[:] = rechained([json.dumps(header).encode(), *lines[1:6]]).split(b"\n")


def seventh(change):
    """Return what changes the seventh line of a journal."""
    return lambda lines: lines.__setitem__(6, change(lines[6]))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(seventh(lambda line: line[: len(line) // 2]), "line 7", id="cut"),
        pytest.param(seventh(lambda line: line.replace(b'"hands"', b'"hadns"')), "line 7", id="misspelt"),
        pytest.param(seventh(lambda line: b""), "line 7", id="empty"),
        pytest.param(seventh(lambda line: b"\x00" * len(line)), "line 7", id="zeros"),
        pytest.param(seventh(lambda line: b"\xff" + line), "line 7", id="not UTF-8"),
        pytest.param(seventh(lambda line: b"[]"), "line 7", id="another shape"),
        pytest.param(changed_config, "the config has been changed", id="config"),
    ],
)
def test_a_journal_that_was_damaged_or_changed_is_one_clear_line_and_stays_as_it_is(copied, damage, said):
    lines = (copied / "journal.jsonl").read_bytes().split(b"\n")
    damage(lines)
    (copied / "journal.jsonl").write_bytes(b"\n".join(lines))
    before = everything(copied)
    one_clear_line(quick("resume", copied), "journal.jsonl", said)
    assert everything(copied) == before


def test_a_seed_file_that_has_changed_is_noticed_where_the_users_config_names_it_and_else_not_needed(tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"seed-{n}" for n in range(20)))
    flags = (*SMALL, "--seeds-file", seeds, "--output-dir", tmp_path / "out")
    folder = quick_run(tmp_path / "out", *flags)
    whole = results(folder)
    cut_back(folder, first_lines(6))
    seeds.write_text("\n".join(f"another-{n}" for n in range(20)))
    one_clear_line(quick(*flags, "--resume"), "seed file", "has been changed")
    good(quick("resume", folder, "--quiet"))
    assert results(folder) == whole


# A run that was cut off while its last files were written has been played: nothing of it is played, or paid, twice.

FLAGS = ("--participants", "tag,random", *SMALL)
#: What a run writes once its journal is complete, in this order.
LAST = [*ARTIFACTS]
SAID = "the run has ended, but not all its files were written: they are now, and no game is played"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder of a run that has ended."""
    return quick_run(tmp_path_factory.mktemp("whole") / "out", *FLAGS)


@pytest.mark.parametrize("left", range(len(LAST) + 1))
def test_resume_finds_a_run_that_was_killed_while_its_last_files_were_written(whole, tmp_path, left):
    """So many of its last files are there, and one more is half written; with all of them a new run begins."""
    folder = shutil.copytree(whole, tmp_path / "out" / whole.name)
    for name in LAST[left:]:
        (folder / name).unlink()
        (folder / f".{LAST[left]}.part").write_bytes((whole / LAST[left]).read_bytes()[:7])
    done = good(quick("run", *FLAGS, "--output-dir", tmp_path / "out", "--resume"))
    if left == len(LAST):
        assert "no run of this config is unfinished" in done.stderr
        assert len([*(tmp_path / "out").iterdir()]) == 2
    else:
        assert SAID in done.stderr
        assert run_of(tmp_path / "out") == folder
        assert everything(folder) == everything(whole)


def test_a_secret_seed_that_was_told_leaves_no_file(tmp_path):
    flags = (*FLAGS, "--output-dir", tmp_path / "out", "--master-seed-file", tmp_path / "secret")
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef")
    good(quick("run", *flags))
    folder = run_of(tmp_path / "out")
    (folder / "summary.json").unlink()
    (folder / "master-seed").write_text("0123456789abcdef0123456789abcdef\n")
    assert SAID in good(quick("run", *flags, "--resume")).stderr
    assert run_of(tmp_path / "out") == folder
    assert not (folder / "master-seed").exists()


def test_an_interrupt_while_the_last_files_are_written_says_what_to_do(tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "write_result", interrupted)
    config = load_config({"seeds": {"perMatch": 1}, "outputDir": str(tmp_path), "stop": {"budget": {"maxMatches": 1}}})
    with pytest.raises(SystemExit) as end:
        run_or_resume.start_run(config, RunOptions(quiet=True), secret=None)
    assert end.value.code == 130
    assert f"molt-bench report {run_of(tmp_path)}" in capsys.readouterr().err
    assert lines_of(run_of(tmp_path), "journal.jsonl")[-1]["line"] == "sitting"


@pytest.mark.slow
def test_thirty_kills_during_the_last_writes_lose_nothing(whole, tmp_path):
    early = late = 0
    for number in range(30):
        out = tmp_path / str(number)
        process = start("run", *FLAGS, "--output-dir", out, "--quiet")
        until(lambda out=out: any(b'"line":"sitting"' in path.read_bytes() for path in out.glob("*/journal.jsonl")))
        time.sleep(0.01 * moment("last files", number))
        process.kill()
        process.communicate()
        folder = run_of(out)
        late += (folder / "summary.json").exists()
        early += not (folder / "config.json").exists()
        assert "Traceback" not in good(quick("resume", folder)).stderr
        assert results(folder) == results(whole)
        verified(folder)
    assert early < 30 > late


# A run that is still going: others may look at it, and nobody writes in its folder but itself.

GOING = "molt-bench: warning: the run is still going: these are interim results, and nothing was written\n"


@pytest.fixture
def going(finished, tmp_path):
    """Return the folder of a run that this process is in the middle of."""
    folder = tmp_path / "out" / "run"
    folder.mkdir(parents=True)
    lines = (finished / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines[:-4]))
    (folder / "leaderboard.json").write_text("of an earlier sitting")
    journal, _ = Journal.reopen(str(folder / "journal.jsonl"))
    yield folder
    journal.close()


def test_others_may_look_at_a_run_that_is_going_and_cannot_resume_it(going, tmp_path):
    before = everything(going)
    done = quick("report", going)
    assert (done.returncode, done.stderr) == (0, GOING)
    assert "4 matches, 16 games" in done.stdout
    assert "Stopped: not yet, the run is still going." in done.stdout
    done = quick("report", going, "--json")
    assert (done.returncode, done.stderr) == (0, GOING)
    assert json.loads(done.stdout)["summary"]["stopReason"] == "not yet, the run is still going"
    good(quick("export", going, "--format", "html", "--output", tmp_path / "page.html"))
    assert (tmp_path / "page.html").exists()
    one_clear_line(quick("resume", going), "is being written by another process")
    assert everything(going) == before


@pytest.mark.slow
def test_one_that_has_only_just_begun_is_one_clear_line(tmp_path):
    journal = Journal(str(tmp_path / "journal.jsonl"))
    one_clear_line(quick("report", tmp_path), "only just begun")
    journal.close()

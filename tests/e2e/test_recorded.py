"""Answers of programs and servers are on record: nobody is asked twice, and nothing is needed to replay a run."""

import importlib
import json
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from tests.agents.external.playing import CHAOS, PYTHON
from tests.e2e.learner import SECRET, Learner, config_of, killed, played, prepared
from tests.e2e.llm import LIBRARIES
from tests.e2e.shell import (
    cut_back,
    everything,
    first_lines,
    gone_on,
    good,
    in_bash,
    lines_of,
    moment,
    one_clear_line,
    quick,
    records_in,
    results,
    run_of,
    start,
    unvouched,
    verified,
)
from tests.llm.provider import Provider

MODEL = {"id": "model", "type": "llm:openai:test", "memory": "session"}
PROGRAM = {"id": "program", "type": f"exec:{shlex.join([*PYTHON, str(CHAOS), 'well'])}"}
ONE = ("--games-at-once", 1)


@pytest.fixture(name="server")
def learning_server():
    """Return a server that learns."""
    with Learner() as server:
        yield server


@pytest.fixture(scope="module")
def gone(tmp_path_factory):
    """Return the folder of a finished run of a server and a program that are both gone."""
    home = tmp_path_factory.mktemp("gone")
    bot = shutil.copy(CHAOS, home / "bot.py")
    with Learner() as server:
        folder = played(home, config_of(server, {**PROGRAM, "type": f"exec:{shlex.join([*PYTHON, str(bot), 'well'])}"}))
    bot.unlink()
    return folder


@pytest.fixture
def copied(gone, tmp_path):
    """Return a copy of the finished run."""
    return shutil.copytree(gone, tmp_path / "run")


def kinds_of(folder):
    return [line["line"] for line in lines_of(folder, "journal.jsonl")]


def same_run(folder, whole):
    assert results(folder) == results(whole)
    games = [sorted(map(json.dumps, records_in(each))) for each in (folder, whole)]
    assert games[0] == games[1]


CASES = {
    "bot": ((), {}),
    "carry": ((), {"stacks": "carry"}),
    "program": ((PROGRAM,), {}),
    "model": ((MODEL,), {}),
    "two": (({"id": "web-2"},), {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_killed_at_random_moments_a_run_goes_on_at_the_open_decision(tmp_path, server, case):
    """Three kills, with one and with four games at a time, while the server is asked or just after it answered."""
    others, settings = CASES[case]
    if case == "model":
        for library in LIBRARIES:  # so that no fork of this process takes the time
            importlib.import_module(library)
    with Provider() as provider:
        more = {"type": server.url} if case == "two" else {"baseUrl": provider.url} if case == "model" else {}
        config = config_of(server, *({**each, **more} for each in others), "tight", **settings)
        whole = played(tmp_path / "whole", config, "--no-preflight")
        once = server.since(0)
        assert {*once.values()} == {1}
        before, in_flight = len(server.asked), 0
        home = tmp_path / "cut"
        for sitting, answer_first in enumerate((False, True, False)):
            at_once = 4 if sitting == 1 else 1
            at = 1 + int(moment(case, sitting) * len(once) / 4)
            flags = ("--no-preflight", "--games-at-once", at_once)
            folder = killed(home, config, server, *flags, at=at, answer_first=answer_first)
            in_flight += at_once
        gone_on(folder, "--no-preflight")
    same_run(folder, whole)
    assert "resumption" not in kinds_of(folder)
    again = server.since(before)
    assert again.keys() == once.keys(), "other cards were dealt"
    assert 1 <= again.total() - len(again) <= in_flight
    verified(folder)


def test_every_decision_is_on_record_with_its_faults_and_verify_needs_neither_program_nor_server(gone):
    answers = [line for line in lines_of(gone, "replies.jsonl") if line["line"] == "answer"]
    assert {each["participant"] for each in answers} == {"web", "program"}
    faults = [fault for record in records_in(gone) for fault in record.get("faults", ())]
    assert faults
    forced = sum(fault.get("forced_fold", False) for fault in faults)
    assert len(answers) == sum(record["actions"] for record in records_in(gone)) - forced + len(faults)
    assert len({each["key"] for each in answers}) == len(answers)
    before = everything(gone)
    done = good(quick("verify", gone))
    assert "identical" in done.stdout
    assert done.stderr == ""
    assert everything(gone) == before


@pytest.mark.slow
def test_ctrl_c_asks_nothing_twice_but_the_open_decision(tmp_path, server):
    config = config_of(server, "tight")
    whole = played(tmp_path / "whole", config)
    before = len(server.asked)
    server.kill = (lambda: process, before + 12, False)
    process = start(*prepared(tmp_path / "cut", config), *map(str, ONE), cwd=tmp_path / "cut")
    process.kill = lambda: process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=100)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    server.kill = None
    folder = gone_on(run_of(tmp_path / "cut" / "out"))
    same_run(folder, whole)
    again = server.since(before)
    assert again.total() - len(again) <= 1


@pytest.mark.slow
def test_where_code_of_the_user_plays_cut_off_games_are_dealt_other_cards(tmp_path, server, bots):
    config = config_of(server, {"id": "own", "type": f"{bots}:make_caller"})
    folder = gone_on(killed(tmp_path / "cut", config, server, *ONE, at=12))
    assert "resumption" in kinds_of(folder)
    assert {*server.since(0).values()} == {1}, "a decision was seen twice"
    verified(folder)


def test_an_unfinished_run_is_verified_without_asking_and_without_its_record_dealt_other_cards(tmp_path, server):
    folder = killed(tmp_path / "cut", config_of(server, "tight"), server, *ONE, at=12)
    before = len(server.messages)
    assert "the run has not ended" in verified(folder)
    assert len(server.messages) == before
    (folder / "replies.jsonl").unlink()
    killed(tmp_path / "cut", None, server, *ONE, at=12)
    gone_on(folder)
    assert kinds_of(folder).count("resumption") == 1
    assert server.since(0).total() - len(server.since(0)) == 1, "the one that was open at the second kill"
    one_clear_line(quick("verify", folder), "no answer of 'web' is recorded")


@pytest.mark.slow
def test_without_recorded_answers_a_run_is_verified_by_its_journal_and_by_asking_only_on_request(tmp_path, server):
    folder = played(tmp_path, config_of(server, "tight"))
    (folder / "replies.jsonl").unlink()
    unvouched(folder)
    before, messages = len(server.asked), len(server.messages)
    assert "played again: tight; answers from the record: web (journal.jsonl)" in verified(folder)
    assert len(server.messages) == messages
    done = good(quick("verify", folder, "--run-agents"))
    assert f"type http: posts to {server.url}" in done.stderr
    assert len(server.asked) == 2 * before
    assert not (folder / "replies.jsonl").exists()


def changed(folder, change):
    """Change the lines of a run's answers: the last one of the server that is an action goes through `change`."""
    path = Path(folder) / "replies.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    at = max(at for at, line in enumerate(lines) if line.get("participant") == "web" and "action" in line)
    old = lines[at]
    lines[at : at + 1] = change(old)
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return old


def folds(line):
    return {**line, "action": {"kind": "fold", "amount": 0}}


def test_an_answer_that_was_changed_or_is_missing_is_named(copied):
    old = changed(copied, lambda line: [folds(line)])
    where = f"match {old['game']['match']}, seed {old['game']['seed']!r}"
    one_clear_line(quick("verify", copied), where, "hand")
    changed(copied, lambda line: [])
    missing = f"no answer of 'web' is recorded for hand {old['hand']}, after {old['decision']} actions"
    one_clear_line(quick("verify", copied), where, missing)


def test_a_copy_of_an_answer_does_no_harm_and_a_second_one_is_an_error(copied):
    changed(copied, lambda line: [line, line])
    one_clear_line(quick("verify", copied), "replies.jsonl differs from what the journal gives")
    unvouched(copied)
    verified(copied)
    changed(copied, lambda line: [line, folds(line)])
    one_clear_line(quick("verify", copied), "replies.jsonl line", "in another way")


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"{}", b'{"line":"answer"}', b"[" * 5000])
def test_a_damaged_line_is_named(copied, damage):
    path = copied / "replies.jsonl"
    lines = path.read_bytes().splitlines()
    lines[3] = damage
    path.write_bytes(b"\n".join(lines) + b"\n")
    one_clear_line(quick("verify", copied), "replies.jsonl line 4 is damaged")


def test_a_torn_last_line_is_asked_again(tmp_path, server):
    whole = played(tmp_path / "whole", config_of(server, "tight"))
    folder = shutil.copytree(whole, tmp_path / "run")
    cut_back(folder, first_lines(3))
    (folder / "master-seed").write_text(SECRET)
    path = folder / "replies.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    before = len(server.asked)
    gone_on(folder)
    assert server.since(before).total() == 1
    same_run(folder, whole)


@pytest.mark.slow
def test_a_full_disk_halts_the_run_before_the_answer_is_used_and_it_can_be_resumed(tmp_path, server):
    config = config_of(server, "tight")
    whole = played(tmp_path / "whole", config)
    before = len(server.asked)
    flags = prepared(tmp_path / "full", config)
    done = in_bash('ulimit -f 4; exec molt-bench "$@"', *flags, *ONE, cwd=tmp_path / "full", timeout=100)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert "replies.jsonl could not be written" in done.stderr
    assert "molt-bench resume" in done.stderr
    same_run(gone_on(run_of(tmp_path / "full" / "out")), whole)
    again = server.since(before)
    assert again.total() - len(again) <= 1

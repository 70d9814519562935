"""A run of language models that was cut off goes on without asking, and so without paying, anything twice."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.e2e.llm import (
    asked,
    begun,
    config_for,
    cut,
    exchanges_in,
    forked,
    gone_on,
    killed_and_resumed,
    played,
    prepared,
    prompt_hash,
    recorded,
    said_in,
    same_files,
    until,
)
from tests.e2e.shell import (
    bench,
    everything,
    one_clear_line,
    quick,
    run_of,
    unvouched,
)
from tests.llm.provider import Provider

#: What the commands that ask nobody must do without: it is set while a run is played, and only then.
KEY = {"MY_KEY": "sk-only-for-playing"}


class Undisturbed:
    """A run that nobody has disturbed: its folder, and what it asked, in order."""

    def __init__(self, home, server):
        before = server.received
        self.config = config_for(server.url)
        self.folder = played(home, self.config, "--games-at-once", "1")
        requests = server.since(before)
        assert all(request.answered for request in requests)
        self.prompts = [prompt_hash(request) for request in requests]
        self.asked = asked(requests)
        self.files = same_files(self.folder)


@pytest.fixture(scope="module")
def whole(one_server, tmp_path_factory):
    """Return a run that nobody has disturbed."""
    one_server.calm()
    return Undisturbed(tmp_path_factory.mktemp("whole"), one_server)


@pytest.fixture
def copied(whole, tmp_path):
    """Return a copy of the undisturbed run."""
    return shutil.copytree(whole.folder, tmp_path / "run")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return the folder of a finished run with a key, whose provider is gone."""
    with Provider() as provider:
        config = config_for(provider.url, apiKeyEnv="MY_KEY")
        return played(tmp_path_factory.mktemp("finished"), config, env=KEY)


@pytest.mark.slow
def test_killed_in_the_middle_of_games_nothing_is_asked_twice(tmp_path, server, whole):
    """Each kill comes in place of an answer: so all answers together are those of an undisturbed run, in its order."""
    places = (9, 1, 16, 12)
    before = server.received
    folder = killed_and_resumed(server, tmp_path, whole.config, places, "--games-at-once", "1")
    requests = server.since(before)
    answered = [prompt_hash(request) for request in requests if request.answered]
    assert answered == whole.prompts
    assert len(requests) == len(answered) + len(places)
    assert same_files(folder) == whole.files
    assert len({line["key"] for line in exchanges_in(folder)}) == len(exchanges_in(folder)) == len(whole.prompts)


@pytest.mark.slow
def test_a_torn_last_exchange_is_dropped_and_asked_again(server, whole, copied):
    cut(copied, games=3)
    path = copied / "replies.jsonl"
    lines = said_in(path)
    whole_lines = 30 + len(lines) - len(exchanges_in(copied))
    path.write_bytes(b"".join(lines[:whole_lines]) + lines[whole_lines][:300])
    known, before = recorded(copied), server.received
    assert known.total() == 30
    gone_on(copied)
    assert asked(server.since(before)) == whole.asked - known
    assert recorded(copied) == whole.asked
    assert same_files(copied) == whole.files


@pytest.mark.slow
def test_the_exchanges_of_an_unfinished_game_are_taken_from_the_file(server, whole, copied):
    """All of them are there, and only the end of the journal is gone: nobody is asked."""
    cut(copied, games=2)
    before = server.received
    gone_on(copied)
    assert server.received == before
    assert same_files(copied) == whole.files


def test_without_any_exchanges_a_run_is_not_resumed_at_its_full_price(server, copied):
    cut(copied, games=3)
    (copied / "replies.jsonl").unlink()
    before = server.received
    one_clear_line(quick("resume", "--run-agents", copied), "replies.jsonl is missing or empty: put it back")
    assert server.received == before


def test_a_line_that_is_there_twice_counts_once(whole, copied):
    path = copied / "replies.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, *lines[-20:]]))
    one_clear_line(quick("report", copied), "replies.jsonl is not what the run recorded")
    unvouched(copied)
    assert quick("report", copied).returncode == 0
    assert same_files(copied) == whole.files


@pytest.mark.slow
@pytest.mark.parametrize("command", ["resume", "report", "verify"])
def test_a_damaged_exchange_is_named_by_its_line(server, copied, command):
    cut(copied, games=3)
    path = copied / "replies.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[4] = lines[4][:20]
    path.write_bytes(b"\n".join(lines))
    content, before = everything(copied), server.received
    permission = ["--run-agents"] if command == "resume" else []
    one_clear_line(quick(command, copied, *permission), "replies.jsonl line 5")
    assert everything(copied) == content
    assert server.received == before


@pytest.mark.slow
def test_a_second_process_on_the_same_run_is_refused(tmp_path, server, whole):
    server.delay = 60
    process = begun(tmp_path, whole.config)
    try:
        until(lambda: server.in_flight == 4)
        before = server.received
        one_clear_line(bench("resume", "--run-agents", run_of(tmp_path / "out")), "another process")
        assert server.received == before
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_ctrl_c_waits_for_the_replies_under_way(tmp_path, server, whole):
    """They are recorded, so the command that is printed goes on without asking for them again."""
    before = server.received
    server.delay = lambda number: 1.0 if number > before + 24 else 0.0
    process = begun(tmp_path, whole.config)
    until(lambda: server.received >= before + 25 and server.in_flight == 4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in out
    folder = run_of(tmp_path / "out")
    first = server.since(before)
    assert all(request.answered for request in first)
    assert recorded(folder) == asked(first)
    command = next(line.strip() for line in err.splitlines() if line.strip().startswith("molt-bench resume"))
    assert shlex.split(command)[:2] == ["molt-bench", "resume"]
    assert (tmp_path / shlex.split(command)[2]).samefile(folder)
    server.delay = 0.0
    done = quick(*shlex.split(command)[1:], "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert asked(server.since(before)) == whole.asked
    assert same_files(folder) == whole.files


@pytest.mark.slow
def test_a_second_ctrl_c_ends_it_at_once(tmp_path, server, whole):
    server.delay = 60
    process = begun(tmp_path, whole.config)
    until(lambda: server.in_flight == 4)
    process.send_signal(signal.SIGINT)
    assert any("replies" in line for line in process.stderr), "it did not wait for the replies"
    time.sleep(1.0)  # nobody presses again within the moment between the line and the waiting
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - pressed < 30, "the replies take 60 s"
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "molt-bench resume" in err
    folder = run_of(tmp_path / "out")
    assert not exchanges_in(folder)
    server.delay = 0.0
    gone_on(folder)
    assert same_files(folder) == whole.files


@pytest.mark.slow
def test_ctrl_c_sends_nothing_new(tmp_path, server):
    server.delay = 3.0
    before = server.received
    process = begun(tmp_path, config_for(server.url, maxConcurrent=1))
    until(lambda: server.received > before)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert server.received == before + 1


#: The program, with somebody pressing Ctrl-C at the moment in which its 30th reply is being read.
PRESSED = """
import os, signal, sys
from molt_bench.llm.client import ModelClient
from molt_bench.cli import main

read, replies = ModelClient._read, 0

def answer(self, *about):
    global replies
    replies += 1
    if replies == 30:
        os.kill(os.getpid(), signal.SIGINT)
    return read(self, *about)

ModelClient._read = answer
sys.argv[0] = "molt-bench"
main()
"""


@pytest.mark.slow
def test_ctrl_c_while_a_reply_is_being_read_does_not_lose_it(tmp_path, server, whole):
    before = server.received
    done = subprocess.run(
        [sys.executable, "-c", PRESSED, *prepared(tmp_path, whole.config), "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert recorded(run_of(tmp_path / "out")) == asked(request for request in server.since(before) if request.answered)


@pytest.mark.slow
@pytest.mark.parametrize(
    "later",
    [
        "changed",
        "vanished",
    ],
)
def test_a_run_goes_on_with_the_skill_document_it_began_with(tmp_path, server, later):
    skill = tmp_path / "skill.md"
    skill.write_text("Play well.\n")
    before = server.received

    def kill(request):
        if request.number == before + 12:
            until(lambda: process)
            process.kill()
            process.wait()

    process, server.hook = None, kill
    process = forked(tmp_path, config_for(server.url, skillDoc="skill.md"), "--games-at-once", "1")
    process.communicate()
    if later == "changed":
        skill.write_text("Play badly.\n")
    else:
        skill.unlink()
    folder = run_of(tmp_path / "out")
    gone_on(folder)
    systems = {request.body["messages"][0]["content"] for request in server.since(before)}
    assert systems == {"Play well.\n"}
    assert quick("verify", folder).returncode == 0


def test_verify_needs_neither_provider_nor_key_and_writes_nothing(finished):
    before = everything(finished)
    done = quick("verify", finished)
    assert done.returncode == 0, done.stderr
    assert "all 12 games are identical" in done.stdout
    assert everything(finished) == before


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "resume"])
def test_report_needs_neither_provider_nor_key(finished, tmp_path, command):
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("journal.jsonl", "replies.jsonl"):
        shutil.copy(finished / name, folder)
    done = quick(command, folder)
    assert done.returncode == 0, done.stderr
    assert same_files(folder) == same_files(finished)


def changed_exchange(folder, change, *, wanted=lambda line: True):
    """Change one exchange of a run, or take it out, and return it as it was."""
    path = folder / "replies.jsonl"
    lines = path.read_bytes().splitlines()
    exchanges = [(at, each) for at, each in enumerate(map(json.loads, lines)) if each["line"] == "exchange"]
    found = [at for at, each in exchanges if at > 20 and wanted(each)]
    old = json.loads(lines[found[0]])
    new = change(dict(old))
    lines[found[0] : found[0] + 1] = [json.dumps(new).encode()] if new else []
    path.write_bytes(b"\n".join(lines) + b"\n")
    return old


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda line: {**line, "text": '{"kind": "fold"}'}, '"call"'),
        pytest.param(lambda line: {**line, "text": "no"}, "", marks=pytest.mark.slow),
        pytest.param(lambda line: None, "", marks=pytest.mark.slow),
    ],
    ids=["another action", "nonsense", "taken out"],
)
def test_a_reply_that_was_tampered_with_is_noticed_and_its_place_is_named(finished, tmp_path, change, wanted):
    folder = shutil.copytree(finished, tmp_path / "run")
    game = changed_exchange(folder, change, wanted=lambda line: wanted in line["text"])["game"]
    done = quick("verify", folder)
    one_clear_line(done, f"match {game['match']}", game["seed"], "hand ")
    assert game["seating"] in done.stderr


@pytest.mark.slow
def test_tokens_that_were_tampered_with_are_noticed(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "run")
    changed_exchange(folder, lambda line: {**line, "tokens": {**line["tokens"], "input": 1}})
    done = quick("verify", folder)
    assert done.returncode == 1
    assert "replies.jsonl is not what the run recorded" in done.stderr
    assert done.stderr.count("\n") == 1

"""Whose fault it is, as the command shows it: refused prompts, halted runs and bugs of ours."""

import pytest

from molt_bench.llm.conversation import Conversation
from tests.e2e.llm import config_for, played, prepared, same_files
from tests.e2e.shell import games_in, one_clear_line, quick, read, run_of


def short(server, **model):
    """Return the config of a run of one match."""
    config = config_for(server.url, **model)
    config |= {"participants": [config["participants"][0], "callstation"]}
    config["stop"]["budget"]["maxMatches"] = 1
    config["seeds"]["perMatch"] = 1
    config["scheduler"] = {"minSeedPairs": 1}
    return config


def test_a_halted_run_says_why_until_it_goes_on(tmp_path, server):
    config = short(server)

    def refuse(request):
        server.fault = "401" if request.number - before > 8 else None

    before, server.hook = server.received, refuse
    done = quick(*prepared(tmp_path, config), "--quiet", "--games-at-once", "1", cwd=tmp_path)
    one_clear_line(done, "cannot be asked", "resume with")
    folder = run_of(tmp_path / "out")
    shown = quick("report", folder)
    assert "Stopped: model (" in shown.stdout
    assert "Incorrect API key" in shown.stdout
    assert "interrupted" not in shown.stdout
    assert "Incorrect API key" in read(folder, "summary.json")["stopReason"]
    server.calm()
    assert quick("resume", folder, "--quiet", "--run-agents").returncode == 0
    assert "the budget of 1 match" in read(folder, "summary.json")["stopReason"]


def test_a_bug_of_ours_ends_the_run_with_a_log_and_is_resumed_as_if_it_had_not_been(tmp_path, server, monkeypatch):
    config = short(server)
    whole = played(tmp_path / "whole", config)
    asked, message = [], Conversation.message

    def broken(self, observation):
        asked.append(observation)
        if len(asked) == 12:
            raise KeyError("a bug")
        return message(self, observation)

    with monkeypatch.context() as patch:
        patch.setattr(Conversation, "message", broken)
        flags = prepared(tmp_path, config)
        done = quick(*flags, "--quiet", "--games-at-once", "1", cwd=tmp_path)
    one_clear_line(done, "a bug in molt-bench, and no agent's fault: KeyError", "bug.log", "resume with")
    folder = run_of(tmp_path / "out")
    log = (folder / "bug.log").read_text()
    assert "Traceback (most recent call last)" in log
    assert "in broken" in log
    assert "a bug in molt-bench" in read(folder, "summary.json")["stopReason"]
    done = quick("resume", folder, "--quiet", "--run-agents")
    assert done.returncode == 0, done.stderr
    assert sorted(games_in(folder)) == sorted(games_in(whole))
    assert same_files(folder, ("matches.json", "leaderboard.json")) == same_files(
        whole, ("matches.json", "leaderboard.json")
    )


@pytest.mark.parametrize("command", ["report", "verify"])
def test_a_run_that_a_bug_ended_can_be_read(tmp_path, server, monkeypatch, command):
    with monkeypatch.context() as patch:
        patch.setattr(Conversation, "take_result", lambda *_: 1 // 0)
        done = quick(*prepared(tmp_path, short(server)), "--quiet", cwd=tmp_path)
    one_clear_line(done, "ZeroDivisionError")
    assert quick(command, run_of(tmp_path / "out")).returncode == 0

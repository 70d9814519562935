"""A run goes on with settings that decide nothing already played, such as more time for an answer."""

import json

import pytest

from tests.e2e.llm import config_for, exchanges_in, played, prepared
from tests.e2e.shell import games_in, one_clear_line, quick, read, run_of


def test_a_run_that_ended_since_no_answer_came_in_time_goes_on_with_more_time(tmp_path, server):
    config = config_for(server.url, llm={"backoffS": 0.0008, "transportRetries": 0})
    config["game"] |= {"actionTimeoutS": 0.5, "handsPerGame": 2}
    config["stop"]["budget"] = {"maxMatches": 1}
    before = server.received
    server.delay = lambda number: 0.0 if number <= before + 8 else 1.0
    done = quick(*prepared(tmp_path, config), "--games-at-once", "1", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "game.actionTimeoutS" in done.stderr
    folder = run_of(tmp_path / "out")
    kept = exchanges_in(folder)
    assert kept
    done = quick("resume", folder, "--run-agents", "--set", "game.actionTimeoutS=20", "--quiet")
    assert done.returncode == 0, done.stderr
    assert read(folder, "config.json")["game"]["actionTimeoutS"] == 20
    assert exchanges_in(folder)[: len(kept)] == kept, "nothing is paid twice"
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert [line["settings"] for line in lines if line["line"] == "resumption"] == [{"game.actionTimeoutS": 20.0}]
    for command in ("report", "resume", "verify"):
        done = quick(command, folder)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("setting", ["game.stack=400", "participants.0.temperature=1", "seeds.perMatch=3"])
def test_what_was_played_depends_on_is_not_changed(tmp_path, server, setting):
    config = config_for(server.url)
    config["stop"]["budget"] = {"maxMatches": 1}
    config["game"]["handsPerGame"] = 1
    folder = played(tmp_path, config)
    before = games_in(folder)
    done = quick("resume", folder, "--run-agents", "--set", setting, "--max-matches", "2")
    one_clear_line(done, "--set", setting.partition("=")[0], "part of what has been played")
    assert games_in(folder) == before

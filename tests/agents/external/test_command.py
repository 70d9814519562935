"""The command of a program: found before the first card, or one clear line that says why not."""

import os
import re
import sys

import pytest

from molt_bench import ConfigError, make_agent
from molt_bench.agents.agent_log import KEPT, AgentLog, log_path
from molt_bench.agents.external.command import command_hash, label_of, resolved, words_of
from molt_bench.arena.cast import check_participants
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return the folder where the run is started, with a bot in it."""
    monkeypatch.chdir(tmp_path)
    bot = tmp_path / "bot"
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o755)
    (tmp_path / "weights.bin").write_text("1")
    (tmp_path / "data").mkdir()
    return tmp_path


def test_words_are_split_as_a_shell_would():
    assert words_of("./bot --name 'a b' \"c d\" e\\ f") == ["./bot", "--name", "a b", "c d", "e f"]
    assert words_of(["./my bot", "$HOME"]) == ["./my bot", "$HOME"]


def test_files_are_found_from_where_the_run_was_started(here):
    assert resolved("./bot weights.bin --x data ./data $HOME *") == (
        str(here / "bot"),
        str(here / "weights.bin"),
        "--x",
        "data",
        str(here / "data"),
        "$HOME",
        "*",
    )
    assert os.path.isabs(resolved("sh weights.bin")[0])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./nothing", "command = './nothing': expected a program that is there"),
        ("./data", "expected a program that is there"),
        ("./weights.bin", "expected a program that may be executed: chmod +x would do"),
        ("no-such-program-anywhere", "expected a program on the PATH"),
        ("weights.bin", "expected a program on the PATH; did you mean './weights.bin'?"),
        ("'", "expected words as in a shell (no closing quotation)"),
        (" ", "expected a program, such as ./bot"),
        ([""], "expected a program, such as ./bot"),
    ],
)
def test_a_program_that_cannot_be_started_is_one_clear_line(here, command, said):
    with pytest.raises(ConfigError) as error:
        resolved(command)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("./bot --flag", "bot"),
        ("python3 path/to/my_bot.py --x y.bin", "my_bot"),
        ("/usr/bin/python3.11 -u bot.py", "bot"),
        ("node bot.js", "bot"),
        ("python -m my.bot --fast", "bot"),
        ("python -m molt_bench.host my_bot.py:Bot", "my_bot"),
        ("python -m molt_bench.plugins.adapters.acpc --stack 400 -- ./startme.sh", "startme"),
        ("mybot", "mybot"),
        ("'", "'"),
    ],
)
def test_a_command_has_a_short_name(command, label):
    assert label_of(command) == label


def test_the_hash_changes_with_the_files_that_the_command_names(here):
    before = command_hash("./bot weights.bin")
    assert before == command_hash(["./bot", "weights.bin"])
    (here / "weights.bin").write_text("2")
    assert command_hash("./bot weights.bin") != before
    assert command_hash("./bot") == command_hash("./bot --flag")
    assert command_hash("sh weights.bin") == command_hash("env weights.bin"), "the interpreter is not the bot"
    assert command_hash("sh") != command_hash("env")
    assert command_hash("./nothing") is None


def config(*participants):
    return load_config({"participants": [*participants, "tight"]})


def test_a_config_says_it_in_many_ways(here):
    spellings = [
        {"id": "bot", "type": "exec:./bot -x", "sandbox": "off"},
        {"id": "bot", "type": "exec:./bot -x", "params": {"sandbox": "off"}},
    ]
    found = [config(each) for each in spellings]
    for each in found:
        check_participants(each)
        assert each.participants[0].spec().params["sandbox"] == "off"
        assert load_config(each.plain()) == each
        assert each.participants[0].kind.fingerprint(each.participants[0].spec()) == command_hash("./bot")
    assert found[0] == found[1]
    assert config("exec:./bot -x").participants[0].id == "bot"
    assert [each.id for each in config("exec:./bot", "exec:./bot -a,b").participants] == ["bot", "bot-2", "tight"]


@pytest.mark.parametrize(
    ("participant", "said"),
    [
        ("exec:./nothing", "participants.nothing.command = './nothing': expected a program that is there"),
        ({"id": "a", "type": "exec: "}, "participants.0.type = ' ': expected a program, such as ./bot"),
        ({"id": "a", "type": "exec"}, "participants.0.type = 'exec': expected exec:COMMAND"),
        ({"id": "a", "type": "exec:"}, "participants.0.type = 'exec:': expected exec:COMMAND"),
        (
            {"id": "a", "type": "exec:./bot", "command": "./bot"},
            "participants.0.command = './bot': expected one of id,",
        ),
        ({"id": "a", "type": "exec:./bot", "sandbocks": "off"}, "another field; did you mean 'sandbox'?"),
        ({"id": "a", "type": "http"}, "participants.0.type = 'http': expected http:URL"),
        ({"id": "a", "type": "http:nowhere"}, "expected a URL such as http://127.0.0.1:9000/act"),
        ({"id": "a", "type": "http://h/", "apiKey": "x"}, "another field; did you mean 'apiKeyEnv'?"),
    ],
)
def test_a_config_that_cannot_work_is_one_clear_line(here, participant, said):
    with pytest.raises(ConfigError) as error:
        check_participants(config(participant))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_agents_of_the_callers_own_win_over_the_names(here):
    factory = {"exec:mine": lambda: make_agent("tight")}
    assert make_agent("exec:mine", factories=factory).name == "tight"
    assert isinstance(config("tight"), BenchmarkConfig)


def test_the_log_of_standard_error_goes_on_where_it_ended(tmp_path):
    path = log_path(tmp_path / "agents", "../a bot/1")
    assert path.parent == tmp_path / "agents"
    assert re.fullmatch(r"_a_bot_1-[0-9a-f]{8}\.log", path.name)
    for _ in range(3):
        AgentLog(path).add(b"x" * (KEPT // 2 + 1))
    assert path.read_bytes() == b"x" * KEPT + b"\n[more was dropped]\n"


def test_the_last_line_of_standard_error_is_fit_to_print():
    log = AgentLog()
    log.add(b"first\n\x1b[31mlast\xff\n\n  \n")
    assert log.last_line == "?[31mlast\N{REPLACEMENT CHARACTER}"
    assert sys.getsizeof(log.last_line) < 1000

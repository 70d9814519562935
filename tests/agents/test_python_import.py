"""Files of Python are loaded once for a run, as they are then; what is hashed is what was loaded."""

import sys
from hashlib import sha256
from itertools import product

import pytest

from molt_bench import Action, run_benchmark
from molt_bench.agents.kinds import kind_of, make_agent
from molt_bench.agents.python_import import factory_file, find_factory
from molt_bench.errors import AgentError, ConfigError
from molt_bench.specs import ParticipantSpec
from tests.cases import one_in
from tests.e2e.shell import SMALL, quick

BOT = """
from molt_bench import Action

class Bot:
    name = "bot"
    def act(self, seen):
        return Action("{first}") if seen.to_call else Action("check")
"""
RUN = {
    "participants": ["bot.py:Bot", "callstation"],
    "seeds": {"perMatch": 2, "masterSeed": "files"},
    "game": {"handsPerGame": 3},
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def written(here, first):
    text = BOT.format(first=first)
    (here / "bot.py").write_text(text)
    return sha256(text.encode()).hexdigest()


def test_a_file_that_was_edited_plays_its_new_code_under_its_new_hash(here):
    hashes, plays = [], []
    for first in ("call", "fold"):
        hashes.append(written(here, first))
        result = run_benchmark(RUN)
        plays.append({match.margins["raw"] for match in result.matches})
        assert factory_file("bot.py:Bot").sha256 == hashes[-1]
    assert plays[0] != plays[1]


def test_a_file_that_is_edited_during_a_run_changes_nothing_in_it(here):
    hashed = written(here, "call")
    seen = [Action("call"), Action("check")]

    class Edits:
        name = "edits"

        def act(self, observation):
            written(here, "fold")
            return seen[0] if observation.to_call else seen[1]

    config = {**RUN, "participants": ["bot.py:Bot", "edits"]}
    edited = run_benchmark(config, agents={"edits": Edits}, executor="inline")
    assert factory_file("bot.py:Bot").sha256 == hashed
    written(here, "call")
    plain = run_benchmark({**config, "participants": ["bot.py:Bot", "callstation"]}, executor="inline")
    assert [match.margins for match in edited.matches] == [match.margins for match in plain.matches]


def test_code_that_was_loaded_is_made_again_without_its_file(here):
    hashed = written(here, "call")
    make_agent("bot.py:Bot")
    (here / "bot.py").unlink()
    assert make_agent("bot.py:Bot").name == "bot"
    assert kind_of("bot.py:Bot").fingerprint(ParticipantSpec(id="b", type="bot.py:Bot")) == hashed


def test_only_the_bytes_with_the_hash_are_run_even_if_others_were_loaded(here):
    written(here, "call")
    make_agent("bot.py:Bot")
    hashed = written(here, "fold")
    with pytest.raises(AgentError, match="is not the code with SHA-256 00"):
        find_factory("bot.py:Bot", code_sha256="0" * 64)
    assert find_factory("bot.py:Bot", code_sha256=hashed)().name == "bot"
    assert factory_file("bot.py:Bot").sha256 == hashed


def test_a_name_that_is_not_there_suggests_the_agents_of_the_file(here):
    written(here, "call")
    with pytest.raises(ConfigError, match=r"a name that bot\.py defines; it has Bot"):
        make_agent("bot.py:Bott")
    with pytest.raises(ConfigError, match=r"a name that bot\.py defines; it has Bot"):
        make_agent("bot.py:Something")


#: Files that cannot be made an agent of, and what is said about each.
BROKEN = {
    "exits": ("import sys\nsys.exit(3)\n", "ended the program: sys.exit(3) (line 2)"),
    "exits with 0": ("import sys\nsys.exit()\n", "ended the program: sys.exit()"),
    "argparse": (
        "import argparse\nargparse.ArgumentParser().parse_args(['--no-such'])\n",
        "ended the program: sys.exit(2)",
    ),
    "raises": ("x = 1\nprint(undefined)\n", "raised NameError: name 'undefined' is not defined (line 2)"),
    "is no Python": ("def make(:\n", "raised SyntaxError"),
    "constructor exits": ("import sys\nclass Bot:\n    def __init__(self):\n        sys.exit(0)\n", "sys.exit(0)"),
    "constructor raises": (
        "class Bot:\n    def __init__(self):\n        raise KeyError('no')\n",
        "raised KeyError: 'no'",
    ),
    "constructor wants": ("class Bot:\n    def __init__(self, size):\n        pass\n", "missing 1 required"),
    "no agent": ("class Bot:\n    pass\n", "which is not an agent"),
    "no such name": ("class Bots:\n    def act(self, seen): ...\n", "it has Bots"),
}


#: Commands that load agents of the user.
LOADING = {
    "run": ("--participants", "broken.py:Bot,tight", *SMALL),
    "check": ("broken.py:Bot",),
    "plan": ("--participants", "broken.py:Bot,tight"),
    "doctor": ("bench.yaml",),
}


@pytest.mark.parametrize(("how", "command"), one_in(3, product(BROKEN, LOADING)))
def test_a_file_that_makes_no_agent_is_one_line_with_its_name_and_status_1(here, command, how):
    text, said = BROKEN[how]
    (here / "broken.py").write_text(text)
    (here / "bench.yaml").write_text("participants: ['broken.py:Bot', tight]\n")
    done = quick(command, *LOADING[command], cwd=here)
    *usage, line = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert line.startswith("molt-bench: ")
    assert "broken" in line
    assert said in line
    assert how == "argparse" or not usage

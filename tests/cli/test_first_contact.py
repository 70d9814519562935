"""First contact: a config is given in one way everywhere, all its mistakes are named, and hints say what was meant."""

import json

import pytest
from tests.e2e.shell import one_clear_line, quick

from molt_bench.agents.kinds import meant_by
from molt_bench.config.loader import load_config
from molt_bench.errors import ConfigErrors

COMMANDS = ("run", "doctor", "plan", "serve")
BOTS = """

class Base:
    def act(self, observation): ...

class Mine(Base):
    def __init__(self, size=3): ...

class Sized:
    def __init__(self, size): ...
    async def act(self, observation): ...

class Other: ...

class _Hidden(Base): ...

def make():
    return Sized(3)

def needs(size):
    return Sized(size)

def other():
    return Other()
"""
WRONG = {
    "participants": [
        "bots.py",
        "tight",
        {"id": "x", "type": "exec:./nothere"},
        {"id": "y", "type": "live", "tmeout": 3},
    ],
    "game": {"stack": -5, "handsPerGam": 4},
    "seeds": {"file": "seeds.json"},
    "stop": {"budget": {"maxGames": 1}},
    "outputDir": "bots.py/runs",
}


@pytest.fixture
def here(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    (tmp_path / "bot.js").write_text("")
    (tmp_path / "seeds.json").write_text('{"a": 1}')
    (tmp_path / "wrong.json").write_text(json.dumps(WRONG))
    return tmp_path


@pytest.mark.parametrize("how", [("wrong.json",), ("--config", "wrong.json")], ids=["FILE", "--config FILE"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_mistake_of_a_config_is_a_line(here, command, how):
    done = quick(command, *how, cwd=here)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    for field in (
        "participants.bots.py.type = 'bots.py': expected bots.py:NAME; did you mean 'bots.py:Mine'? (or Sized,",
        "participants.x.command = './nothere'",
        "participants.3.tmeout = 3",
        "game.stack = -5",
        "game.handsPerGam = 4: expected another field; did you mean 'handsPerGame'?",
        "seeds.file = 'seeds.json': expected a JSON list, or one seed per line, not a JSON object",
        "outputDir = 'bots.py/runs': expected a folder that can be written, and bots.py is a file",
    ):
        assert sum(line.startswith(f"molt-bench: {field}") for line in lines) == 1, (field, done.stderr)
    assert len(lines) == 7
    assert not (here / "benchmark-results").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_config_given_twice_is_wrong_usage(here, command):
    done = quick(command, "wrong.json", "--config", "wrong.json", cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot be used with FILE" in done.stderr


@pytest.mark.parametrize("command", ["plan", "serve"])
def test_a_config_is_needed(here, command):
    done = quick(command, cwd=here)
    assert done.returncode == 2
    assert "a config is needed: FILE, or --config FILE" in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["--participants", "tight", "random"], "--participants tight,random"),
        (["tight,random"], "--participants tight,random"),
    ],
)
def test_a_list_that_a_space_cut_in_two_is_put_together(here, typed, meant):
    one_clear_line(quick(*typed, cwd=here), f"did you mean '{meant}'?", status=2)


def test_a_config_that_is_not_there_is_said_to_be_missing(here):
    one_clear_line(quick("bench.yml", cwd=here), "'bench.yml'", "No such file")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--participants", "openai:gpt-4.1,tag"], "did you mean 'llm:openai:gpt-4.1'?"),
        (["check", "Cautious"], "FILE.py:NAME"),
        (["check", "exec:"], "command: expected a value, since it has no default"),
    ],
)
def test_a_participant_named_in_another_way_says_how_to_name_it(here, typed, said):
    done = quick(*typed, cwd=here)
    one_clear_line(done, said, status=done.returncode)
    assert done.returncode in (1, 2)


@pytest.mark.parametrize("field", ["seeds.file=seeds.json", "outputDir=bots.py"])
@pytest.mark.parametrize("command", ["run", "doctor"])
def test_what_is_around_a_config_is_checked(here, command, field):
    place, _, value = field.partition("=")
    section, _, name = place.rpartition(".")
    (here / "c.json").write_text(json.dumps({section: {name: value}} if section else {name: value}))
    done = quick(command, "c.json", cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"molt-bench: {place} = '{value}': expected")


def test_doctor_does_not_claim_what_it_has_not_checked(here):
    (here / "c.json").write_text(json.dumps({"participants": ["exec:sh bot.js", "tight"]}))
    done = quick("doctor", "c.json", cwd=here)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("; not started or asked yet: bot\n")
    assert json.loads(quick("doctor", "c.json", "--json", cwd=here).stdout)["notAsked"] == ["bot"]


def test_a_program_that_ends_at_once_is_one_line_before_the_first_card(here):
    done = quick("run", "--participants", "exec:false,tight", cwd=here)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "participant 'false' cannot play: the program ended with exit status 1" in done.stderr


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("bots.py", "did you mean 'bots.py:Mine'?"),
        ("nothere.py", "a file that is there"),
        ("sh bot.js", "did you mean 'exec:sh bot.js'?"),
        ("bot.js", "did you mean 'exec:./bot.js'?"),
        ("./bot", "did you mean 'exec:./bot'?"),
        ("tigth", ""),
        ("'", ""),
        ("", ""),
    ],
)
def test_a_file_or_a_command_as_a_participant_says_how_to_name_it(here, monkeypatch, text, meant):
    monkeypatch.chdir(here)
    assert meant in meant_by(text)
    assert bool(meant) == bool(meant_by(text))


@pytest.mark.parametrize("text", ["class A(", "raise KeyError", "import nothing_like_it"])
def test_a_file_that_cannot_be_imported_says_why(here, monkeypatch, text):
    (here / "odd.py").write_text(text)
    monkeypatch.chdir(here)
    assert "odd.py:NAME, and a file that can be imported: it raised" in meant_by("odd.py")


def test_what_follows_from_a_default_alone_is_no_mistake():
    """The hands of a match depend on the field that is wrong."""
    with pytest.raises(ConfigErrors) as caught:
        load_config({"seeds": {"perMatch": 0}, "stop": {"budget": {"maxHands": 500}}})
    assert [each.field for each in caught.value.problems] == ["seeds.perMatch"]

"""Python code in a box: it plays as in this process, and so do its faults, its tracebacks and its policy."""

import re

import pytest

from molt_bench import ParticipantSpec, make_agent, play_game
from molt_bench.agents.agent_log import log_path
from molt_bench.agents.external import program
from molt_bench.agents.permission import Permission, make_permitted
from molt_bench.errors import AgentError
from molt_bench.play.event_loop import run_in_new_loop
from tests.agents.external.boxes import needs_bubblewrap

pytestmark = needs_bubblewrap

BOTS = """
import asyncio, os, sys
from molt_bench import Action, AgentFailed, Mix, RaiseRange
from beside import NAME

class Mixer:
    name = NAME

    def __init__(self, passive=75):
        self.passive = passive

    def act(self, seen):
        print("to be seen by nobody")
        passive = Action("call") if seen.to_call else Action("check")
        if not seen.max_raise_to:
            return passive
        return Mix([(passive, self.passive), (RaiseRange(seen.min_raise_to, seen.max_raise_to), 100 - self.passive)])

class Async(Mixer):
    async def act(self, seen):
        await asyncio.sleep(0)
        return Mixer.act(self, seen)

class Hooked(Mixer):
    hands = 0
    def reset(self):
        self.hands = 0
    def on_hand_complete(self, result):
        self.hands += 1
    def act(self, seen):
        assert self.hands == seen.hand_number - 1
        return Mixer.act(self, seen)

class Wrong(Mixer):
    def act(self, seen):
        kind = seen.hand_number % 5
        if kind == 0:
            raise ValueError("out of cards")
        if kind == 1:
            return "call"
        if kind == 2:
            return Action("raiseTo", 1)
        if kind == 3:
            raise AgentFailed("refused", "will not")
        return Mix([(Action("call"), 1.5)]) if seen.hand_number % 2 else Action("raiseTo", 1.5)

class WrongHook(Mixer):
    def on_hand_complete(self, result):
        if result.hand_number % 2:
            raise AgentFailed("refused", "no more of this")
        raise KeyError("hook")

class Silent:
    name = "silent"
    def act(self, seen):
        return Action("fold")

class Nested(Mixer):
    # Writes lines of its own to the pipe of its host.
    def act(self, seen):
        self.write(b'{"type":"action","id":1,"kind":"call","more":' + b"[" * 20_000)
        return Action("call")
    def write(self, line):
        sink = sys._getframe(2)
        while not isinstance(sink.f_locals.get("host"), sys.modules["molt_bench.host"].Host):
            sink = sink.f_back
        with open(sink.f_locals["host"]._sink, "wb", closefd=False) as pipe:
            pipe.write(line + bytes([10]))

def broken():
    raise RuntimeError("no agent today")

def nothing():
    return 5
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a file of agents, with a module beside it."""
    folder = tmp_path_factory.mktemp("mine")
    (folder / "beside.py").write_text("NAME = 'mine'\n")
    (folder / "bots.py").write_text(BOTS)
    return folder / "bots.py"


def spec(file, name, sandbox="required", **params):
    return ParticipantSpec(id="mine", type=f"{file}:{name}", params=params, settings={"sandbox": sandbox})


def game(file, name, sandbox, **params):
    agent = make_agent(spec(file, name, sandbox, **params))
    return play_game((agent, make_agent("callstation")), seed=3, hands=12, max_retries=1)


@pytest.mark.parametrize("name", ["Mixer", "Async", "Hooked", "Wrong", "WrongHook"])
def test_a_game_has_the_same_record_as_in_this_process(file, name):
    assert game(file, name, "required") == game(file, name, "off")


def test_params_reach_the_factory(file):
    assert game(file, "Mixer", "required", passive=10) == game(file, "Mixer", "off", passive=10)


@pytest.mark.parametrize(("name", "said"), [("Wrong", "ValueError: out of cards"), ("WrongHook", "KeyError: 'hook'")])
def test_tracebacks_are_in_the_log_of_the_agent(file, name, said, tmp_path):
    agent = make_agent(spec(file, name), folder=tmp_path / "agents")
    play_game((agent, make_agent("callstation")), seed=3, hands=12, max_retries=1)
    log = log_path(tmp_path / "agents", "mine").read_text()
    assert "Traceback (most recent call last)" in log
    assert said in log
    assert str(file) in log


def test_lines_that_are_nested_too_deeply_are_faults(file):
    record = play_game((make_agent(spec(file, "Nested")), make_agent("callstation")), seed=1, hands=1, max_retries=0)
    assert ("unparsable", "the answer is nested too deeply") in {(each.kind, each.message) for each in record.faults}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "its factory raised RuntimeError: no agent today"),
        ("nothing", "its factory returned 5, which is not an agent"),
        ("missing", "defines; it has Async"),
    ],
)
def test_a_factory_that_makes_no_agent_is_one_clear_line(file, name, said):
    with pytest.raises(AgentError, match=re.escape(said)):
        run_in_new_loop(make_agent(spec(file, name)).greet())


def test_code_of_a_stored_run_with_another_hash_is_not_run(file):
    with pytest.raises(AgentError, match="is not the code with SHA-256 000"):
        make_permitted(spec(file, "Mixer", "off"), Permission(granted={"mine": "0" * 64}))


def test_what_it_does_at_its_end_is_done_and_what_it_printed_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "GRACE_S", 60.0)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "ending.py").write_text(
        "import atexit\nfrom molt_bench import make_agent\ndef make():\n"
        "    atexit.register(print, 'at the end')\n    print('no end of a line', end=' ')\n"
        "    return make_agent('callstation')\n"
    )
    named = ParticipantSpec(
        id="ending", type=f"{tmp_path / 'bot' / 'ending.py'}:make", settings={"sandbox": "required"}
    )
    play_game((make_agent(named, folder=tmp_path / "logs"), make_agent("callstation")), seed=1, hands=1)
    assert log_path(tmp_path / "logs", "ending").read_text() == "no end of a line at the end\n"


def test_it_sees_neither_our_files_nor_our_memory(file, tmp_path):
    (tmp_path / "secret").write_text("cards")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "spy.py").write_text(
        f"import os\nassert not os.path.exists({str(tmp_path / 'secret')!r})\n"
        "assert len([each for each in os.listdir('/proc') if each.isdigit()]) <= 3\n"
        "from molt_bench import make_agent\ndef make():\n    return make_agent('callstation')\n"
    )
    agent = make_agent(
        ParticipantSpec(id="spy", type=f"{tmp_path / 'bot' / 'spy.py'}:make", settings={"sandbox": "required"})
    )
    assert play_game((agent, make_agent("callstation")), seed=1, hands=2).faults == ()

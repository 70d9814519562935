"""`molt-bench play`: a person against an agent, typed by a script and at a real terminal."""

import io
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from codecs import getincrementaldecoder
from pathlib import Path

import pytest

from molt_bench.cli import main
from tests.agents.llm.provider import Provider
from tests.e2e.shell import MOLT_BENCH, one_clear_line, quick
from tests.e2e.test_check import PROGRAM, command_line

ROOT = Path(__file__).parents[2]

#: What a program does that does not end by itself when its game does.
STAYING = "time.sleep(3600)\n"

SLEEPER = """
import asyncio

class Sleeper:
    name = "sleeper"

    async def act(self, observation):
        await asyncio.sleep(3600)
"""


@pytest.fixture
def sit(monkeypatch, capsys, tmp_path):
    """Return a function that plays with some typed lines, and returns what was on the screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def play(typed, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
        monkeypatch.setattr(sys, "argv", ["molt-bench", "play", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        return capsys.readouterr().out

    yield play
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_a_whole_session_typed_by_a_script(sit):
    out = sit(["c"] * 100, "callstation", "--hands", "3", "--seed", "s")
    assert [f"Hand {number} of 3" in out for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert out.count("You show") == 3
    assert "Result: 3 hands against callstation" in out
    for row in ("won ", "all-in EV ", "luck-adjusted "):
        assert re.search(rf"^{row} +[+-][\d,]+ +[+-][\d,]+$", out, re.MULTILINE)
    assert "3 hands say next to nothing about who is better." in out
    assert "The same cards again:  molt-bench play callstation --hands 3 --seed s\n" in out
    assert "does not count" not in out


@pytest.mark.parametrize("typed", [[], ["q"], ["c", "quit"], ["huh", "?", "l"]])
def test_leaving_shows_the_result_so_far(sit, typed):
    out = sit(typed, "callstation", "--seed", "s")
    assert "No hand was finished." in out
    assert "The unfinished hand does not count." in out


def test_the_command_at_the_end_deals_the_same_cards_again(sit):
    first = sit(["f"] * 9, "tag", "--hands", "4", "--blinds", "10/20", "--stack", "50", "--show-odds")
    again = re.search(r"^The same cards again:  molt-bench play (.*)$", first, re.MULTILINE)[1]
    assert sit(["f"] * 9, *shlex.split(again)) == first
    swapped = re.search(r"^From the other seat:   molt-bench play (.*)$", first, re.MULTILINE)[1]
    assert "Hand 1 of 4: tag has the button" in sit([], *shlex.split(swapped))


def test_without_a_seed_the_cards_are_new(sit):
    assert sit([], "tag") != sit([], "tag")


def test_the_same_cards_are_played_again_with_seats_swapped(sit):
    out = sit(["c"] * 100, "callstation", "--hands", "2", "--seed", "s", "--duplicate")
    first, second = out.split("The same cards again, seats swapped.")
    assert "Hand 1 of 2: you have the button" in first
    assert "Hand 1 of 2: callstation has the button" in second
    assert "After 4 hands: +0 chips, +0 bb/100." in second


def test_faults_of_the_opponent_are_told(sit, bots):
    out = sit(["c"], f"{bots}:make_thrower", "--hands", "1", "--seed", "s")
    assert "(bots gave 3 invalid answers: RuntimeError: this agent always throws)" in out
    assert "bots made 3 faults, the first in hand 1: RuntimeError: this agent always throws" in out
    assert "You win 100 (1 bb)." in out


def test_odds_are_shown_to_those_who_want_them(sit):
    out = sit(["c", "q"], "callstation", "--seed", "docs", "--show-odds")
    assert "You have 57% against any two cards; a call needs 25%." in out
    assert "You have king high, 59% against any two cards." in out
    assert "against any two" not in sit(["q"], "callstation", "--seed", "docs")


def test_what_the_reference_would_do_is_shown_to_those_who_want_it(sit):
    out = sit(["c", "f", "y", "q"], "callstation", "--seed", "docs", "--hands", "2", "--show-reference")
    assert re.search(r"The reference: fold \d+% \(-0\.50 bb\), call \d+% \([+-]\d+\.\d\d bb\)", out)
    assert re.search(r"  preflop, call: (nothing is better|gives away \d+\.\d\d bb)", out)
    assert re.search(r"  flop, fold: gives away \d+\.\d\d bb \(folds too much, .* is better\)\.", out)
    assert "By the reference's values, your 2 decisions gave away" in out
    assert "--seed docs --show-reference\n" in out
    assert "reference" not in sit(["c", "q"], "callstation", "--seed", "docs")


def test_a_terminal_without_symbols_gets_letters(sit, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert sit(["?", "a"], "callstation", "--hands", "1", "--seed", "s").isascii()


def test_a_language_model_can_be_played_against(sit, monkeypatch):
    with Provider() as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        out = sit(["c"] * 50, "llm:openai:gpt-4.1", "--hands", "2", "--seed", "s")
    assert provider.answered > 1
    assert "Result: 2 hands against gpt-4.1" in out


def test_a_program_can_be_played_against_and_is_ended(sit, tmp_path):
    (tmp_path / "bot.py").write_text(PROGRAM + STAYING)
    out = sit(["c"] * 50, f"exec:{sys.executable} -S bot.py", "--hands", "2", "--seed", "s", "--no-sandbox")
    assert "Result: 2 hands against bot" in out
    (pid,) = (tmp_path / "pids").read_text().split()
    assert "bot.py" not in command_line(pid)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tigt",), "did you mean 'tight'?"),
        (("exec:./missing",), "missing"),
        (("random", "--param", "sed=1"), "seed or name"),
    ],
)
def test_an_opponent_that_cannot_be_made_is_one_clear_line(arguments, said, tmp_path):
    one_clear_line(quick("play", *arguments, cwd=tmp_path), said)


@pytest.mark.parametrize("blinds", ["100/50", "100", "a/b", "0/0", "50/100/0"])
def test_wrong_blinds_are_wrong_usage(blinds, tmp_path):
    assert quick("play", "tag", "--blinds", blinds, cwd=tmp_path).returncode == 2


def test_the_screen_in_the_guide_is_what_is_printed(sit):
    guide = (ROOT / "docs" / "how-to" / "play-against-an-agent.md").read_text("utf-8")
    shown = re.search(r"```console\n\$ molt-bench play (.*?)\n```\n\n```text\n(.*?)```", guide, re.DOTALL)
    typed = re.findall(r"^> (.*)$", shown[2], re.MULTILINE)
    assert typed
    assert [line.rstrip() for line in sit(typed, *shown[1].split()).splitlines()] == [
        line.rstrip() for line in shown[2].splitlines()
    ]


class Terminal:
    """The program at a terminal of its own."""

    def __init__(self, *arguments, cwd, **env):
        self.screen = ""
        self._seen = 0
        self._text = getincrementaldecoder("utf-8")("replace")
        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.chdir(cwd)
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", **env})
            os.execv(MOLT_BENCH, [MOLT_BENCH, "play", *arguments])

    def until(self, text):
        """Read until a text is on the screen behind what was looked at before, and return all up to it."""
        while (at := self.screen.find(text, self._seen)) < 0:
            assert self._more(), f"{text!r} never came: {self.screen}"
        start, self._seen = self._seen, at + len(text)
        return self.screen[start : self._seen]

    def _more(self):
        """Read on; nothing comes once the program has ended."""
        assert select.select([self._fd], [], [], 60)[0], f"nothing more comes: {self.screen}"
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            data = b""
        self.screen += self._text.decode(data)
        return data

    def asked(self):
        """Read until the program waits at its prompt, and return all up to it.

        It really has to wait: Python does not notice a signal that comes between the prompt and the waiting.
        """
        read = self.until("> ")
        asleep = 0
        while asleep < 5:
            time.sleep(0.02)
            asleep = (
                asleep + 1 if Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()[0] == "S" else 0
            )
        return read

    def type(self, keys):
        """Press some keys."""
        os.write(self._fd, keys.encode())

    def end(self):
        """Wait for the end of the program and return its status."""
        while self._more():
            pass
        os.close(self._fd)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def test_at_a_terminal_cards_have_colours_and_ctrl_d_leaves(tmp_path):
    terminal = Terminal("callstation", "--seed", "docs", cwd=tmp_path)
    assert "\x1b[1;31mQ♥" in terminal.asked()
    terminal.type("nonsense\n")
    terminal.until("is not a command")
    terminal.asked()
    terminal.type("r 3bb\n")
    terminal.until("Flop")
    terminal.asked()
    terminal.type("\x04")
    assert terminal.end() == 0
    assert "No hand was finished." in terminal.screen


def test_no_color_is_heeded(tmp_path):
    terminal = Terminal("callstation", "--seed", "docs", cwd=tmp_path, NO_COLOR="1")
    assert "\x1b[1;31m" not in terminal.asked()
    terminal.type("\x03")
    assert terminal.end() == 0
    assert "Q♥" in terminal.screen


def test_ctrl_c_at_the_prompt_leaves_at_once_and_ends_the_program(tmp_path):
    """Also where an event loop is running, which puts an interruption off."""
    (tmp_path / "bot.py").write_text(PROGRAM + STAYING)
    terminal = Terminal(f"exec:{sys.executable} -S bot.py", "--seed", "docs", "--no-sandbox", cwd=tmp_path)
    terminal.asked()
    terminal.type("c\n")
    terminal.until("Flop")
    terminal.asked()
    terminal.type("\x03")
    assert terminal.end() == 0
    assert "Result: 0 hands against bot" in terminal.screen
    assert "Traceback" not in terminal.screen
    (pid,) = (tmp_path / "pids").read_text().split()
    assert "bot.py" not in command_line(pid)


def test_ctrl_c_while_the_opponent_thinks_shows_the_result(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    terminal = Terminal("sleeper.py:Sleeper", "--seed", "docs", cwd=tmp_path)
    terminal.asked()
    terminal.type("c\n")
    terminal.until("is thinking")
    terminal.type("\x03")
    assert terminal.end() == 0
    assert "Result: 0 hands against sleeper" in terminal.screen
    assert "Traceback" not in terminal.screen


@pytest.mark.slow
def test_bytes_that_are_no_text_are_asked_again(tmp_path):
    done = subprocess.run(
        [MOLT_BENCH, "play", "callstation", "--seed", "s"],
        input=b"\xff\xfe\x00\nc\n",
        capture_output=True,
        check=False,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert b"is not a command" in done.stdout
    assert done.stderr == b""

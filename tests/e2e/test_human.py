"""A person plays in the terminal: the program at a terminal of its own."""

import os
import pty
import re
import select
import time
from codecs import getincrementaldecoder
from pathlib import Path

import pytest

from tests.e2e.live import Served, live_config
from tests.e2e.shell import be_the_program, faults_in, lines_of, quick, read, records_in, run_of, until, verified
from tests.llm.provider import Provider

ROOT = Path(__file__).parents[2]
#: A match of two games with one hand each.
PLAYED = ("--participants", "human,callstation", "--hands", "1", "--master-seed", "a seed for people to play by")
#: What calls to the end of any hand.
CALLS = ["c\n"] * 4

SLEEPER = """
import asyncio

class Sleeper:
    name = "sleeper"

    async def act(self, observation):
        await asyncio.sleep(3600)
"""


class Terminal:
    """The program at a terminal of its own, in a fork of this process."""

    def __init__(self, *arguments, cwd, **env):
        quick("--version")  # what the program loads is loaded here once
        self.screen = ""
        self._seen = 0
        self._text = getincrementaldecoder("utf-8")("replace")
        self._pid, self._fd = pty.fork()
        if not self._pid:
            files = [0, 1, 2, os.open(os.devnull, os.O_WRONLY)]
            shown = {"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": "1", **env}
            be_the_program(arguments, files, cwd=cwd, env=shown, encoding="utf-8")

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
        self.screen += self._text.decode(data).replace("\r", "")
        return data

    def type(self, *keys, at="> "):
        """Press keys, each once the program asks."""
        for each in keys:
            self.until(at)
            os.write(self._fd, each.encode())

    def end(self):
        """Wait for the end of the program and return its status."""
        while self._more():
            pass
        os.close(self._fd)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def run_in(folder):
    return run_of(folder / "benchmark-results")


def answers(folder):
    return [line["action"]["kind"] for line in lines_of(folder, "replies.jsonl") if line["line"] == "answer"]


def test_two_games_are_played_and_verified_without_asking_again(tmp_path):
    terminal = Terminal(*PLAYED, cwd=tmp_path)
    assert "You against callstation: 1 hand, blinds 50/100" in terminal.until("Hand 1 of 1: you have the button")
    terminal.type(*CALLS)
    terminal.until("After 1 hand: ")
    terminal.until("Hand 1 of 1: callstation has the button")
    terminal.type("what?\n")
    terminal.until("'what?' is no action")
    terminal.type(*CALLS)
    assert terminal.end() == 0
    shows = re.findall(r"You show (.*): .*\n  callstation shows (.*): ", terminal.screen)
    assert len(shows) == 2
    assert not {*shows[0]} & {*shows[1]}  # the decks are others once the seats are swapped
    assert "warning" not in terminal.screen
    assert "1 match, 2 games, 2 hands" in terminal.screen
    folder = run_in(tmp_path)
    assert faults_in(folder) == []
    assert len(answers(folder)) == 8
    assert "answers from the record: human (replies.jsonl)" in verified(folder)


def test_at_the_end_a_person_sees_what_the_other_held_and_not_before(tmp_path):
    terminal = Terminal(*PLAYED[:3], "2", *PLAYED[4:], cwd=tmp_path)
    terminal.type("f\n", *CALLS * 3)
    assert "mu±sigma" in terminal.until("What callstation held where it was not shown:"), "the result comes first"
    assert terminal.end() == 0
    held = {*re.findall(r"[2-9TJQKA][cdhs]", records_in(run_in(tmp_path))[0]["hand_texts"][0].split(":")[4])}
    told = terminal.screen[terminal.screen.index("What callstation held") :].splitlines()[1]
    assert {*re.findall(r"[2-9TJQKA][cdhs]", told.translate(str.maketrans("♣♦♥♠", "cdhs")))} == held
    assert re.search(r"Hand   1 .* preflop +you fold -50$", told)


@pytest.mark.parametrize(("key", "flags"), [("\x03", ()), ("\x04", ()), ("q\n", ("--json",))])
def test_whoever_leaves_goes_on_where_they_were(tmp_path, key, flags):
    terminal = Terminal(*PLAYED, *flags, cwd=tmp_path)
    terminal.type("r 3bb\n", "c\n", key)
    assert terminal.end() == 130
    assert terminal.screen.count("You against callstation") == 1
    assert "Traceback" not in terminal.screen
    folder = run_in(tmp_path)
    assert f"Interrupted. Resume with:\n  molt-bench resume benchmark-results/{folder.name}\n" in terminal.screen
    terminal = Terminal("resume", folder, cwd=tmp_path)
    before = terminal.until("> ")
    assert "You raise to 300." in before
    assert "Flop" in before
    assert "Turn" in before
    os.write(terminal._fd, b"c\n")
    terminal.type("c\n", *CALLS)
    assert terminal.end() == 0
    assert answers(folder)[:2] == ["raiseTo", "check"]
    verified(folder)


def test_ctrl_c_while_the_opponent_thinks_ends_the_run(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    terminal = Terminal("--participants", "human,sleeper.py:Sleeper", "--hands", "1", cwd=tmp_path)
    terminal.type("c\n")
    time.sleep(1.0)  # nothing is printed while the opponent thinks
    os.write(terminal._fd, b"\x03")
    assert terminal.end() == 130
    assert "Resume with" in terminal.screen
    assert "Traceback" not in terminal.screen


def test_whoever_takes_too_long_is_asked_again_and_then_folds(tmp_path):
    limits = ("--set", "game.actionTimeoutS=0.2", "--set", "game.maxRetries=1")
    terminal = Terminal(*PLAYED, *limits, cwd=tmp_path)
    assert terminal.end() == 0
    assert terminal.screen.count("0.2 s > \n  Too late.") == 4
    assert terminal.screen.count("You fold.") == 2
    assert [kind for _, kind in faults_in(run_in(tmp_path))] == ["timeout"] * 4


def test_models_play_each_other_while_a_person_thinks(tmp_path, libraries):
    with Provider() as provider:
        models = ("--participants", "human,llm:openai:gpt-4.1,llm:openai:gpt-4.1,llm:openai:gpt-4.1", "--no-cost-limit")
        config = ("--hands", "1")
        urls = {"OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": provider.url}
        terminal = Terminal(*models, *config, cwd=tmp_path, **urls)
        terminal.until("> ")
        games = until(lambda: len(found := records_in(run_in(tmp_path))) == 2 and found)
        assert [each["spec"]["players"] for each in games] == [["gpt-4.1-2", "gpt-4.1-3"]] * 2
        os.write(terminal._fd, b"q\n")
        assert terminal.end() == 130
    assert terminal.screen.count("You against gpt-4.1") == 1


@pytest.mark.slow
def test_a_person_plays_as_the_guest_of_a_live_server(tmp_path):
    config = live_config(tmp_path, "live", {"id": "caller", "type": "callstation"}, game={"handsPerGame": 1})
    served = Served(config, "--port", "0", "--set", "seeds.perMatch=1")
    (url,) = served.invitations(1)
    terminal = Terminal("join", url, "--agent", "human", cwd=tmp_path)
    terminal.type(*CALLS, *CALLS)
    assert terminal.end() == 0
    assert terminal.screen.count("  opponent shows ") == 2
    assert served.ended() == 0, served.err


@pytest.mark.parametrize(
    ("flags", "seeds", "matches"),
    [((), 1, 3), (("--seeds", "2"), 2, 20), (("--max-matches", "2"), 1, 2)],
)
def test_matches_of_a_person_are_short_unless_the_config_says_otherwise(tmp_path, flags, seeds, matches):
    terminal = Terminal("--participants", "human,tag,tight", *flags, cwd=tmp_path)
    terminal.type("q\n")
    assert terminal.end() == 130
    config = read(run_in(tmp_path), "config.json")
    assert (config["seeds"]["perMatch"], config["stop"]["budget"]["maxMatches"]) == (seeds, matches)


def test_the_screen_in_the_guide_is_what_is_printed(tmp_path):
    guide = (ROOT / "docs/how-to/play-against-an-agent.md").read_text("utf-8")
    command, shown = re.search(r"```sh\nmolt-bench (.*?)\n```\n\n```text\n(.*?)```", guide, re.DOTALL).groups()
    terminal = Terminal(*command.split(), "--master-seed", "the seed of this page", cwd=tmp_path)
    terminal.type(*[f"{line}\n" for line in re.findall(r"^> (.*)$", shown, re.MULTILINE)], "\x03")
    assert terminal.end() == 130
    assert [line.rstrip() for line in shown.splitlines()] == [
        line.rstrip() for line in terminal.screen.strip().splitlines()[: len(shown.splitlines())]
    ]
